"""Which words a long text may hold, without looking through it for each of the thousands that are known."""

from __future__ import annotations

import functools

_PIECE = 4


def may_hold(lowered: str, word: str) -> bool:
    """Whether a text with single blanks can hold a word or phrase: False where it certainly does not.

    All pieces of four letters of each of its words must stand in words of the text. A log of 3,000 lines
    has few words that differ, so that nearly all of what is known is ruled out by looking at those.
    """
    return _cut_phrase(word) <= _cut_text(lowered)


@functools.cache
def _cut_phrase(phrase: str) -> frozenset[str]:
    return frozenset(piece for word in phrase.split(" ") for piece in _cut_word(word))


@functools.lru_cache(maxsize=8)
def _cut_text(lowered: str) -> frozenset[str]:
    return frozenset(piece for word in set(lowered.split(" ")) for piece in _cut_word(word))


def _cut_word(word: str) -> list[str]:
    return [word[at : at + _PIECE] for at in range(len(word) - _PIECE + 1)]
