"""LT306: a constant that float16 cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import UNKNOWN, Constant, External, Tensor, Value, is_number
from lintorch.evidence import OperatorCall, Trace
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT306",
    summary="a constant that float16 cannot hold",
    why="""
        The largest float16 is 65504; below 3e-8 everything is 0. `masked_fill` and `fill_` with
        -1e9 raise, under float16 autocast too; added, it becomes -inf. An epsilon of 1e-8 is no
        epsilon: 0 / (0 + 1e-8) is NaN. A sum of 70,000 ones is inf. bfloat16 holds all these. Measured on torch 2.13.

        Reported are tensors that the function around the line makes float16 itself, and those
        that are float16 when the model runs. That a run in float32 meets none proves nothing of
        one in float16.
    """,
    bad="""
        import torch


        def hide(scores, mask):
            scores = scores.half()
            return scores.masked_fill(mask, -1e9)
    """,
    good="""
        import torch


        def hide(scores, mask):
            scores = scores.half()
            return scores.masked_fill(mask, torch.finfo(scores.dtype).min)
    """,
    remedy="work in float32 there: x.float()",
    proof="""
        scores = torch.ones(2)
        hide(scores, scores > 0)
    """,
    severity=Severity.WARNING,
    fix=Applicability.UNSAFE,
)

LARGEST, SMALLEST = 65504.0, 2.0**-25
FILLS = {
    "masked_fill": 1,
    "masked_fill_": 1,
    "fill_": 0,
    "fill_diagonal_": 0,
    "index_fill": 2,
    "index_fill_": 2,
}
"""Methods that raise, and where the value stands."""
HALF = External("torch.float16"), External("torch.half")
CONVERTS = frozenset({"half", "to", "type", "astype"})
KEEPS = frozenset(
    {
        "view", "reshape", "permute", "transpose", "contiguous", "flatten", "unsqueeze", "squeeze",
        "expand", "clone", "detach", "masked_fill", "masked_fill_", "relu", "abs", "exp", "sum",
        "mean", "max", "min", "norm", "cuda", "cpu", "clamp", "sqrt", "square", "softmax", "T",
        "getitem", "t", "mT",
    }
)  # fmt: skip
DEEPEST = 8
WIDENED = frozenset(
    {
        "Pow", "pow", "exp", "expm1", "log", "log1p", "log2", "log10", "sum", "prod", "cumsum", "norm",
        "normalize", "softmax", "log_softmax", "softplus", "reciprocal", "rsqrt", "cosine_similarity",
        "layer_norm", "group_norm",
    }
)  # fmt: skip
"""What autocast computes in float32."""
ADDED = frozenset(
    f"torch.{kind}{name}"
    for kind, names in (
        ("", ("add", "sub")),
        ("Tensor.", ("add", "add_", "sub", "sub_", "__radd__", "__rsub__")),
    )
    for name in names
)
CLAMPED = frozenset({"torch.clamp", "torch.Tensor.clamp", "torch.Tensor.clamp_min"})


@rule.event(*(f"torch.Tensor.{name}" for name in FILLS), "torch.masked_fill")
def in_fill(event: Called, source: Source) -> Iterator[Hit]:
    held, *given = event.positional or (event.keyword.get("input", UNKNOWN),)
    yield from judge_fill(event, event.name.rpartition(".")[2], held, given, source)


@rule.event(UnknownCalled)
def in_unknown_fill(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """The same of what may be a tensor, and was made float16 by name."""
    if event.method in FILLS:
        given = [*event.given.positional]
        yield from judge_fill(event, event.method, event.held, given, source)


def judge_fill(
    event: Called | UnknownCalled, name: str, held: Value, given: list[Value], source: Source
) -> Iterator[Hit]:
    named = event.keyword if isinstance(event, Called) else event.given.keyword
    value = given[FILLS[name]] if FILLS[name] < len(given) else named.get("value")
    number = value.value if isinstance(value, Constant) else None
    if not isinstance(number, (int, float)) or not _overflows(number):
        return
    if is_half(held, source):
        message = f"{number:g} does not fit into float16: raises"
        fix = _take_bound(event, name, number, source)
        remedy = "write torch.finfo(x.dtype).min, or max, of the tensor x"
        yield Hit(event, message, fix, severity=Severity.ERROR, remedy=remedy)


@rule.event(Combined)
def in_sum(event: Combined, source: Source) -> Iterator[Hit]:
    """`x.half() + 1e-8`."""
    if event.operator not in ("Add", "Sub"):
        return
    for number, other in ((event.right, event.left), (event.left, event.right)):
        value = number.value if isinstance(number, Constant) else None
        if not isinstance(value, float) or not is_half(other, source):
            continue
        if 0 < abs(value) < SMALLEST:
            yield Hit(
                event,
                f"{value:g} is 0 in float16: nothing is added",
                remedy="write 1e-4 or more, or add it in float32",
            )
        elif _overflows(value):
            yield Hit(event, f"{value:g} is infinite in float16")


@rule.event("torch.full", "torch.full_like")
def in_full(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.full((n, n), -1e9, dtype=torch.float16)`."""
    given = name_given(event)
    value, kind = given.get("fill_value"), given.get("dtype")
    number = value.value if isinstance(value, Constant) else None
    if isinstance(number, (int, float)) and _overflows(number) and kind in HALF:
        message = f"{number:g} does not fit into float16: raises"
        remedy = "write float('-inf'), or torch.finfo(torch.float16).min"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)


