"""Calls of torch written with other operators, for runtimes that lack those they are exported as.

What each is exported as was measured on torch 2.13, by both ONNX exporters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import NONE, Tensor

Texts = Mapping[str, str]
"""The arguments that are given, by torch's parameters, as they are written."""


@dataclass(frozen=True)
class Rewrite:
    """How a call is written otherwise."""

    operator: str
    """The ONNX operator that is gone then."""
    writes: frozenset[str]
    """Those that are there instead, beside Cast, Constant and Unsqueeze, which all targets have."""
    parameters: tuple[str, ...]
    """Those that a call may give, after the tensor, in their order."""
    write: Callable[[Texts, Called], str | None]
    """The expression, from an `input` that a method can be called on; None where it says something else."""
    reaches: str = ""
    """The function of torch that it calls: `{reached}` in what is written."""
    repeats: bool = True
    """Whether the tensor is written more than once."""
    operation: bool = True
    """Whether it is an operation, which stands in brackets where it is an operand."""


def find_rewrite(name: str) -> Rewrite | None:
    """How to write a function of torch, by its full name, methods as functions."""
    return _REWRITES.get(name)


def _type_of(event: Called) -> str:
    tensor = event.arguments.get("input", event.arguments.get("self"))
    return (tensor.dtype if isinstance(tensor, Tensor) else None) or ""


def _write_sign(texts: Texts, event: Called) -> str | None:
    x = texts["input"]
    typed = f"({x} > 0).to({x}.dtype) - ({x} < 0).to({x}.dtype)"
    return None if "bool" in _type_of(event) else typed


def _write_round(texts: Texts, event: Called) -> str | None:
    x = texts["input"]
    if "int" in _type_of(event):
        return None
    return f"{{reached}}({x} + 0.5) - (({x} + 0.5) % 2 == 1).to({x}.dtype)"


def _write_exclusive(texts: Texts, event: Called) -> str | None:
    x, y = texts["input"], texts.get("other")
    return f"({x} != 0).logical_or({y} != 0) & ~({x} != 0).logical_and({y} != 0)" if y else None


def _write_classes(texts: Texts, event: Called) -> str | None:
    x, count = texts["input"], read_plain(event.arguments.get("num_classes"))
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        return None
    return f"({x}.unsqueeze(-1) == {{reached}}({count}, device={x}.device)).long()"


def _write_triangle(sign: str) -> Callable[[Texts, Called], str]:
    def write(texts: Texts, event: Called) -> str:
        x, diagonal = texts["input"], texts.get("diagonal", "0")
        rows = f"{{reached}}({x}.shape[-2], device={x}.device)[:, None]"
        columns = f"{{reached}}({x}.shape[-1], device={x}.device)"
        return f"{x}.masked_fill({columns} - {rows} {sign} {diagonal}, 0)"

    return write


def _write_unit(texts: Texts, event: Called) -> str | None:
    """`x / x.pow(2).sum(1, keepdim=True).clamp(min=1e-24).sqrt()`; no gradient of the root of 0."""
    x, least = texts["input"], read_plain(event.arguments.get("eps"))
    axis = read_plain(event.arguments.get("dim"))
    if read_plain(event.arguments.get("p")) != 2 or not isinstance(least, float):
        return None
    if not isinstance(axis, int) or least < 1e-18:
        return None
    total = f"{x}.pow(2).sum({axis}, keepdim=True)"
    return f"{x} / {total}.clamp(min={least * least:.6g}).sqrt()"


def _write_length(texts: Texts, event: Called) -> str | None:
    """`x.pow(2).sum(1).sqrt()`, along one axis."""
    given = event.arguments
    order = next((given[name] for name in ("p", "ord") if name in given), None)
    kind, axis, kept = map(read_plain, (order, given.get("dim"), given.get("keepdim")))
    plain = isinstance(axis, int) and isinstance(kept, bool) and not isinstance(axis, bool)
    if kind not in (2, None, "fro") or not plain or read_plain(given.get("dtype")) is not None:
        return None
    return f"{texts['input']}.pow(2).sum({axis}{', keepdim=True' if kept else ''}).sqrt()"


