"""Looks for the fewest of some fixes after which the exports of a file's models are right, and no other is worse."""

from __future__ import annotations

from collections.abc import Callable

from lintorch.run.prove_together import FileKeys, JointProof

_MOST_ALONE = 12
"""Fixes that are each tried alone before all together are thinned out, at most."""


class FewestFixes:
    """`prove_others` gives the same fixes held against other exporters, which are made where they are needed."""

    def __init__(self, proof: JointProof, prove_others: Callable[[], JointProof]) -> None:
        self._proof, self._prove_others = proof, prove_others
        self.spoilt: dict[FileKeys, tuple[str, ...]] = {}
        """Fixes after which exports are right, and what became of those that are worse."""

    def find_fewest(self) -> FileKeys | None:
        """None where all fixes that change nothing are not enough, or make another export worse."""
        good = self._proof.find_harmless()
        if not good or not self._proof.is_exported(good):
            return None
        for key in sorted(good)[:_MOST_ALONE]:
            if len(good) > 1 and self._is_right(frozenset({key})):
                return frozenset({key})
        fewest = _thin_out(good, self._proof.is_exported)
        if self._spares_others(fewest):
            return fewest
        return _thin_out(good, self._is_right) if self._spares_others(good) else None

    def _is_right(self, keys: FileKeys) -> bool:
        return self._proof.is_exported(keys) and self._spares_others(keys)

    def _spares_others(self, keys: FileKeys) -> bool:
        """Whether each export that was right without these fixes still is."""
        worse = self._prove_others().list_worse(keys)
        if worse:
            self.spoilt[keys] = (*self._proof.list_words(keys), *worse)
        return not worse


def _thin_out(keys: FileKeys, is_enough: Callable[[FileKeys], bool]) -> FileKeys:
    """Without each that the others do without."""
    for key in sorted(keys):
        if len(keys) > 1 and is_enough(keys - {key}):
            keys -= {key}
    return keys
