"""The trace and export tiers: from reports of models that ran to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lintorch.catalog import Catalog
from lintorch.core.codes import MODEL_NOT_BUILT, MODEL_STOPPED
from lintorch.core.dispatch import Index, index_detectors, lint_subject
from lintorch.core.finding import Evidence, Finding, Place
from lintorch.core.profile import Profile
from lintorch.evidence import Trace, Trial
from lintorch.host.reports import Report
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.runs import ModelRun
from lintorch.run.describe_models import describe_run, shorten_text
from lintorch.run.rule_catalog import engine_finding

_Line = tuple[str, str, int]
"""An exporter, and the path and row of a line."""


Judge = Callable[[Outcome], Iterable[Finding]]
"""What the rules say of a trial."""


@dataclass(frozen=True)
class ModelFindings:
    """What reports say: findings, and a line for each model, ready to be shown."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    trials: tuple[Trial, ...] = ()
    """All trial exports, where they were asked for."""
    notes: tuple[str, ...] = ()
    """What could not be kept for other runs, one line each."""


def judge_reports(
    reports: Iterable[Report],
    rules: Catalog,
    profile: Profile,
    *,
    dynamic: bool = True,
    keep: bool = False,
    judge: Judge | None = None,
) -> ModelFindings:
    """Findings of the trace and trial rules; a model that could not run is a finding.

    Where the sizes are not `dynamic`, runs at others than the first show nothing that is deployed.
    With `keep` the trials themselves are given back, too. `judge` says what is found of a trial,
    where that is known already.
    """
    findings: list[Finding] = []
    lines: list[str] = []
    doubted: set[_Line] = set()
    trials: list[Trial] = []
    traced = index_detectors(rules.rules.values(), Evidence.TRACE)
    exported = index_detectors(rules.rules.values(), Evidence.EXPORT)
    for report in reports:
        doubted |= {*_doubted_lines(report)}
        if report.failure is not None:
            findings.append(report_failure(report.failure, rules))
            findings += lint_subject(trace_failure(report.failure, profile), traced)
        if report.model is None:
            continue
        runs = report.runs if dynamic else report.runs[:1]
        trace = Trace(report.model, runs, report.captures, profile)
        findings += lint_subject(trace, traced)
        for outcome in report.outcomes:
            findings += (
                judge_outcome(outcome, trace, exported, rules) if judge is None else judge(outcome)
            )
            trials += [Trial(outcome, trace)] if keep else []
        lines.append(describe_run(report))
    kept = (f for f in findings if not f.settles or _line_of_export(f) not in doubted)
    return ModelFindings(tuple(kept), tuple(lines), trials=tuple(trials))


def _line_of_export(finding: Finding) -> _Line:
    return finding.exporter or "", finding.place.path, finding.place.row


def _doubted_lines(report: Report) -> Iterator[_Line]:
    """The lines that a model ran whose export by an exporter did not come out right."""
    sites = {(event.site.path, event.site.row) for run in report.runs for event in run.events}
    for outcome in report.outcomes:
        if outcome.status != "ok":
            yield from ((outcome.exporter, path, row) for path, row in sites)


def trace_failure(failure: Failure, profile: Profile) -> Trace:
    """What the tries to run a model raised, as one run that did not come to its end."""
    model = Model(failure.path, failure.qualname, failure.row)
    return Trace(model, (ModelRun({}, failure.raised, failure.cause),), (), profile)


def judge_outcome(
    outcome: Outcome, trace: Trace, detectors: Index, rules: Catalog
) -> Iterator[Finding]:
    """What the rules say of one trial; one that was stopped is a finding."""
    if outcome.stage == "stopped":
        yield _report_stop(outcome, trace.record, rules)
    yield from lint_subject(Trial(outcome, trace), detectors)


def report_failure(failure: Failure, rules: Catalog) -> Finding:
    """The finding for a model that could not be built, fed or run to its end."""
    code = MODEL_STOPPED if failure.stage == "stopped" else MODEL_NOT_BUILT
    what = f"{failure.qualname} was" if failure.qualname else "the file was"
    stage = {
        "import": "not imported",
        "build": "not built",
        "inputs": "not fed",
        "run": "not run to its end",
        "stopped": "stopped",
    }[failure.stage]
    message = f"{what} {stage}: {failure.cause}"
    last = failure.output.strip().splitlines()[-1:]
    if last:
        message += f' (it printed last: "{shorten_text(last[0])}")'
    return engine_finding(rules, code, message, Place(failure.path, failure.row))


def _report_stop(outcome: Outcome, model: Model, rules: Catalog) -> Finding:
    """A trial that ran out of time or memory, or crashed: nothing is known of the export."""
    message = f"{model.qualname} was stopped on trial with {outcome.exporter}: {outcome.message}"
    return engine_finding(rules, MODEL_STOPPED, message, Place(model.path, model.row))