def _write_spread(root: bool) -> Callable[[Texts, Called], str | None]:
    """`(x - x.mean(1, keepdim=True)).pow(2).mean(1)`, times n / (n - 1) where n items are known."""

    def write(texts: Texts, event: Called) -> str | None:
        x, given = texts["input"], event.arguments
        axis, kept = read_plain(given.get("dim")), read_plain(given.get("keepdim"))
        if type(axis) is not int or not isinstance(kept, bool):
            return None
        factor = _find_factor(axis, event)
        if factor is None:
            return None
        again = ", keepdim=True" if kept else ""
        mean = f"({x} - {x}.mean({axis}, keepdim=True)).pow(2).mean({axis}{again})"
        if root:
            return f"({mean}{factor}).sqrt()" if factor else f"{mean}.sqrt()"
        return f"{mean}{factor}"

    return write


def _find_factor(axis: int, event: Called) -> str | None:
    """` * (8 / 7)` of 8 items, "" where the variance is of all; None where that is not known."""
    given = event.arguments
    unbiased, less = (read_plain(given.get(name, NONE)) for name in ("unbiased", "correction"))
    if unbiased is False or (less == 0 and type(less) is int):
        return ""
    tensor = given.get("input", given.get("self"))
    shape = tensor.shape if isinstance(tensor, Tensor) else None
    count = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    plain = unbiased in (None, True) and less in (None, 1)
    return f" * ({count} / {count - 1})" if plain and isinstance(count, int) and count > 1 else None


def _write_amount(texts: Texts, event: Called) -> str | None:
    x = texts["input"]
    return None if "complex" in _type_of(event) else f"{{reached}}({x}, {x} * -1)"


def _write_peaks(texts: Texts, event: Called) -> str | None:
    """`(x - x.amax(1, keepdim=True)).exp().sum(1).log() + x.amax(1)`, as torch works it out itself."""
    x, given = texts["input"], event.arguments
    axis, kept = read_plain(given.get("dim")), read_plain(given.get("keepdim"))
    if type(axis) is not int or not isinstance(kept, bool):
        return None
    again = ", keepdim=True" if kept else ""
    total = f"({x} - {x}.amax({axis}, keepdim=True)).exp().sum({axis}{again})"
    return f"{total}.log() + {x}.amax({axis}{again})"


def _write_smooth(texts: Texts, event: Called) -> str | None:
    x, alpha = texts["input"], read_plain(event.arguments.get("alpha"))
    if not isinstance(alpha, (int, float)) or isinstance(alpha, bool) or alpha <= 0:
        return None
    return f"{{reached}}({x})" if alpha == 1 else f"{{reached}}({x} / {alpha}) * {alpha}"


def _write_rest(texts: Texts, event: Called) -> str | None:
    """`x - torch.div(x, y, rounding_mode="trunc") * y`, of floats; an infinite divisor gives nan."""
    x, y = texts["input"], texts.get("other")
    if not y or "int" in _type_of(event):
        return None
    return f'{x} - {{reached}}({x}, {y}, rounding_mode="trunc") * {y}'


def _write_sums(texts: Texts, event: Called) -> str | None:
    """A product with ones above the diagonal, along one axis, of floats."""
    x, axis = texts["input"], read_plain(event.arguments.get("dim"))
    if type(axis) is not int or "float" not in _type_of(event):
        return None
    places = f"{{reached}}({x}.shape[{axis}], device={x}.device)"
    above = f"({places}[:, None] < {places} + 1).to({x}.dtype)"
    if axis == -1:
        return f"{x} @ {above}"
    return f"({x}.transpose({axis}, -1) @ {above}).transpose({axis}, -1)"


