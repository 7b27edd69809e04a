"""Fixes what was found, file by file, looking again after each round; where asked, proves each fix first."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from lintorch.core.dispatch import describe_defect
from lintorch.core.finding import Finding
from lintorch.files import FileText, NotWritten, is_notebook
from lintorch.host.worker_process import WorkerError
from lintorch.report.result import Repaired
from lintorch.run.check_files import CheckedFiles
from lintorch.run.importers import Importers
from lintorch.run.mend_file import FileMending, key_of
from lintorch.run.proof_bench import ProofBench
from lintorch.run.prove_fixes import FileProof, FixProof, ProvenFile, list_rows_to_run
from lintorch.run.request import CheckRequest, Choose, Progress, Rewritten
from lintorch.run.scope import Scope

_UNFORKED = "fixes are verified where processes fork, which they do not here"


@dataclass(frozen=True)
class FixedFiles:
    """What fixing makes of each file that it changes, and what did not work."""

    rewritten: tuple[Rewritten, ...] = ()
    errors: tuple[str, ...] = ()
    proven: Mapping[str, ProvenFile] = field(default_factory=dict)
    """By path, what came of verifying fixes."""


def fix_files(
    seen: CheckedFiles,
    scope: Scope,
    request: CheckRequest,
    progress: Progress,
    choose: Choose | None = None,
) -> FixedFiles:
    """Fix what a look has found, as far as `request.tried_fixes` goes, and `choose`; writes nothing."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for finding in seen.standing:
        found[finding.place.path].append(finding)
    importers = Importers(scope)
    rewritten: list[Rewritten] = []
    errors: list[str] = []
    proven: dict[str, ProvenFile] = {}
    with ProofBench(request, scope, progress) as bench:
        for path, findings in found.items():
            if path not in seen.texts or not any(_may_go_in(f, request) for f in findings):
                continue
            if path in seen.changed:
                errors.append(f"{path}: changed while models ran; nothing was written to it")
                continue
            mending = FileMending(
                seen.texts[path], findings, seen, scope, request, importers, choose
            )
            try:
                done = _mend_file(mending, request, bench, seen)
            except WorkerError as error:
                return FixedFiles((), (*errors, str(error)))
            except Exception as error:  # whatever goes wrong with one file, the others are mended
                errors.append(
                    f"{path}: lintorch failed to fix it and left it as it was: {describe_defect(error)}"
                )
                continue
            errors += [*_list_unsettled(mending, done), *done.errors]
            if request.verify:
                proven[path] = done
            if request.fixes:
                try:
                    rewritten += _rewrite_file(mending, done)
                except NotWritten as error:
                    errors.append(str(error))
    return FixedFiles(tuple(rewritten), tuple(errors), proven)


def _mend_file(
    mending: FileMending, request: CheckRequest, bench: ProofBench, seen: CheckedFiles
) -> ProvenFile:
    """The file with the fixes that go in. Raises WorkerError, and whatever a rule raises."""
    mended = mending.mend(request.tried_fixes)
    if not request.verify or mended.text == mending.before:
        return ProvenFile(mended, {})
    if not hasattr(os, "fork"):
        unrun = FixProof(None, _UNFORKED)
        keys = {(key_of(f, text), f.place.row): unrun for f, text in mended.applied}
        return ProvenFile(mended, keys)
    groups = list_rows_to_run(mended, mending.before)
    models = bench.set_up(mending.fixed_file, seen.paths, groups, mending.importers)
    return FileProof(mending, models, request.tried_fixes, mended).prove()


def _list_unsettled(mending: FileMending, done: ProvenFile) -> list[str]:
    names = mending.scope.catalog.names
    return [
        f"{mending.path}: the fixes of {code} ({names.get(code, code)}) do not settle and were left out"
        for code in done.mended.settled.unsettled
    ]


def _rewrite_file(mending: FileMending, done: ProvenFile) -> list[Rewritten]:
    """The file as it is to be written; nothing where it stays as it is. Raises NotWritten."""
    settled, before = done.mended.settled, mending.before
    if settled.text == before:
        return []
    verdicts = _list_verdicts(done)
    repaired = Repaired(mending.path, settled.applied, settled.imports, verdicts)
    cells = _list_changed(mending.original, settled.text)
    return [Rewritten(mending.path, before, settled.text, repaired, cells)]


def _list_verdicts(done: ProvenFile) -> tuple[str, ...]:
    """What came of verifying, a line for the fixes that went in of which the same is to be said."""
    told: dict[FixProof, dict[str, None]] = defaultdict(dict)
    for finding, text in done.mended.applied:
        proof = done.proofs.get((key_of(finding, text), finding.place.row))
        if proof is not None:
            told[proof][f"{finding.code} in line {finding.place.row}"] = None
    words = {True: "verified", False: "not the same", None: "not verified"}
    return tuple(
        f"{words[proof.verified]} ({', '.join(which)}): {proof.told}"
        for proof, which in told.items()
    )


def _list_changed(text: FileText, after: str) -> tuple[tuple[int, str, str], ...]:
    """The cells of a notebook that a fix changes. Raises NotWritten where it spans several."""
    if not is_notebook(text.path):
        return ()
    from lintorch.files.notebook_text import NotebookText

    if not isinstance(text, NotebookText):
        return ()
    both = zip(text.cells, text.split_cells(after), strict=True)
    return tuple((cell.number, cell.source, new) for cell, new in both if new != cell.source)


def _may_go_in(finding: Finding, request: CheckRequest) -> bool:
    return finding.fix is not None and finding.fix.applicability in request.tried_fixes
