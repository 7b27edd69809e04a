"""The lengths that random_split is given: counts, or fractions of the dataset."""

from __future__ import annotations

import libcst as cst

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Items, Value
from lintorch.syntax.literals import arguments

SPLIT = "torch.utils.data.random_split"


def list_lengths(event: Called) -> tuple[Value, ...]:
    """The lengths by what they are worth; () where it is not known how many there are."""
    lengths = name_given(event).get("lengths")
    return lengths.items or () if isinstance(lengths, Items) else ()


def find_lengths(call: cst.Call | None) -> cst.BaseExpression | None:
    """Where the lengths stand in a call."""
    return arguments(call, "dataset", "lengths").get("lengths") if call is not None else None


def find_length(call: cst.Call | None, index: int) -> cst.BaseExpression | None:
    """Where one of them stands, or all where they are not written one by one."""
    found = find_lengths(call)
    if not isinstance(found, (cst.List, cst.Tuple)) or index >= len(found.elements):
        return found
    return found.elements[index].value
