"""Writes what is found now to a baseline."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lintorch.baseline import Entry, make_entries, read_baseline, write_baseline
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.known_findings import find_gone, match_known, name_from
from lintorch.run.request import BaselineRequest, Progress
from lintorch.run.scope import Scope

FILE = "lintorch-baseline.json"


@dataclass(frozen=True)
class MadeBaseline:
    """What became of a baseline. With `errors` nothing was written."""

    file: str
    entries: int = 0
    """Findings that it holds."""
    added: int = 0
    gone: int = 0
    named: str = ""
    """How settings name it."""
    is_set: bool = False
    """Whether they, or the command line, do."""
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def make_baseline(request: BaselineRequest, progress: Progress) -> MadeBaseline:
    """Look, and write what is found. Raises SettingsError, CatalogError or BaselineError."""
    scope = Scope(request)
    scope.codes_of(request.paths[0])
    root = scope.main.root
    file = scope.main.baseline or os.path.join(os.path.abspath(root), FILE)
    old = read_baseline(file) if request.prune or os.path.exists(file) else []
    seen = check_files(request, scope, progress)
    if errors := (*seen.errors, *seen.left_out):
        return MadeBaseline(file, notes=seen.notes, errors=errors)
    entries, added, gone = _bring_up_to_date(old, seen, file, request, scope)
    write_baseline(file, entries)
    return MadeBaseline(
        file,
        sum(entry.count for entry in entries),
        added,
        gone,
        os.path.relpath(file, os.path.abspath(root)).replace(os.sep, "/"),
        scope.main.baseline is not None,
        seen.notes,
    )


def _bring_up_to_date(
    old: Sequence[Entry],
    seen: CheckedFiles,
    file: str,
    request: BaselineRequest,
    scope: Scope,
) -> tuple[list[Entry], int, int]:
    """The entries, how many findings are new among them, and how many went.

    Those that stay are written as their finding stands now, which may have moved.
    """
    folder = os.path.dirname(os.path.abspath(file))
    known, left = match_known(seen, old, folder)
    told = {id(finding) for finding in known}
    gone = list(find_gone(left, seen, folder, request, scope))
    dropped = set(gone)
    kept = [entry for entry in left if entry not in dropped]
    new = [f for f in seen.standing if id(f) not in told] if not request.prune else []
    texts = {path: text.text for path, text in seen.texts.items()}
    entries = _join_counts([*make_entries([*known, *new], texts, name_from(folder)), *kept])
    return entries, len(new), sum(entry.count for entry in gone)


def _join_counts(entries: Sequence[Entry]) -> list[Entry]:
    counted: Counter[Entry] = Counter()
    for entry in entries:
        counted[replace(entry, count=1)] += entry.count
    return [replace(entry, count=count) for entry, count in counted.items()]
