"""Operators that ask whether there is anything at all, given operands that data decide the size of.

torch.export cannot answer that, and refuses: `x[mask]` has no row where the mask is nowhere true.
Measured on torch 2.13. A convolution ahead of a norm answers for it, so norms of more than rows and
columns are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import Dim, is_counted
from lintorch.evaluator.values import FALSE, TRUE, Constant, Tensor, Value

_REFUSED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
_HOMES = ("torch", "torch.Tensor", "torch.nn.functional")
_NORMS = ("torch.nn.functional.batch_norm", "torch.nn.BatchNorm1d.forward")
_WHOLE = tuple(
    f"{home}.{name}"
    for name in ("roll", "logsumexp", "cummax", "cdist", "bilinear")
    for home in _HOMES
)
_PARTED = tuple(
    f"{home}.{name}" for name in ("chunk", "split", "unbind", "tensor_split") for home in _HOMES[:2]
)
_ATTENTION = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.MultiheadAttention.forward",
    "torch.nn.TransformerEncoderLayer.forward",
)
_RECURRENT = tuple(f"torch.nn.{name}.forward" for name in ("LSTM", "GRU", "RNN"))
_FED = ("input", "self", "tensor", "x1", "x2", "input1", "input2", "query", "key", "src")
ASKING = (*_NORMS, *_WHOLE, *_PARTED, *_ATTENTION, *_RECURRENT)
CHECKED = (
    *_NORMS,
    *_ATTENTION,
    *(f"{home}.{name}" for name in ("roll", "logsumexp") for home in _HOMES[:2]),
)
"""Those that torch.export takes behind `torch._check(n > 0)`."""


def weigh_counted(event: Called) -> dict[str, Harm]:
    """What becomes of `self.norm(x[mask])`; nothing where no operand is as large as data say."""
    given = event.arguments
    tensors = [each for name in _FED if isinstance(each := given.get(name), Tensor)]
    asked = (size for each in tensors for size in _list_asked(event, each.shape or ()))
    rows = any(each.rows is not None for each in tensors) and _asks_rows(event)
    return dict(_REFUSED) if rows or any(map(is_counted, asked)) else {}


def _asks_rows(event: Called) -> bool:
    """Whether it asks for the first axis, of an operand of which no more is known."""
    first = event.name in _PARTED and event.arguments.get("dim") == Constant(0)
    return first or event.name in (*_NORMS, *_WHOLE)


def _list_asked(event: Called, shape: tuple[Dim, ...]) -> Iterator[Dim]:
    """The sizes of an operand that are asked for."""
    given, rank = event.arguments, len(shape)
    if event.name in _WHOLE or (event.name in _NORMS and rank == 2):
        yield from shape
        return
    axis = _find_parted(given.get("dim")) if event.name in _PARTED else None
    if event.name in _ATTENTION[:1]:
        axis = -2
    elif event.name in (*_ATTENTION, *_RECURRENT):
        first = given.get("batch_first")
        weights = event.name == _ATTENTION[1] and given.get("need_weights") != FALSE
        axis = None if weights or first not in (TRUE, FALSE) else int(first == TRUE and rank == 3)
    if axis is not None and -rank <= axis < rank:
        yield shape[axis]


def _find_parted(dim: Value | None) -> int | None:
    return dim.value if isinstance(dim, Constant) and isinstance(dim.value, int) else None
