"""How tests came out along a path: the same test comes out the same way again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import libcst as cst

from lintorch.syntax.literals import UNKNOWN, literal


@dataclass(frozen=True, order=True)
class Condition:
    """A test on a path, as text, and how it came out."""

    test: str
    holds: bool


Conditions = frozenset[Condition]
Word = Callable[[cst.CSTNode], str]
"""The text of an expression."""

_CHANCE = re.compile(r"rand|next\(|pop\(|bernoulli|choice", re.I)
"""Tests that may come out otherwise when they are asked again."""
_GIVEN = re.compile(r"""^(\d[\d.e+-]*|"[^"]+"|'[^']+')$""")


def decide_test(test: cst.BaseExpression, known: Conditions, word: Word) -> bool | None:
    """How a test must come out after these conditions; None where both ways are open."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = decide_test(test.expression, known, word)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):
        sides = (decide_test(test.left, known, word), decide_test(test.right, known, word))
        decisive = not isinstance(test.operator, cst.And)
        if decisive in sides:
            return decisive
        if None not in sides:
            return not decisive
    key, way = _key(test, word)
    holds = _constant(key)
    if holds is None:
        holds = next((each.holds for each in known if each.test == key), None)
    if holds is None and " == " in key:
        start = key.split(" == ")[0] + " == "
        if any(each.holds and each.test.startswith(start) for each in known):
            holds = False
    return None if holds is None else holds is way


def assume_outcome(
    test: cst.BaseExpression, known: Conditions, came: bool, word: Word
) -> Conditions:
    """The conditions once a test came out so."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return assume_outcome(test.expression, known, not came, word)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) is came:
        left = assume_outcome(test.left, known, came, word)
        return assume_outcome(test.right, left, came, word)
    key, way = _key(test, word)
    if _CHANCE.search(key):
        return known
    return known | {Condition(key, came is way)}


def mention_of(names: Iterable[str]) -> re.Pattern[str]:
    """Finds these names, one at least, in the text of an expression."""
    words = "|".join(re.escape(name) for name in names)
    return re.compile(rf"(?<![\w.])({words})\b")


def _key(test: cst.BaseExpression, word: Word) -> tuple[str, bool]:
    """A test and its opposite have one key; the second value says which of the two it is.

    `x is not None` counts as `x`: of what is handed about in training, few are empty or zero.
    """
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        compared = test.comparisons[0]
        left, right = word(test.left), word(compared.comparator)
        if isinstance(compared.operator, (cst.Is, cst.IsNot)) and right == "None":
            return left, isinstance(compared.operator, cst.IsNot)
        if isinstance(compared.operator, (cst.Equal, cst.NotEqual)):
            value = literal(compared.comparator)
            right = right if value is UNKNOWN else repr(value)
            return f"{left} == {right}", isinstance(compared.operator, cst.Equal)
    return word(test), True


def _constant(key: str) -> bool | None:
    """What a test of something written out is; of a number or text, whether it is given."""
    if key in ("True", "False", "None", "0"):
        return key == "True"
    return True if _GIVEN.match(key) else None
