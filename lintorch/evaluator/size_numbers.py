"""What a size is at given values of its symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod

from lintorch.evaluator.sizes import Atom, Dim, Symbol

_COMPUTED: dict[str, Callable[..., int]] = {
    "//": lambda left, right: left // right,
    "%": lambda left, right: left % right,
    "max": max,
    "min": min,
}


def compute_size(size: Dim, values: Mapping[str, int]) -> int | None:
    """A size where its symbols, by name, have these values; None where it comes from something unknown.

    Raises ZeroDivisionError where it divides by what is 0 there.
    """
    if isinstance(size, int):
        return size
    total = 0
    for product, factor in size.terms:
        parts = [_compute_atom(atom, values) for atom in product]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        total += factor * prod(known)
    return total


def _compute_atom(atom: Atom, values: Mapping[str, int]) -> int | None:
    if isinstance(atom, Symbol):
        return values.get(atom.name)
    operands = [compute_size(each, values) for each in atom.operands]
    known = [each for each in operands if each is not None]
    compute = _COMPUTED.get(atom.kind)
    return None if compute is None or len(known) < len(operands) else compute(*known)
