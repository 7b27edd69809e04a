"""LT515: fractions of a random_split that do not add up to 1."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.values import Constant, Value
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
        counts. Nothing can be left over, so a split that needs less has one part more. Counts that are
        each rounded down, `[int(0.8 * n), int(0.2 * n)]`, add up to n where n is a multiple of 5, and
        raise elsewhere.
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


@rule.event(SPLIT)
def in_rounded(event: Called, source: Source) -> Iterator[Hit]:
    """`[int(0.8 * n), int(0.2 * n)]`."""
    lengths = list_lengths(event)
    shares = [find_share(each, source) for each in lengths]
    known = [each for each in shares if each is not None]
    whole = len({name for _, name in known}) == 1 and math.isclose(sum(s for s, _ in known), 1)
    call = source.call_at(event)
    if not lengths or len(known) < len(lengths) or not whole or is_tentative(call, source):
        return
    name = known[0][1]
    message = f"each count is rounded down: where their sum is not {name}, ValueError"
    fractions = [share for share, _ in known]
    remedy = f"take what is left over for the last, or give the fractions: {fractions}"
    yield Hit(find_lengths(call) or event, message, remedy=remedy)


def find_share(length: Value, source: Source) -> tuple[float, str] | None:
    """The fraction, and of what, as it is written: `int(0.8 * n)`."""
    made = source.evaluation.ways.find_maker(length)
    if not isinstance(made, Called) or made.name != "int" or not made.positional:
        return None
    node = made.node
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else None
    if not isinstance(inner, ast.BinOp) or not isinstance(inner.op, ast.Mult):
        return None
    product = source.evaluation.ways.find_maker(made.positional[0])
    if not isinstance(product, Combined):
        return None
    for share, other in ((product.left, inner.right), (product.right, inner.left)):
        number = share.value if isinstance(share, Constant) else None
        if isinstance(number, float):
            return number, ast.unparse(other)
    return None


def are_fractions(numbers: list[object]) -> bool:
    """Whether all are numbers up to 1, and not all of them counts."""
    small = all(
        isinstance(each, (int, float)) and type(each) is not bool and each <= 1 for each in numbers
    )
    return small and any(isinstance(each, float) for each in numbers)
