"""Finds those of some fixes that change nothing, by halves, from what models say of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from lintorch.run.proof_bench import Verdict

Key = TypeVar("Key")
TryKeys = Callable[[frozenset[Key], bool], tuple[Verdict, ...]]
"""What models make of these fixes alone, with trial exports or without."""


def sift_fixes(
    keys: Sequence[Key],
    try_keys: TryKeys[Key],
    good: frozenset[Key] = frozenset(),
    exporting: bool = True,
) -> tuple[frozenset[Key], dict[Key, tuple[Verdict, ...]]]:
    """Those of the keys that change nothing, with the good ones before them; and the others.

    Trial exports tell of a whole set of fixes; where numbers differ, they are not needed to find
    the one.
    """
    if not keys:
        return good, {}
    verdicts = try_keys(good | {*keys}, exporting)
    if not any_differs(verdicts):
        return good | {*keys}, {}
    if len(keys) == 1:
        return good, {keys[0]: verdicts}
    half = len(keys) // 2
    exporting = exporting and not any(v.changes or v.keys or v.broken for v in verdicts)
    good, first = sift_fixes(keys[:half], try_keys, good, exporting)
    good, last = sift_fixes(keys[half:], try_keys, good, exporting)
    return good, {**first, **last}


def any_differs(verdicts: Iterable[Verdict]) -> bool:
    """Whether anything is not as it was."""
    return any(each.differs for each in verdicts)


def pass_numbers(verdict: Verdict) -> Verdict:
    """The same, where nothing counts but what became of trial exports."""
    return replace(verdict, changes=(), keys=(), failure="")
