"""Tensors that old constructors make for sizes: `x.new(b, h)`, `torch.FloatTensor(x.size())`."""

from __future__ import annotations

from collections.abc import Sequence

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Items, Number, Value

NEW = "torch.Tensor.new"
KINDS = (
    "torch.Tensor", "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor", "torch.LongTensor",
    "torch.IntTensor", "torch.ByteTensor", "torch.BoolTensor", NEW,
)  # fmt: skip
"""The constructors."""
KEPT = dict.fromkeys(("onnx-legacy", "torchscript-trace"), Harm.FAILS)
"""Of several sizes: a tracer keeps those of the example. Measured on torch 2.13."""
NO_COUNT = dict.fromkeys(KEPT, Harm.REFUSED)
"""Of a single one, which is a tensor to a tracer; torch.Tensor takes it."""


def read_sizes(event: Called) -> Sequence[Value]:
    """The sizes that it is made for, where nothing else is given; none where it is made of numbers."""
    given = event.positional[1:] if event.name == NEW else event.positional
    if event.keyword or event.open:
        return ()
    if len(given) == 1 and isinstance(given[0], Items) and given[0].kind == "Size":
        return given[0].items or ()
    plain = all(isinstance(each, Number | Constant) for each in given)
    return given if plain else ()


def harm_of_sizes(event: Called, sizes: Sequence[Value]) -> dict[str, Harm] | None:
    """What becomes of it where one of its sizes varies; None where that is told elsewhere, or harmless."""
    if not any(isinstance(each, Number) and each.varies for each in sizes):
        return None
    single = len(sizes) == 1 and isinstance(event.positional[-1], Number)
    return (NO_COUNT if event.name == NEW else None) if single else KEPT


def say_instead(event: Called) -> str:
    """What to write."""
    if event.name == NEW:
        return "write x.new_empty(...), or x.new_zeros(...)"
    return "write torch.empty(..., dtype=...)"
