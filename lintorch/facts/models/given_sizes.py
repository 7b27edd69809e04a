"""The numbers that an operator is given, alone or in lists, and whether a size that varies is among them."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.evaluator.values import Items, Number, Value


def list_numbers(value: Value | None) -> Iterator[Number]:
    """The numbers in a value, or in the lists and tuples that it holds."""
    if isinstance(value, Number) and not value.data:
        yield value
    for each in (value.items or ()) if isinstance(value, Items) else ():
        yield from list_numbers(each)


def holds_open_size(value: Value | None) -> bool:
    """Whether a value is, or holds, a number that varies with the sizes of the input."""
    return any(each.varies for each in list_numbers(value))
