"""Tensors that no input has a part in: the legacy exporter works them out before it translates anything.

Measured on torch 2.13: `torch.atanh(torch.linspace(0, 0.5, 2))` is a constant of the file, as is
what comes of a tensor kept in a plain attribute or in a buffer that is not saved; of any other
buffer or a parameter it is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import (
    UNSAVED,
    Choice,
    Held,
    Items,
    Number,
    Tensor,
    Unknown,
    Value,
)

_DEEPEST = 8
_DRAWS = ("rand", "normal", "bernoulli", "multinomial", "poisson", "dropout")
_KEPT = ("parameter", "buffer", "input")


class KnowsMakers(Protocol):
    """What knows which operation gave a value."""

    def find_maker(self, value: Value | None) -> Occurrence | None:
        """That operation, if any was seen."""


def are_folded(values: Iterable[Value], ways: KnowsMakers, deep: int = 0) -> bool:
    """Whether all tensors among these are worked out before the exporter translates, and there is one."""
    tensors = [each for each in values if isinstance(each, Tensor)]
    return bool(tensors) and all(_is_folded(each, ways, deep) for each in tensors)


def _is_folded(tensor: Tensor, ways: KnowsMakers, deep: int) -> bool:
    fixed = tensor.shape is not None and not any(varies(size) for size in tensor.shape)
    if deep > _DEEPEST or tensor.data is not False or not fixed:
        return False
    if tensor.origin == "constant" or f"{UNSAVED} {tensor.name}" in tensor.memory:
        return True
    if tensor.origin in _KEPT:
        return False
    made = ways.find_maker(tensor)
    if isinstance(made, Combined):
        return _are_plain((made.left, made.right), ways, deep)
    if not isinstance(made, Called) or any(word in made.name for word in _DRAWS):
        return False
    return made.name.startswith("torch.") and _are_plain(
        (*made.positional, *made.keyword.values()), ways, deep
    )


def _are_plain(values: Iterable[Value], ways: KnowsMakers, deep: int) -> bool:
    """Whether none of these comes from an input, a size that varies or a weight."""
    for each in values:
        if isinstance(each, Tensor) and not _is_folded(each, ways, deep + 1):
            return False
        if isinstance(each, Number) and (each.data or each.varies is not False):
            return False
        if isinstance(each, Items) and not _are_plain(each.items or (each.each,), ways, deep):
            return False
        if isinstance(each, (Held, Unknown, Choice)):
            return False
    return True
