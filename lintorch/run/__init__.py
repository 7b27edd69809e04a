"""The order of work of one check."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lintorch.catalog import find_page_urls
from lintorch.core.causes import fold_findings, fold_old_files
from lintorch.core.copies import fold_copies
from lintorch.core.finding import Severity
from lintorch.files import NotWritten, write_file
from lintorch.report import FORMATS
from lintorch.report.formats import OutputFormat
from lintorch.report.result import Repaired, Result
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.given_files import GivenFiles, list_files
from lintorch.run.new_findings import keep_new
from lintorch.run.place_in_cells import list_cells, place_in_cells
from lintorch.run.request import Checked, CheckRequest, Choose, Progress, Rewritten, ignore_progress
from lintorch.run.scope import Scope

if TYPE_CHECKING:
    from lintorch.run.fix_files import FixedFiles

__all__ = [
    "CheckRequest",
    "Checked",
    "Choose",
    "Progress",
    "Rewritten",
    "check_and_fix",
    "ignore_progress",
    "list_checked",
]


def check_and_fix(
    request: CheckRequest, progress: Progress = ignore_progress, choose: Choose | None = None
) -> Checked:
    """Look, fix where asked, and look again at what fixing left.

    With `choose`, the fixes that it leaves go in, and each file is written before the next is asked about.

    Raises SettingsError, CatalogError, BaselineError or RepositoryError where nothing can be done; paths, files and
    models that are wrong are told of in the outcome.
    """
    scope = Scope(request)
    scope.codes_of(request.paths[0])  # what selects no rule is told even where there is no file
    checked = _check_and_fix(request, scope, progress, choose)
    return replace(checked, fail_on=Severity[(scope.main.fail_on or "note").upper()])


def list_checked(request: CheckRequest) -> GivenFiles:
    """The files that would be checked. Raises SettingsError or CatalogError."""
    return list_files(request, Scope(request))


def _check_and_fix(
    request: CheckRequest, scope: Scope, progress: Progress, choose: Choose | None
) -> Checked:
    seen = keep_new(check_files(request, scope, progress), request, scope, progress)
    if not request.tried_fixes:
        return Checked(
            _make_result(seen, request, scope), (*seen.errors, *seen.left_out), notes=seen.notes
        )
    from lintorch.run.fix_files import fix_files
    from lintorch.run.tell_proofs import tell_proofs

    if choose is not None:
        return _fix_chosen(seen, request, scope, progress, choose)
    mended = fix_files(seen, scope, request, progress)
    errors = (*seen.errors, *mended.errors)
    before = {path: seen.texts[path].text for path in mended.proven}
    seen = tell_proofs(seen, mended.proven, before, scope)
    if request.diff or not mended.rewritten:
        return Checked(
            _make_result(seen, request, scope),
            (*errors, *seen.left_out),
            mended.rewritten,
            seen.notes,
        )
    repaired, kept = _write_files(mended, seen, request)
    done = Checked(Result(repaired=repaired), (*errors, *kept), mended.rewritten, seen.notes)
    again = _take_fixed_text(request, mended)
    tell = partial(tell_proofs, proven=mended.proven, before=before, scope=scope)
    return _look_again(done, again, scope, progress, tell)


def _fix_chosen(
    seen: CheckedFiles, request: CheckRequest, scope: Scope, progress: Progress, choose: Choose
) -> Checked:
    """Fix what is chosen, and write each file before anything of the next is asked."""
    from lintorch.run.fix_files import fix_files

    repaired: list[Repaired] = []
    rewritten: list[Rewritten] = []
    errors = [*seen.errors]
    for path in dict.fromkeys(finding.place.path for finding in seen.standing):
        own = replace(seen, standing=tuple(f for f in seen.standing if f.place.path == path))
        mended = fix_files(own, scope, request, progress, choose)
        written, kept = _write_files(mended, own, request)
        repaired += written
        rewritten += mended.rewritten
        errors += *mended.errors, *kept
    done = Checked(Result(repaired=tuple(repaired)), tuple(errors), tuple(rewritten), seen.notes)
    return _look_again(done, request, scope, progress)


def _look_again(
    done: Checked,
    request: CheckRequest,
    scope: Scope,
    progress: Progress,
    tell: Callable[[CheckedFiles], CheckedFiles] = lambda left: left,
) -> Checked:
    """What fixing left, with what was done; `tell` adds what came of verifying."""
    left = tell(keep_new(check_files(request, scope, progress), request, scope, progress))
    result = replace(_make_result(left, request, scope), repaired=done.result.repaired)
    told = dict.fromkeys((*done.errors, *left.errors, *left.left_out))
    return replace(done, result=result, errors=tuple(told))


def _write_files(
    mended: FixedFiles, seen: CheckedFiles, request: CheckRequest
) -> tuple[tuple[Repaired, ...], tuple[str, ...]]:
    """Write the files: what was mended in those written, and a line for each that could not be."""
    repaired: list[Repaired] = []
    errors: list[str] = []
    for file in mended.rewritten:
        try:
            if request.text is None:
                write_file(seen.texts[file.path], file.after)
            repaired.append(file.repaired)
        except NotWritten as error:
            errors.append(str(error))
    return tuple(repaired), tuple(errors)


def _take_fixed_text(request: CheckRequest, mended: FixedFiles) -> CheckRequest:
    return request if request.text is None else replace(request, text=mended.rewritten[0].after)


def _make_result(seen: CheckedFiles, request: CheckRequest, scope: Scope) -> Result:
    texts = {path: text.text for path, text in seen.texts.items()}
    catalog, found = scope.catalog, {finding.code for finding in seen.standing}
    cards = [card for code, card in catalog.cards.items() if code in found]
    forms = [FORMATS[name] for name in (request.output_format, *(n for n, _ in request.reports))]
    standing = fold_old_files(fold_findings(seen.standing, texts))
    told = all(form.has_summary for form in forms)  # tools mark each copy where it stands
    if told and not request.statistics:
        standing = fold_copies(standing, texts)
    return Result(
        findings=place_in_cells(standing, seen.texts),
        withdrawn=place_in_cells(seen.withdrawn, seen.texts),
        texts=texts,
        cells=list_cells(seen.texts),
        show_refuted=request.show_refuted,
        files=seen.files,
        notebooks=seen.notebooks,
        whole=not seen.errors,
        models=seen.models,
        unsafe=request.unsafe_fixes,
        quiet=request.quiet,
        advice=len(seen.unasked),
        urls=find_page_urls(cards) if _tells_pages(forms) else {},  # to read them takes 20 ms
        rules={card.code: catalog.rules[card.code] for card in cards}
        if any(form.tells_rules for form in forms)
        else {},
    )


def _tells_pages(forms: Iterable[OutputFormat]) -> bool:
    """Whether a report names the pages of rules: those for people name the command."""
    return any(form.tells_rules or not form.has_summary for form in forms)