@rule.event("torch.sum", "torch.Tensor.sum")
def in_total(event: Called, source: Source) -> Iterator[Hit]:
    """`x.half().sum()`: of all numbers, kept in float16."""
    held = find_operand(event)
    told = (
        event.open
        or len(event.positional) > 1
        or not {"dim", "axis", "dtype"}.isdisjoint(event.keyword)
    )
    if held is None or told or source.is_test or is_for_gradients(event, source):
        return
    if is_half(held, source) and not source.evaluation.find_half(held):  # autocast sums in float32
        message = "a sum over everything that stays in float16 is inf above 65504"
        yield Hit(event, message, remedy="write sum(dtype=torch.float32), or mean()")


def is_for_gradients(event: Called, source: Source) -> bool:
    """Whether only backward() is called on it: the gradient of an inf is the same."""
    users = source.evaluation.ways.find_users(event.result)
    return bool(users) and all(
        isinstance(each, Called) and each.name == "torch.Tensor.backward" for each in users
    )


def is_half(value: Value, source: Source, depth: int = 0) -> bool:
    """Whether it is surely float16: `x.half()`, `x.to(torch.float16)`, and what is made of that."""
    if depth > DEEPEST:
        return False
    if source.evaluation.find_half(value):
        return source.evaluation.find_half(value) == "float16"
    if isinstance(value, Tensor) and value.dtype is not None:
        return value.dtype == "float16"
    if isinstance(value, Tensor) and value.arms:
        return all(is_half(each, source, depth + 1) for each in value.arms)
    ways = source.evaluation.ways
    called = ways.find_unknown_maker(value)
    if called is not None and called.method in CONVERTS:
        given = (*called.given.positional, *called.given.keyword.values())
        return called.method == "half" or any(each in HALF for each in given)
    made = ways.find_maker(value)
    if isinstance(made, (Combined, Called)) and _is_widened(made, source):
        return False
    if isinstance(made, Combined):
        sides = [each for each in (made.left, made.right) if not is_number(each)]
        return bool(sides) and all(is_half(each, source, depth + 1) for each in sides)
    event = called or made
    if event is None or name_operation(event) not in KEEPS:
        return False
    inner = find_operand(event)
    return inner is not None and is_half(inner, source, depth + 1)


def _is_widened(event: Combined | Called, source: Source) -> bool:
    """Whether it is given what autocast has lowered, and gives float32 there: `conv(x) ** 2`."""
    given = (event.left, event.right) if isinstance(event, Combined) else (find_operand(event),)
    lowered = any(each is not None and source.evaluation.find_half(each) for each in given)
    return lowered and name_operation(event) in WIDENED


def _take_bound(
    event: Called | UnknownCalled, name: str, number: float, source: Source
) -> Fix | None:
    """`torch.finfo(x.dtype).min` for the number, where both are written there."""
    call = source.call_at(event)
    func = call.func if call is not None else None
    tensor = func.value if isinstance(func, cst.Attribute) else None
    if call is None or not isinstance(tensor, cst.Name):
        return None
    names = (("value",), ("mask", "value"), ("dim", "index", "value"))[FILLS[name]]
    given = source.arguments(call, *names).get("value")
    spelled = source.spell("torch.finfo", call)
    if given is None or literal(given) != number or not spelled:
        return None
    bound = "min" if number < 0 else "max"
    edit = source.replace(given, f"{spelled}({tensor.value}.dtype).{bound}")
    return Fix(f"take the {bound}imum of the dtype", (edit,), Applicability.UNSAFE)


@rule.trace(*ADDED, *CLAMPED)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """The constant that met a float16 tensor, and no other tensor that could widen it."""
    if event.dtypes != ("float16",):
        return
    name = "other" if event.name in ADDED else "min"
    value = event.args.get(name)
    if not isinstance(value, float) or not value:
        return
    met = f"met float16 of shape {list(event.inputs[0])} in {event.name.rpartition('.')[2]}"
    if abs(value) < SMALLEST:
        yield Hit(event, f"{value} {met}, where it is 0")
    elif _overflows(value) and name == "other":
        yield Hit(event, f"{value} {met}, where it is infinite")


def _overflows(number: float) -> bool:
    return LARGEST < abs(number) < float("inf")
