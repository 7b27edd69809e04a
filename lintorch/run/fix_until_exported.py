"""Looks for the fewest fixes of a file after which its models export right with one exporter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lintorch.core.finding import Evidence, Finding
from lintorch.report.wording import write_message
from lintorch.run.check_files import CheckedFiles, check_files
from lintorch.run.importers import Importers
from lintorch.run.mend_file import FileMending, FixKey
from lintorch.run.proof_bench import ProofBench
from lintorch.run.prove_fixes import FileProof, list_rows_to_run
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope

_MOST_ALONE = 12
"""Fixes that are each tried alone before all together are thinned out, at most."""


@dataclass(frozen=True)
class FixedExport:
    """The text after which exports are right, or, where there is none, why."""

    path: str
    before: str = ""
    after: str = ""
    told: tuple[str, ...] = ()
    """What was tried and came of it, one line each."""
    errors: tuple[str, ...] = ()
    is_right: bool = False


def fix_until_exported(request: CheckRequest, progress: Progress) -> FixedExport:
    """Try the fixes of the one file of the request; writes nothing.

    Only fixes after which models compute the same, rounding aside, are taken. Raises SettingsError, CatalogError,
    WorkerError, and what a rule raises.
    """
    scope, path = Scope(request), request.paths[0]
    seen = check_files(request, scope, progress)
    if seen.errors or path not in seen.paths:
        return FixedExport(path, errors=seen.errors or (f"{path}: no file to be checked",))
    exporter = request.models.exporters[0]
    failed = [*_list_failed(seen.standing, exporter)]
    if not failed:
        return _tell_unfailed(path, exporter, seen)
    text = seen.texts.get(path)
    found = [finding for finding in seen.standing if finding.place.path == path]
    if text is None or not any(finding.fix for finding in found):
        return FixedExport(path, told=tuple(_tell_uncovered(failed)))
    mending = FileMending(text, found, seen, scope, request, Importers(scope))
    whole = mending.mend(request.tried_fixes)
    with ProofBench(request, scope, progress) as bench:
        groups = list_rows_to_run(whole, mending.before)
        models = bench.set_up(mending.fixed_file, seen.paths, groups, mending.importers)
        proof = FileProof(mending, models, request.tried_fixes, whole, rounding=True)
        keys = _find_fewest(proof)
        if keys is None:
            return FixedExport(path, told=tuple(_tell_uncovered(failed)))
        exports = describe_exports(proof, keys)
        return FixedExport(path, mending.before, proof.text_with(keys), (exports,), is_right=True)


def describe_exports(proof: FileProof, keys: frozenset[FixKey]) -> str:
    """`torchscript-trace: wrong → ok after LT101 (x.view(int(x.size(0)), -1))`."""
    words = dict.fromkeys(w for v in proof.try_keys(keys) for w, _ in v.exports)
    told = ", ".join(f"{code} ({line})" for code, line in sorted(keys))
    return f"{'; '.join(words)} after {told}"


def _find_fewest(proof: FileProof) -> frozenset[FixKey] | None:
    """The fewest fixes that are found after which all exports are right; None where all are not enough."""
    good = proof.find_harmless()
    if not good or not proof.is_exported(good):
        return None
    for key in sorted(good)[:_MOST_ALONE]:
        if len(good) > 1 and proof.is_exported(frozenset({key})):
            return frozenset({key})
    for key in sorted(good):
        if len(good) > 1 and proof.is_exported(good - {key}):
            good -= {key}
    return good


def _list_failed(findings: tuple[Finding, ...], exporter: str) -> Iterator[Finding]:
    """What trial exports with this exporter showed."""
    for finding in findings:
        if finding.evidence is Evidence.EXPORT and finding.exporter in (exporter, None):
            yield finding


def _tell_unfailed(path: str, exporter: str, seen: CheckedFiles) -> FixedExport:
    """What is said where no export went wrong: it is right, or none was made."""
    statuses = {s for line in seen.models for s in re.findall(rf"\b{exporter} (\w+)", line)}
    if statuses == {"ok"}:
        return FixedExport(path, told=(f"{exporter} is right already",), is_right=True)
    came = f"{exporter} came out {', '.join(sorted(statuses))}"
    why = came if statuses else "no model of the file could be run and exported"
    return FixedExport(path, errors=(f"{path}: {why}",))


def _tell_uncovered(failed: list[Finding]) -> Iterator[str]:
    yield "no fix that keeps the numbers makes the export right; it goes wrong here:"
    for finding in failed:
        where = f"{finding.place.path}:{finding.place.row}"
        yield f"{where}: {finding.code} {finding.name}: {write_message(finding)}"