_SELU = (1.6732632423543772, 1.0507009873554805)
_SPREAD = frozenset({"Mul", "Pow", "ReduceMean", "Sub"})
_SPREAD_BY = ("dim", "unbiased", "correction", "keepdim")
_LENGTH = Rewrite(
    "ReduceL2",
    frozenset({"Pow", "ReduceSum", "Sqrt"}),
    ("p", "dim", "keepdim"),
    _write_length,
    repeats=False,
    operation=False,
)
_BY_ORDER = Rewrite(
    "ReduceL2",
    _LENGTH.writes,
    ("ord", "dim", "keepdim"),
    _write_length,
    repeats=False,
    operation=False,
)
_TRIANGLE = frozenset({"Range", "Shape", "Gather", "Sub", "Where"})
_REWRITES: Mapping[str, Rewrite] = {
    "torch.sign": Rewrite("Sign", frozenset({"Greater", "Less", "Sub"}), (), _write_sign),
    "torch.round": Rewrite(
        "Round",
        frozenset({"Add", "Div", "Equal", "Floor", "Mul", "Sub"}),
        (),
        _write_round,
        "torch.floor",
    ),
    "torch.ceil": Rewrite(
        "Ceil",
        frozenset({"Floor", "Mul"}),
        (),
        lambda texts, _: "{{reached}}({input} * -1) * -1".format(**texts),
        "torch.floor",
        repeats=False,
    ),
    "torch.nn.functional.selu": Rewrite(
        "Selu",
        frozenset({"Elu", "Mul"}),
        (),
        lambda texts, _: f"{{reached}}({texts['input']}, {_SELU[0]}) * {_SELU[1]}",
        "torch.nn.functional.elu",
        repeats=False,
    ),
    "torch.nn.functional.celu": Rewrite(
        "Celu",
        frozenset({"Div", "Elu", "Mul"}),
        ("alpha",),
        _write_smooth,
        "torch.nn.functional.elu",
        repeats=False,
    ),
    "torch.logsumexp": Rewrite(
        "ReduceLogSumExp",
        frozenset({"Add", "Exp", "Log", "ReduceMax", "ReduceSum", "Sub"}),
        ("dim", "keepdim"),
        _write_peaks,
    ),
    "torch.isnan": Rewrite(
        "IsNaN",
        frozenset({"Equal", "Not"}),
        (),
        lambda texts, _: "{input} != {input}".format(**texts),
    ),
    "torch.isinf": Rewrite(
        "IsInf",
        frozenset({"Abs", "Equal"}),
        (),
        lambda texts, _: '{input}.abs() == float("inf")'.format(**texts),
        repeats=False,
    ),
    "torch.fmod": Rewrite(
        "Mod", frozenset({"Div", "Mul", "Sub"}), ("other",), _write_rest, "torch.div"
    ),
    "torch.cumsum": Rewrite(
        "CumSum",
        frozenset({"Add", "Gather", "Less", "MatMul", "Range", "Shape", "Transpose"}),
        ("dim",),
        _write_sums,
        "torch.arange",
    ),
    "torch.logical_xor": Rewrite(
        "Xor", frozenset({"And", "Equal", "Not", "Or"}), ("other",), _write_exclusive
    ),
    "torch.nn.functional.one_hot": Rewrite(
        "OneHot",
        frozenset({"Equal"}),
        ("num_classes",),
        _write_classes,
        "torch.arange",
        operation=False,
    ),
    "torch.triu": Rewrite(
        "Trilu",
        _TRIANGLE | {"Less"},
        ("diagonal",),
        _write_triangle("<"),
        "torch.arange",
        operation=False,
    ),
    "torch.tril": Rewrite(
        "Trilu",
        _TRIANGLE | {"Greater"},
        ("diagonal",),
        _write_triangle(">"),
        "torch.arange",
        operation=False,
    ),
    "torch.nn.functional.normalize": Rewrite(
        "ReduceL2",
        frozenset({"Clip", "Div", "Pow", "ReduceSum", "Sqrt"}),
        ("p", "dim", "eps"),
        _write_unit,
    ),
    "torch.abs": Rewrite(
        "Abs",
        frozenset({"Max", "Mul"}),
        (),
        _write_amount,
        "torch.maximum",
        operation=False,
    ),
    "torch.var": Rewrite("ReduceProd", _SPREAD, _SPREAD_BY, _write_spread(root=False)),
    "torch.std": Rewrite("ReduceProd", _SPREAD | {"Sqrt"}, _SPREAD_BY, _write_spread(root=True)),
    "torch.norm": _LENGTH,
    "torch.linalg.norm": _BY_ORDER,
    "torch.linalg.vector_norm": _BY_ORDER,
}
