"""LT515: fractions of a random_split that do not add up to 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.split_lengths import SPLIT, find_lengths, list_lengths
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT515",
    summary="fractions of a split that do not add up to 1",
    why="""
        `random_split` takes counts that add up to the length of the dataset, or, since torch 1.13,
        fractions that add up to 1. Others raise ValueError, of a sum of lengths: it takes them for
        counts. Nothing can be left over, so a split that needs less has one part more.
        Measured on torch 2.13.
    """,
    bad="""
        from torch.utils.data import random_split


        def split(data):
            train, test = random_split(data, [0.7, 0.2])
            return train, test
    """,
    good="""
        from torch.utils.data import random_split


        def split(data):
            train, test, _ = random_split(data, [0.7, 0.2, 0.1])
            return train, test
    """,
    proof="""
        assert [len(part) for part in split(range(10))] == [7, 2]
    """,
    severity=Severity.ERROR,
    remedy="let the fractions add up to 1, with a part for what is left over",
    formerly=("LT501", "loader-arguments"),
)


@rule.event(SPLIT)
def in_splits(event: Called, source: Source) -> Iterator[Hit]:
    call, lengths = source.call_at(event), list_lengths(event)
    numbers = [each.value for each in lengths if isinstance(each, Constant)]
    if len(numbers) < len(lengths) or not are_fractions(numbers):
        return
    total = sum(numbers)
    if math.isclose(total, 1) or source.profile.torch < (1, 13) or is_tentative(call, source):
        return
    message = f"fractions that add up to {total:.6g} and not to 1: ValueError"
    yield Hit(find_lengths(call) or event, message)


def are_fractions(numbers: list[object]) -> bool:
    """Whether all are numbers up to 1, and not all of them counts."""
    small = all(
        isinstance(each, (int, float)) and type(each) is not bool and each <= 1 for each in numbers
    )
    return small and any(isinstance(each, float) for each in numbers)
