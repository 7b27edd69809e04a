"""How tests came out along a path: the same test comes out the same way again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import libcst as cst

from lintorch.syntax.literals import UNKNOWN, literal

Facts = frozenset[tuple[str, bool]]
"""Tests, as text, and how they came out."""
Word = Callable[[cst.CSTNode], str]
"""The text of an expression."""

_CHANCE = re.compile(r"rand|next\(|pop\(|bernoulli|choice", re.I)
"""Tests that may come out otherwise when they are asked again."""
_GIVEN = re.compile(r"""^(\d[\d.e+-]*|"[^"]+"|'[^']+')$""")


def decide(test: cst.BaseExpression, facts: Facts, word: Word) -> bool | None:
    """How a test must come out after these facts; None where both ways are open."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = decide(test.expression, facts, word)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):
        sides = (decide(test.left, facts, word), decide(test.right, facts, word))
        decisive = not isinstance(test.operator, cst.And)
        if decisive in sides:
            return decisive
        if None not in sides:
            return not decisive
    key, way = _key(test, word)
    known = _constant(key)
    if known is None:
        known = dict(facts).get(key)
    if known is None and " == " in key:
        start = key.split(" == ")[0] + " == "
        if any(came and told.startswith(start) for told, came in facts):
            known = False
    return None if known is None else known is way


def assume(test: cst.BaseExpression, facts: Facts, came: bool, word: Word) -> Facts:
    """The facts once a test came out so."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return assume(test.expression, facts, not came, word)
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And) is came:
        return assume(test.right, assume(test.left, facts, came, word), came, word)
    key, way = _key(test, word)
    if _CHANCE.search(key):
        return facts
    return facts | {(key, came is way)}


def forget(facts: Facts, names: Iterable[str]) -> Facts:
    """The facts that say nothing of these names."""
    words = "|".join(re.escape(name) for name in names)
    if not words or not facts:
        return facts
    mentioned = re.compile(rf"(?<![\w.])({words})\b")
    return frozenset(fact for fact in facts if not mentioned.search(fact[0]))


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
