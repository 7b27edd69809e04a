"""Fixes of lines in another file than the one whose models led there: a detector is shown that file, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from lintorch.core.finding import Applicability, Evidence, Hit, Place
from lintorch.core.rule import Detector, Yielded


class Abroad(Protocol):
    """What knows of other files."""

    @property
    def awaits_runs(self) -> bool:
        """Whether models are run as well, for which a fix may wait."""

    def place(self, node: Any) -> Place:
        """Where in the user's source a node stands."""

    def find_home(self, path: str) -> Abroad | None:
        """Another file, as the models of this one reach it; None of its own, and of what cannot be edited."""


def seeks_fixes(detector: Detector) -> bool:
    """Whether a detector of source may yield fixes."""
    return detector.evidence is Evidence.SOURCE


def lend_fixes(
    detector: Detector, node: Any, hits: Sequence[Yielded], subject: Abroad
) -> Iterator[Yielded]:
    """The hits, those at lines of another file with the fixes of that, and what waits there for a run.

    Nobody knows who else calls what stands there: no fix promises the same numbers.
    """
    for hit in hits:
        bare = isinstance(hit, Hit) and hit.fix is None
        home = _find_home(hit.node, subject) if isinstance(hit, Hit) and bare else None
        if home is None or not isinstance(hit, Hit):
            yield hit
            continue
        at = subject.place(hit.node)
        same = (each for each in _list_fixed(detector, node, home) if home.place(each.node) == at)
        yield replace(hit, fix=next((e.fix for e in same if e.message == hit.message), None))
    home = None if hits or not subject.awaits_runs else _find_home(node, subject)
    if home is not None and _waits_for_runs(detector):
        yield from (hit for hit in _list_fixed(detector, node, home) if hit.confirms)


def _find_home(node: Any, subject: Abroad) -> Abroad | None:
    path = getattr(getattr(node, "spot", node), "path", None)
    return subject.find_home(path) if isinstance(path, str) else None


def _waits_for_runs(detector: Detector) -> bool:
    return any(each.evidence is not Evidence.SOURCE for each in detector.rule.detectors)


def _list_fixed(detector: Detector, node: Any, home: Abroad) -> Iterator[Hit]:
    for hit in detector.detect(node, home):
        if isinstance(hit, Hit) and hit.fix is not None:
            safe = hit.fix.applicability is Applicability.SAFE
            fix = replace(hit.fix, applicability=Applicability.UNSAFE) if safe else hit.fix
            yield replace(hit, fix=fix)
