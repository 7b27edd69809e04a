"""How conditions came out on a way: the same one comes out the same way again."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from lintorch.evaluator.marks import Cell, Test


@dataclass(frozen=True, order=True)
class Answer:
    """A condition that was asked, how it came out, and the names it depends on."""

    key: str
    holds: bool
    cells: tuple[Cell, ...] = ()


Answers = frozenset[Answer]
_CHANCE = re.compile(r"rand|next|pop|bernoulli|choice", re.I)
"""Conditions that may come out otherwise when they are asked again."""
_GIVEN = re.compile(r"""^(\d[\d.e+-]*|"[^"]+"|'[^']+'|#\d+)$""")
"""Numbers, texts and objects, which count as true."""


def foresee_answer(test: Test, known: Answers) -> bool | None:
    """How a condition must come out after these; None where both is possible."""
    if test.kind == "not":
        inner = foresee_answer(test.parts[0], known)
        return None if inner is None else not inner
    if test.kind:
        sides = [foresee_answer(each, known) for each in test.parts]
        decisive = test.kind == "or"
        return decisive if decisive in sides else None if None in sides else not decisive
    holds = _holds_always(test.key)
    if holds is None:
        holds = next((each.holds for each in known if each.key == test.key), None)
    if holds is None and " == " in test.key:
        start = test.key.split(" == ")[0] + " == "
        if any(each.holds and each.key.startswith(start) for each in known):
            holds = False
    return None if holds is None else holds is test.way


def add_answer(test: Test, known: Answers, came: bool) -> Answers:
    """What is known once a condition came out so."""
    if test.kind == "not":
        return add_answer(test.parts[0], known, not came)
    if test.kind:
        if (test.kind == "and") is not came:
            return known
        for each in test.parts:
            known = add_answer(each, known, came)
        return known
    if _CHANCE.search(test.key):
        return known
    return known | {Answer(test.key, came is test.way, tuple(sorted(test.cells)))}


def forget_cells(known: Answers, cells: Collection[Cell]) -> Answers:
    """What is still known once names stand for something else."""
    if not known or not cells:
        return known
    return frozenset(each for each in known if not set(each.cells) & set(cells))


def _holds_always(key: str) -> bool | None:
    if key in ("True", "False", "None", "0"):
        return key == "True"
    return True if _GIVEN.match(key) else None
