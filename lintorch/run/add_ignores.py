"""Writes a suppression on the line of every finding, so that only what comes later is told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lintorch.core.codes import BLANKET_SUPPRESSION, MALFORMED_SUPPRESSION, UNUSED_SUPPRESSION
from lintorch.core.finding import Finding
from lintorch.files import FileText, NotWritten, write_file
from lintorch.fix.apply_edits import apply_edits
from lintorch.report.places import write_location
from lintorch.run.check_files import check_files
from lintorch.run.new_findings import keep_new
from lintorch.run.place_in_cells import place_in_cells
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope
from lintorch.run.suppress_findings import suppress_by_comments
from lintorch.suppress import add_comments

_OF_COMMENTS = (UNUSED_SUPPRESSION, MALFORMED_SUPPRESSION, BLANKET_SUPPRESSION)
"""What is said of suppressions themselves, and goes when these are mended."""


@dataclass(frozen=True)
class AddedIgnores:
    """How many findings are suppressed now, in how many files; a line for what could not be."""

    findings: int
    files: int
    notes: tuple[str, ...]
    errors: tuple[str, ...]


def add_ignores(request: CheckRequest, progress: Progress) -> AddedIgnores:
    """Look, and write comments into the files. Raises what `check_and_fix` raises."""
    scope = Scope(request)
    seen = keep_new(check_files(request, scope, progress), request, scope, progress)
    by_path: dict[str, list[Finding]] = defaultdict(list)
    for finding in seen.standing:
        by_path[finding.place.path].append(finding)
    added, files = 0, 0
    notes, errors = [*seen.notes], [*seen.errors, *seen.left_out]
    for path, found in by_path.items():
        text = None if path in seen.changed else seen.texts.get(path)
        if text is None:
            notes += _tell_left(found, seen.texts)
            continue
        after, left = _silence(text, found, scope, request)
        notes += _tell_left(left, seen.texts)
        try:
            if after != text.text:
                write_file(text, after)
                files += 1
                added += len(found) - len(left)
        except NotWritten as error:
            errors.append(str(error))
    return AddedIgnores(added, files, tuple(notes), tuple(errors))


def _silence(
    text: FileText, found: Sequence[Finding], scope: Scope, request: CheckRequest
) -> tuple[str, tuple[Finding, ...]]:
    """The text with suppressions, and the findings that none can silence."""
    left = tuple(each for each in found if each.code in _OF_COMMENTS)
    while True:
        wanted = [each for each in found if each not in left]
        after = apply_edits(text.text, add_comments(text.text, wanted))
        standing = suppress_by_comments(after, text.path, wanted, scope, request)
        loud = tuple(each for each in wanted if each in standing)
        if not loud:
            return after, left
        left += loud


def _tell_left(left: Sequence[Finding], texts: Mapping[str, FileText]) -> Iterator[str]:
    for each in place_in_cells(left, texts):
        yield f"{write_location(each.place)}: {each.code} cannot be suppressed by a comment"
