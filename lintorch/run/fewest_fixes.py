"""Looks for the fewest of some fixes after which the exports of a file's models are right, and no other is worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lintorch.run.proof_bench import Verdict
from lintorch.run.prove_together import FileKey, FileKeys, JointProof

_NONE: FileKeys = frozenset()
_UNMADE = "no export came to its end"


class FewestFixes:
    """`others` are the exporters that may not come out worse."""

    def __init__(self, proof: JointProof, others: tuple[str, ...]) -> None:
        self._proof, self._others = proof, others
        self.spoilt: dict[FileKeys, tuple[str, ...]] = {}
        """Fixes that are not enough, or after which another export is worse; and what became of exports with them."""
        self.harmful: dict[FileKey, tuple[Verdict, ...]] = {}
        """Fixes after which models compute something else."""

    def find_fewest(self) -> FileKeys | None:
        """None where all fixes that change nothing are not enough, or make another export worse."""
        good, self.harmful = self._proof.sift_harmless()
        if not good:
            return None
        if not self._proof.is_exported(good):
            self.spoilt[good] = self._proof.list_words(good) or (_UNMADE,)
            return None
        fewest = find_needed(self._proof.is_exported, sorted(good))
        if self._spares_others(fewest):
            return fewest
        return find_needed(self._is_right, sorted(good)) if self._spares_others(good) else None

    def _is_right(self, keys: FileKeys) -> bool:
        return self._proof.is_exported(keys) and self._spares_others(keys)

    def _spares_others(self, keys: FileKeys) -> bool:
        """Whether each export that was right without these fixes still is."""
        if not self._others:
            return True
        worse = self._proof.list_worse(keys, self._others)
        if worse:
            self.spoilt[keys] = (*self._proof.list_words(keys), *worse)
        return not worse


def find_needed(
    is_enough: Callable[[FileKeys], bool], keys: Sequence[FileKey], beside: FileKeys = _NONE
) -> FileKeys:
    """Of the keys, which are enough with those `beside` them, some of which none can be left out.

    They are halved until one is left: few of many are found by few tries.
    """
    if len(keys) == 1:
        return frozenset(keys)
    half = len(keys) // 2
    first, last = keys[:half], keys[half:]
    if is_enough(beside | {*first}):
        return find_needed(is_enough, first, beside)
    if is_enough(beside | {*last}):
        return find_needed(is_enough, last, beside)
    ending = find_needed(is_enough, last, beside | {*first})
    return ending | find_needed(is_enough, first, beside | ending)
