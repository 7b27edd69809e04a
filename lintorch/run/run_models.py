"""The trace and export tiers: from reports of models that ran to findings."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace

from lintorch.catalog import Catalog
from lintorch.core.codes import MODEL_NOT_BUILT, MODEL_STOPPED
from lintorch.core.dispatch import Index, index, lint
from lintorch.core.finding import Evidence, Finding, Place
from lintorch.core.profile import EXPORTERS, Profile
from lintorch.evidence import Trace, Trial
from lintorch.host.client import WorkerError
from lintorch.host.examine import Limits, Plan, Report, examine
from lintorch.record.input_notation import told
from lintorch.record.trace import Failure, Model, Outcome, Run, Rung
from lintorch.report.places import shown_path
from lintorch.run.find_interpreter import find_interpreter
from lintorch.run.process_pool import cores
from lintorch.run.request import Order, Progress
from lintorch.run.rule_catalog import engine_finding
from lintorch.run.scope import Scope
from lintorch.settings import Settings

_MEBIBYTE = 2**20
_Line = tuple[str, str, int]
"""An exporter, and the path and row of a line."""


@dataclass(frozen=True)
class Ran:
    """What reports say: findings, and a line for each model, ready to be shown."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def run_models(
    paths: Iterable[str], known: Iterable[Finding], asked: Order, scope: Scope, progress: Progress
) -> Ran:
    """Run the models of these files, project by project; where no worker can be had, an error.

    What source findings are `known` to say of a model and an exporter is tried as well.
    """
    ran = Ran()
    named = tuple((f.model, f.exporter) for f in known if f.model and f.exporter)
    try:
        for plan in plans(paths, asked, scope, named):
            settings = scope.settings(plan.files[0]).file or plan.files[0]
            with closing(examined(plan, progress)) as found:
                reports = (at_home(report, settings) for report in found)
                profile = scope.profile(plan.files[0])
                more = read(reports, scope.catalog, profile, dynamic=plan.dynamic)
            ran = Ran(ran.findings + more.findings, ran.lines + more.lines)
    except WorkerError as error:
        return replace(ran, errors=(str(error),))
    return ran


def plans(
    paths: Iterable[str], asked: Order, scope: Scope, in_training: tuple[tuple[str, str], ...] = ()
) -> Iterator[Plan]:
    """One plan for the files of each project under the same settings. Raises WorkerError."""
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for path in paths:
        groups[scope.project(path), id(scope.settings(path))].append(path)
    for (project, _), files in groups.items():
        settings = scope.settings(files[0])
        root = project or os.path.commonpath([os.path.dirname(os.path.abspath(f)) for f in files])
        python = find_interpreter(asked.python, settings, root)
        yield Plan(
            files=tuple(files),
            project=root,
            configured=settings.models,
            trace=asked.trace or bool(asked.exporters),
            exporters=asked.exporters,
            in_training=in_training,
            opsets={e: n for e in EXPORTERS if (n := scope.profile(files[0]).opset_asked(e))},
            dynamic=scope.profile(files[0]).dynamic or _names_inputs(settings),
            python=python.path,
            why_python=python.why,
            limits=limits_of(settings),
            jobs=asked.jobs or cores(),
        )


def _names_inputs(settings: Settings) -> bool:
    """Whether the settings say what models are fed, and so which sizes vary."""
    return any("inputs" in table for table in settings.models.values())


def examined(plan: Plan, progress: Progress) -> Generator[Report, None, None]:
    """Reports on a plan. Raises WorkerError, which says why it is that interpreter."""
    try:
        yield from examine(plan, progress)
    except WorkerError as error:
        raise WorkerError(f"{error} ({plan.why_python})") from error


def limits_of(settings: Settings) -> Limits:
    """What a model may take by these settings."""
    usual = Limits()
    seconds = settings.trace_seconds or usual.seconds
    memory, disk = settings.trace_memory, settings.trace_disk
    return Limits(
        seconds,
        settings.trial_seconds or 2 * seconds,
        usual.memory if memory is None else memory * _MEBIBYTE,
        usual.disk if disk is None else disk * _MEBIBYTE,
    )


def at_home(report: Report, settings: str) -> Report:
    """A configured model that is in no file is the settings' failure."""
    if report.failure is None or os.path.isfile(report.failure.path):
        return report
    return replace(report, failure=replace(report.failure, path=settings, row=1))


