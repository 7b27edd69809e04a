"""LT516: a count of a random_split that is a float."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, Number, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.split_lengths import SPLIT, find_length, list_lengths
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT516",
    summary="a count of a split that is a float",
    why="""
        `random_split` takes its lengths for counts where they add up to more than 1, and permutes
        as many numbers. `0.8 * len(data)` is a float, also where it is whole, as `len(data) / 2`
        is: TypeError. Measured on torch 2.13.

        Rounding each count by itself can lose a sample; the last one is what the others leave.
    """,
    bad="""
        from torch.utils.data import random_split


        def split(data):
            count = 0.8 * len(data)
            return random_split(data, [count, len(data) - count])
    """,
    good="""
        from torch.utils.data import random_split


        def split(data):
            count = int(0.8 * len(data))
            return random_split(data, [count, len(data) - count])
    """,
    proof="""
        assert [len(part) for part in split(range(10))] == [8, 2]
    """,
    severity=Severity.ERROR,
    remedy="wrap it in int(), and let the last count be what the others leave",
    formerly=("LT501", "loader-arguments"),
)


@rule.event(SPLIT)
def in_splits(event: Called, source: Source) -> Iterator[Hit]:
    call = source.call_at(event)
    lengths = list_lengths(event)
    if is_tentative(call, source):
        return
    counts = any(is_above_one(each) for each in lengths)
    for index, each in enumerate(lengths):
        if is_float(each, counts):
            yield Hit(find_length(call, index) or event, "a count that is a float: TypeError")
            return


def is_above_one(length: Value) -> bool:
    """Whether it surely is a count."""
    value = length.value if isinstance(length, Constant) else None
    return isinstance(value, (int, float)) and value > 1


def is_float(length: Value, counts: bool) -> bool:
    """Whether a length is a float that is worked out, or written among counts."""
    if isinstance(length, Number):
        return length.whole is False
    return counts and isinstance(length, Constant) and type(length.value) is float
