"""Puts nodes of a graph beside the operations of a model's source, both in the order in which they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lintorch.facts.models.module_steps import ModuleStep
from lintorch.facts.models.onnx_writes import HELPERS

_SAME, _FIRST, _AGAIN, _OPEN = 5.0, 3.0, 0.3, 0.2
"""A module met in both; a node that an operation is written as, its first or a further one; and one that it may be."""
_LEFT_NODE, _LEFT_STEP = -1.0, -0.6
_MOST_CELLS = 400_000


@dataclass(frozen=True)
class Item:
    """Of the source: an operation, or a module that is called there (`inner`: its possible names)."""

    step: ModuleStep
    inner: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Token:
    """Of the graph: a node's operator, or the name of a module whose nodes stand here."""

    operator: str
    inner: str = ""


def align(items: Sequence[Item], tokens: Sequence[Token]) -> list[int | None]:
    """For each token the number of its item, None where it has none; in order on both sides.

    The best sum over all ways to do so: more than one token may belong to one item. Of what is too
    long nothing is aligned.
    """
    if not items or len(items) * len(tokens) > _MOST_CELLS:
        return [None] * len(tokens)
    best = [0.0 + _LEFT_STEP * number for number in range(len(items) + 1)]
    choices: list[list[tuple[int, bool]]] = []
    before = [False] * (len(items) + 1)
    for token in tokens:
        row: list[float] = []
        chosen: list[tuple[int, bool]] = []
        used: list[bool] = []
        for number in range(len(items) + 1):
            left = best[number] + _weigh_left(token)
            value, how = left, (number, False)
            if number:
                fit = _weigh(items[number - 1], token, first=True)
                if fit and best[number - 1] + fit > value:
                    value, how = best[number - 1] + fit, (number - 1, True)
                again = _weigh(items[number - 1], token, first=False)
                if again and before[number] and best[number] + again > value:
                    value, how = best[number] + again, (number, True)
                skipped = row[number - 1] + _LEFT_STEP
                if skipped > value:
                    value, how = skipped, (-1, False)
            row.append(value)
            chosen.append(how)
            used.append(how[1] or (how == (number, False) and before[number]))
        choices.append(chosen)
        best, before = row, used
    return _walk_back(
        choices, max(range(len(best)), key=lambda n: best[n] + _LEFT_STEP * (len(items) - n))
    )


def _walk_back(choices: Sequence[Sequence[tuple[int, bool]]], number: int) -> list[int | None]:
    found: list[int | None] = []
    for row in reversed(choices):
        while row[number][0] < 0:
            number -= 1
        came, taken = row[number]
        found.append(number - 1 if taken else None)
        number = came
    return found[::-1]


def _weigh_left(token: Token) -> float:
    if token.inner:
        return _LEFT_NODE
    return 0.0 if token.operator in HELPERS else _LEFT_NODE


def _weigh(item: Item, token: Token, first: bool) -> float:
    """What it is worth to say that one is the other; 0 where it cannot be."""
    if token.inner or item.inner:
        same = token.inner in item.inner
        return (_SAME if first else _AGAIN) if same else 0.0
    writes = item.step.writes
    if writes is None:
        return _OPEN
    if token.operator not in writes:
        return 0.0
    return _FIRST if first else _AGAIN