def read(
    reports: Iterable[Report], rules: Catalog, profile: Profile, *, dynamic: bool = True
) -> Ran:
    """Findings of the trace and trial rules; a model that could not run is a finding.

    Where the sizes are not `dynamic`, runs at others than the first show nothing that is deployed.
    """
    findings: list[Finding] = []
    lines: list[str] = []
    doubted: set[_Line] = set()
    traced = index(rules.rules.values(), Evidence.TRACE)
    exported = index(rules.rules.values(), Evidence.EXPORT)
    for report in reports:
        doubted |= {*_unsettled(report)}
        if report.failure is not None:
            findings.append(failed(report.failure, rules))
            findings += lint(tries(report.failure, profile), traced)
        if report.model is None:
            continue
        runs = report.runs if dynamic else report.runs[:1]
        trace = Trace(report.model, runs, report.rungs, profile)
        findings += lint(trace, traced)
        for outcome in report.outcomes:
            findings += tried(outcome, trace, exported, rules)
        lines.append(model_text(report))
    kept = (f for f in findings if not f.settles or _line(f) not in doubted)
    return Ran(tuple(kept), tuple(lines))


def _line(finding: Finding) -> _Line:
    return finding.exporter or "", finding.place.path, finding.place.row


def _unsettled(report: Report) -> Iterator[_Line]:
    """The lines that a model ran whose export by an exporter did not come out right."""
    sites = {(event.site.path, event.site.row) for run in report.runs for event in run.events}
    for outcome in report.outcomes:
        if outcome.status != "ok":
            yield from ((outcome.exporter, path, row) for path, row in sites)


def tries(failure: Failure, profile: Profile) -> Trace:
    """What the tries to run a model raised, as one run that did not come to its end."""
    model = Model(failure.path, failure.qualname, failure.row)
    return Trace(model, (Run({}, failure.raised, failure.cause),), (), profile)


def tried(outcome: Outcome, trace: Trace, detectors: Index, rules: Catalog) -> Iterator[Finding]:
    """What the rules say of one trial; one that was stopped is a finding."""
    if outcome.stage == "stopped":
        yield _stopped(outcome, trace.record, rules)
    yield from lint(Trial(outcome, trace), detectors)


def failed(failure: Failure, rules: Catalog) -> Finding:
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
        message += f' (it printed last: "{_shortened(last[0])}")'
    return engine_finding(rules, code, message, Place(failure.path, failure.row))


def _stopped(outcome: Outcome, model: Model, rules: Catalog) -> Finding:
    """A trial that ran out of time or memory, or crashed: nothing is known of the export."""
    message = f"{model.qualname} was stopped on trial with {outcome.exporter}: {outcome.message}"
    return engine_finding(rules, MODEL_STOPPED, message, Place(model.path, model.row))


def model_text(report: Report) -> str:
    """`net.py:Net(width=8) on image: float32[batch, 3, 64, 64]`, then how each attempt went."""
    assert report.model is not None
    attempts = [_rung(rung) for rung in report.rungs] + [_trial(o) for o in report.outcomes]
    return "\n".join(
        [model_line(report.model), *(["  " + "; ".join(attempts)] if attempts else [])]
    )


def model_line(model: Model) -> str:
    """How a model was built and what it was fed."""
    given = ", ".join(f"{name}={_shortened(repr(v))}" for name, v in model.arguments.items())
    fed = told(model.inputs, model.sizes)
    return f"{model.path}:{model.qualname}{f'({given})' if given else ''} on {fed or 'nothing'}"


def _rung(rung: Rung) -> str:
    name, use = ("torch.fx", "exports do not need one") if rung.name == "fx" else (rung.name, "")
    if rung.ok:
        return f"{name} graph ok"
    where = f"{shown_path(rung.site.path)}:{rung.site.row}" if rung.site else _shortened(rung.error)
    why = "; ".join(part for part in (where, use) if part)
    return f"no {name} graph{f' ({why})' if why else ''}"


def _trial(outcome: Outcome) -> str:
    how = outcome.stage if outcome.stage == "stopped" else outcome.status
    return f"{outcome.exporter} {how}"


def _shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
