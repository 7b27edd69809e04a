"""Fixes what was found, file by file, looking again after each round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from lintorch.core.dispatch import describe_defect
from lintorch.core.finding import Finding
from lintorch.core.merge import merge_findings
from lintorch.files import FileText, NotWritten, is_notebook
from lintorch.fix.fix_rounds import Check, settle
from lintorch.report.result import Repaired
from lintorch.run.check_files import CheckedFiles
from lintorch.run.demote_fixes import demote_fixes
from lintorch.run.importers import Importers
from lintorch.run.lint_file import lint_text
from lintorch.run.request import CheckRequest, Choose, Rewritten
from lintorch.run.scope import Scope
from lintorch.run.suppress_findings import suppress_by_comments
from lintorch.syntax.deep_stack import call_deeply


@dataclass(frozen=True)
class FixedFiles:
    """What fixing makes of each file that it changes, and what did not work."""

    rewritten: tuple[Rewritten, ...] = ()
    errors: tuple[str, ...] = ()


def fix_files(
    seen: CheckedFiles, scope: Scope, request: CheckRequest, choose: Choose | None = None
) -> FixedFiles:
    """Fix what a look has found, as far as `request.fixes` goes, and `choose`; writes nothing."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in seen.standing:
        found[finding.place.path].append(finding)
    importers = Importers(scope)
    rewritten, errors = [], []
    for path, findings in found.items():
        if path not in seen.texts or not any(_may_go_in(f, request) for f in findings):
            continue
        if path in seen.changed:
            errors.append(f"{path}: changed while models ran; nothing was written to it")
            continue
        before = seen.texts[path].text
        check = _make_check(path, before, findings, seen, scope, request, importers)
        if choose is not None:
            check = _choose_after(check, path, choose)
        taken = partial(importers.names_taken, path)
        mending = partial(settle, before, check, request.fixes, path=path, taken=taken)
        try:
            settled = call_deeply(mending)
        except Exception as error:  # whatever goes wrong with one file, the others are mended
            errors.append(
                f"{path}: lintorch failed to fix it and left it as it was: {describe_defect(error)}"
            )
            continue
        for code in settled.unsettled:
            name = scope.catalog.names.get(code, code)
            errors.append(f"{path}: the fixes of {code} ({name}) do not settle and were left out")
        if settled.text != before:
            repaired = Repaired(path, settled.applied, settled.imports)
            try:
                cells = _list_changed(seen.texts[path], settled.text)
            except NotWritten as error:
                errors.append(str(error))
                continue
            rewritten.append(Rewritten(path, before, settled.text, repaired, cells))
    return FixedFiles(tuple(rewritten), tuple(errors))


def _list_changed(text: FileText, after: str) -> tuple[tuple[int, str, str], ...]:
    """The cells of a notebook that a fix changes. Raises NotWritten where it spans several."""
    if not is_notebook(text.path):
        return ()
    from lintorch.files.notebook_text import NotebookText

    if not isinstance(text, NotebookText):
        return ()
    both = zip(text.cells, text.split_cells(after), strict=True)
    return tuple((cell.number, cell.source, new) for cell, new in both if new != cell.source)


def _choose_after(check: Check, path: str, choose: Choose) -> Check:
    return lambda text: choose(path, text, check(text))


def _may_go_in(finding: Finding, request: CheckRequest) -> bool:
    return finding.fix is not None and finding.fix.applicability in request.fixes


def _make_check(
    path: str,
    before: str,
    found: list[Finding],
    seen: CheckedFiles,
    scope: Scope,
    request: CheckRequest,
    importers: Importers,
) -> Callable[[str], Iterable[Finding]]:
    """Findings of a text between rounds; of the text as it was, those that are known."""
    task = seen.tasks.get(path) or scope.make_task(path)
    left_out = (*seen.withdrawn, *seen.known)
    withdrawn = {_line_of_finding(f, before) for f in left_out if f.place.path == path}

    def check(text: str) -> Iterable[Finding]:
        if text == before:
            return found
        standing = merge_findings(lint_text(task, text).findings).standing
        standing = tuple(f for f in standing if _line_of_finding(f, text) not in withdrawn)
        heeded = suppress_by_comments(text, path, standing, scope, request, seen.withdrawn)
        return list(demote_fixes(heeded, text, scope, importers))

    return check


def _line_of_finding(finding: Finding, text: str) -> tuple[str, str]:
    """A finding's code and its line as it reads, which stays when lines move."""
    lines = text.splitlines()
    row = finding.place.row
    return finding.code, lines[row - 1].strip() if row <= len(lines) else ""
