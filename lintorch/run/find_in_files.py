"""What source says of files whose models were run, joined with what the runs said of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from lintorch.catalog import find_page_urls
from lintorch.core.causes import fold_findings
from lintorch.core.finding import Finding, Place
from lintorch.files import FileText, read_file
from lintorch.report.model_graph import Line
from lintorch.report.result import Result
from lintorch.run.check_files import join_tiers
from lintorch.run.file_texts import HeldTexts, hold_texts, reread_after_runs
from lintorch.run.lint_files import lint_files
from lintorch.run.place_in_cells import list_cells, place_in_cells
from lintorch.run.request import Progress, Request
from lintorch.run.scope import Scope
from lintorch.run.send_home import send_home

_MOST_ROWS = 50
"""Rows of a finding by which it is known that a model runs it."""


@dataclass(frozen=True)
class FilesFindings:
    """The findings in rows of modules, and a result that holds the same by cells of notebooks."""

    findings: tuple[Finding, ...] = ()
    result: Result = field(default_factory=Result)

    def choose_for(self, model: str, lines: frozenset[Line]) -> tuple[Finding, ...]:
        """Those that speak of a model, `file.py:Class`, or of a line that it runs; placed in cells."""
        about = (_is_about(finding, model, lines) for finding in self.findings)
        pairs = zip(self.result.findings, about, strict=True)
        return tuple(placed for placed, wanted in pairs if wanted)


def find_in_files(
    paths: Sequence[str],
    said: Iterable[Finding],
    shown: Iterable[str],
    request: Request,
    scope: Scope,
    progress: Progress,
) -> FilesFindings:
    """Lint files, and join what runs `said`; texts of the files `shown` are read besides.

    What runs say of a file that has changed since is left out. Raises SettingsError.
    """
    tasks = [scope.make_task(path) for path in paths]
    linted = lint_files(tasks, request, scope.main.root, {}, progress)
    held = hold_texts(tasks, send_home(linted, tasks), {})
    heard = [f for f in said if f.code in scope.codes_of(f.place.path)]
    texts, changed = reread_after_runs(held, heard)
    fresh = (f for f in heard if f.place.path not in changed)
    joined = join_tiers(tasks, HeldTexts(held.linted, texts), fresh, scope, request)
    every = {**_read_texts({*shown} - texts.keys()), **texts}
    plain = {path: text.text for path, text in every.items()}
    found = tuple(fold_findings(joined.standing, plain))
    codes = {finding.code for finding in found}
    cards = [card for code, card in scope.catalog.cards.items() if code in codes]
    return FilesFindings(
        found,
        Result(
            findings=place_in_cells(found, every),
            texts=plain,
            cells=list_cells(every),
            urls=find_page_urls(cards),
        ),
    )


def _read_texts(paths: Iterable[str]) -> Mapping[str, FileText]:
    read = {path: read_file(path) for path in sorted(paths)}
    return {path: text for path, text in read.items() if isinstance(text, FileText)}


def _is_about(finding: Finding, model: str, lines: frozenset[Line]) -> bool:
    told = {finding.model, *(note.model for note in finding.notes)}
    return model in told or any(
        line in lines for line in _list_rows((finding.place, *finding.also))
    )


def _list_rows(places: Iterable[Place]) -> Iterator[Line]:
    for place in places:
        last = min(max(place.row, place.end_row), place.row + _MOST_ROWS)
        yield from ((place.path, row) for row in range(place.row, last + 1))
