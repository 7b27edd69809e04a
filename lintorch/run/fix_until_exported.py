"""Looks for the fewest fixes after which the models of a file export right with one exporter."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from lintorch.core.codes import MODEL_NOT_BUILT, MODEL_STOPPED, SYNTAX_ERROR
from lintorch.core.finding import Evidence, Finding
from lintorch.core.profile import EXPORTERS, MEASURED
from lintorch.files import FileText, is_notebook, read_file
from lintorch.host.prove_models import FixedFile
from lintorch.report.places import shown_path
from lintorch.report.wording import write_message
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.entered_fixes import list_mendings
from lintorch.run.fewest_fixes import FewestFixes
from lintorch.run.mend_file import FileMending
from lintorch.run.proof_bench import ProofBench
from lintorch.run.prove_together import FileKeys, JointProof
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope


@dataclass(frozen=True)
class FixedText:
    """A file and what the fixes make of it."""

    path: str
    before: str
    after: str


@dataclass(frozen=True)
class FixedExport:
    """The texts after which exports are right, or, where there are none, why."""

    texts: tuple[FixedText, ...] = ()
    told: tuple[str, ...] = ()
    """What was tried and came of it, one line each."""
    errors: tuple[str, ...] = ()
    is_right: bool = False


def fix_until_exported(request: CheckRequest, progress: Progress) -> FixedExport:
    """Try the fixes of the one file of the request, and of what its models run through; writes nothing.

    Only fixes after which models compute the same, rounding aside, are taken. Raises SettingsError, CatalogError,
    WorkerError, and what a rule raises.
    """
    scope, path = Scope(request), request.paths[0]
    seen = check_files(request, scope, progress)
    if seen.errors or path not in seen.paths:
        return FixedExport(errors=seen.errors or (f"{path}: no file to be checked",))
    exporter = request.models.exporters[0]
    failed = [*_list_failed(seen.standing, exporter)]
    if not failed:
        return _tell_unfailed(path, exporter, seen)
    text = seen.texts.get(path) or read_file(path)
    if not isinstance(text, FileText):
        return FixedExport(errors=(f"{path}: {text.cause}",))
    spoilt: list[str] = []
    for eager in (False, True):
        mendings = list_mendings(text, seen, scope, request, progress, eager)
        if mendings:
            come = _mend_export(text, mendings, request, scope, progress)
            if come.is_right:
                return come
            spoilt += come.told
    return FixedExport(told=(*dict.fromkeys(spoilt), *_tell_uncovered(failed)))


def _mend_export(
    text: FileText,
    mendings: list[FileMending],
    request: CheckRequest,
    scope: Scope,
    progress: Progress,
) -> FixedExport:
    """The texts with the fewest of these fixes after which exports are right, and none is worse."""
    path, paths = text.path, [each.path for each in mendings]
    fixed = FixedFile(path, text.text if is_notebook(path) else None)
    others = replace(
        request, models=replace(request.models, exporters=_list_others(request, scope))
    )
    with (
        ProofBench(request, scope, progress) as bench,
        ProofBench(others, scope, progress) as beside,
    ):
        proof = JointProof(mendings, bench.set_up_file(fixed, paths), request.tried_fixes)

        @cache
        def prove_others() -> JointProof:
            models = beside.set_up_file(fixed, paths)
            return JointProof(mendings, models, request.tried_fixes)

        search = FewestFixes(proof, prove_others)
        keys = search.find_fewest()
        if keys is None:
            return FixedExport(told=tuple(_tell_spoilt(search, path)))
        after, told = proof.list_texts(keys), describe_exports(keys, path, proof.list_words(keys))
    texts = (FixedText(m.path, m.before, after[m.path]) for m in mendings if m.path in after)
    return FixedExport(tuple(texts), (told,), is_right=True)


def _list_others(request: CheckRequest, scope: Scope) -> tuple[str, ...]:
    """The exporters that settings name besides the one asked for; where they name none, all that were measured."""
    named = scope.settings_of(request.paths[0]).exporters
    used = MEASURED if named is None else named
    return tuple(e for e in EXPORTERS if e in used and e not in request.models.exporters)


def _tell_spoilt(search: FewestFixes, path: str) -> Iterator[str]:
    """The fewest fixes after which the export is right and another one is worse."""
    if fewest := min(search.spoilt, key=len, default=None):
        yield f"not put in: {describe_exports(fewest, path, search.spoilt[fewest])}"


def describe_exports(keys: FileKeys, path: str, words: Iterable[str]) -> str:
    """`torchscript-trace: wrong → ok after LT101 (x.view(int(x.size(0)), -1))`; in another file than `path`, with it."""
    told = ", ".join(
        f"{code} ({line})" if where == path else f"{code} ({where}: {line})"
        for where, (code, line) in sorted(keys)
    )
    return f"{'; '.join(words) or 'the export is right'} after {told}"


def _list_failed(findings: tuple[Finding, ...], exporter: str) -> Iterator[Finding]:
    """What trial exports with this exporter showed."""
    for finding in findings:
        if finding.evidence is Evidence.EXPORT and finding.exporter in (exporter, None):
            yield finding


def _tell_unfailed(path: str, exporter: str, seen: CheckedFiles) -> FixedExport:
    """What is said where no export went wrong: it is right, or none was made."""
    statuses = {s for line in seen.models for s in re.findall(rf"\b{exporter} (\w+)", line)}
    if statuses == {"ok"}:
        return FixedExport(told=(f"{exporter} is right already",), is_right=True)
    came = f"{exporter} came out {', '.join(sorted(statuses))}"
    why = came if statuses else "no model of the file could be run and exported"
    reasons = [each for each in seen.standing if each.code in _REASONS]
    return FixedExport(errors=(f"{path}: {why}", *_tell_findings(reasons)))


_REASONS = (SYNTAX_ERROR, MODEL_NOT_BUILT, MODEL_STOPPED)
"""Findings that say why a model is not exported."""


def _tell_uncovered(failed: list[Finding]) -> Iterator[str]:
    yield "no fix that keeps the numbers makes the export right; it goes wrong here:"
    yield from _tell_findings(failed)


def _tell_findings(findings: list[Finding]) -> Iterator[str]:
    for finding in findings:
        where = f"{shown_path(finding.place.path)}:{finding.place.row}"
        yield f"{where}: {finding.code} {finding.name}: {write_message(finding)}"
