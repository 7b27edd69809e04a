"""Which findings a baseline knows, and which of its entries are of use no more."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace

from lintorch.baseline import Entry, match_entries, read_baseline
from lintorch.core.finding import Evidence, Finding
from lintorch.report.places import shown_path
from lintorch.run.check_files import CheckedFiles
from lintorch.run.request import CheckRequest
from lintorch.run.scope import Scope

_MOST_NAMED = 5
"""Entries that a line names, at most, so that it can be read."""


def leave_out(seen: CheckedFiles, known: Iterable[Finding], notes: Iterable[str]) -> CheckedFiles:
    """The same without these findings, which fixing does not touch either."""
    told = {id(finding) for finding in known}
    return replace(
        seen,
        standing=tuple(f for f in seen.standing if id(f) not in told),
        unasked=tuple(f for f in seen.unasked if id(f) not in told),
        known=(*seen.known, *(f for f in seen.standing if id(f) in told)),
        notes=(*seen.notes, *notes),
    )


def name_from(folder: str) -> _NameFrom:
    """How entries of a baseline in this folder name files."""
    return _NameFrom(os.path.realpath(folder))


class _NameFrom:
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, path: str) -> str:
        return os.path.relpath(os.path.realpath(path), self._folder).replace(os.sep, "/")


def find_gone(
    left: Iterable[Entry], seen: CheckedFiles, folder: str, request: CheckRequest, scope: Scope
) -> Iterator[Entry]:
    """Entries whose finding this run would have made if it still were one."""
    kinds = {Evidence.SOURCE}
    kinds |= {Evidence.TRACE} if request.runs_models else set()
    kinds |= {Evidence.EXPORT} if request.models.exporters else set()
    name = name_from(folder)
    checked = {name(path): path for path in seen.paths}
    for entry in left:
        path = checked.get(entry.file)
        if path is None:
            if not os.path.exists(os.path.join(folder, entry.file)):
                yield entry
        elif entry.evidence in kinds and entry.code in scope.codes_of(path):
            yield entry


def leave_out_baseline(
    seen: CheckedFiles, file: str, request: CheckRequest, scope: Scope
) -> CheckedFiles:
    """What was seen without what the file knows, which is told in a note. Raises BaselineError."""
    folder = os.path.dirname(os.path.abspath(file))
    known, left = match_known(seen, read_baseline(file), folder)
    notes = [f"{_count(len(known), 'finding')} in the baseline {shown_path(file)}"] if known else []
    gone = list(find_gone(left, seen, folder, request, scope))
    if gone:
        number = sum(entry.count for entry in gone)
        named = ", ".join(f"{entry.file} {entry.code}" for entry in gone[:_MOST_NAMED])
        more = ", …" if len(gone) > _MOST_NAMED else ""
        notes.append(
            f"{_count(number, 'finding')} of the baseline {'is' if number == 1 else 'are'} gone "
            f"({named}{more}): lintorch baseline --prune takes {'it' if number == 1 else 'them'} out"
        )
    return leave_out(seen, known, notes)


def match_known(
    seen: CheckedFiles, entries: Iterable[Entry], folder: str
) -> tuple[list[Finding], list[Entry]]:
    """The findings that entries know, and the entries that no finding answers, withdrawn ones included."""
    name = name_from(folder)
    return match_entries(
        (*seen.standing, *seen.unasked, *seen.withdrawn),
        {path: text.text for path, text in seen.texts.items()},
        name,
        entries,
        {name(path) for path in seen.paths},
        lambda inner: os.path.exists(os.path.join(folder, inner)),
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
