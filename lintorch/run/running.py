"""The trace and export tiers: from reports of models that ran to findings."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from lintorch.catalog import Catalog
from lintorch.finding import Evidence, Finding, Place
from lintorch.lint import Index, index, lint
from lintorch.models.examine import Limits, Plan, Report, examine
from lintorch.models.notation import told
from lintorch.profile import Profile
from lintorch.run.order import Order, Progress
from lintorch.run.pool import cores
from lintorch.run.scope import Scope
from lintorch.run.sources import engine_finding
from lintorch.settings import Settings
from lintorch.subjects import Trace, Trial
from lintorch.trace.record import Failure, Model, Outcome, Run, Rung
from lintorch.worker.client import WorkerError

_MEBIBYTE = 2**20


@dataclass(frozen=True)
class Ran:
    """What reports say: findings, and a line for each model, ready to be shown."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def run_models(
    paths: Iterable[str],
    known: Iterable[Finding],
    asked: Order,
    scope: Scope,
    progress: Progress,
) -> Ran:
    """Run the models of these files, project by project; where no worker can be had, an error.

    What source findings are `known` to say of a model and an exporter is tried as well.
    """
    ran = Ran()
    named = tuple((f.model, f.exporter) for f in known if f.model and f.exporter)
    for plan in plans(paths, asked, scope, named):
        profile = scope.profile(plan.files[0])
        try:
            settings = scope.settings(plan.files[0]).file or plan.files[0]
            reports = (at_home(report, settings) for report in examine(plan, progress))
            more = read(reports, scope.catalog, profile)
        except WorkerError as error:
            return Ran(ran.findings, ran.lines, (*ran.errors, str(error)))
        ran = Ran(ran.findings + more.findings, ran.lines + more.lines, ran.errors)
    return ran


def plans(
    paths: Iterable[str],
    asked: Order,
    scope: Scope,
    in_training: tuple[tuple[str, str], ...] = (),
) -> Iterator[Plan]:
    """One plan for the files of each project under the same settings."""
    groups: dict[tuple[str, int], list[str]] = defaultdict(list)
    for path in paths:
        groups[scope.project(path), id(scope.settings(path))].append(path)
    for (project, _), files in groups.items():
        settings = scope.settings(files[0])
        yield Plan(
            files=tuple(files),
            project=project
            or os.path.commonpath([os.path.dirname(os.path.abspath(f)) for f in files]),
            configured=settings.models,
            trace=asked.trace or bool(asked.exporters),
            exporters=asked.exporters,
            in_training=in_training,
            opset=scope.profile(files[0]).opset,
            python=asked.python or settings.python or own_python(),
            limits=_limits(settings),
            jobs=asked.jobs or cores(),
        )


def own_python() -> str:
    """The interpreter of the active virtual environment, else the one that runs lintorch."""
    folder = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if folder:
        for inner in ("bin/python", "Scripts/python.exe", "python.exe"):
            if os.path.isfile(path := os.path.join(folder, inner)):
                return path
    return sys.executable


def _limits(settings: Settings) -> Limits:
    usual = Limits()
    seconds = settings.trace_seconds or usual.seconds
    memory = settings.trace_memory
    return Limits(
        seconds,
        settings.trial_seconds or 2 * seconds,
        usual.memory if memory is None else memory * _MEBIBYTE,
    )


def at_home(report: Report, settings: str) -> Report:
    """A configured model that is in no file is the settings' failure."""
    if report.failure is None or os.path.isfile(report.failure.path):
        return report
    return replace(report, failure=replace(report.failure, path=settings, row=1))


def read(reports: Iterable[Report], rules: Catalog, profile: Profile) -> Ran:
    """Findings of the trace and trial rules; a model that could not run is LT006 or LT007."""
    findings: list[Finding] = []
    lines: list[str] = []
    traced = index(rules.rules.values(), Evidence.TRACE)
    exported = index(rules.rules.values(), Evidence.EXPORT)
    for report in reports:
        if report.failure is not None:
            findings.append(failed(report.failure, rules))
            findings += lint(tries(report.failure, profile), traced)
        if report.model is None:
            continue
        trace = Trace(report.model, report.runs, report.rungs, profile)
        findings += lint(trace, traced)
        for outcome in report.outcomes:
            findings += tried(outcome, trace, exported, rules)
        lines.append(model_text(report))
    return Ran(tuple(findings), tuple(lines))


def tries(failure: Failure, profile: Profile) -> Trace:
    """What the tries to run a model raised, as one run that did not come to its end."""
    model = Model(failure.path, failure.qualname, failure.row)
    return Trace(model, (Run({}, failure.raised, failure.cause),), (), profile)


def tried(outcome: Outcome, trace: Trace, detectors: Index, rules: Catalog) -> Iterator[Finding]:
    """What the rules say of one trial; one that was stopped is LT007."""
    if outcome.stage == "stopped":
        yield _stopped(outcome, trace.record, rules)
    yield from lint(Trial(outcome, trace), detectors)


def failed(failure: Failure, rules: Catalog) -> Finding:
    """The finding for a model that could not be built, fed or run to its end."""
    code = "LT007" if failure.stage == "stopped" else "LT006"
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
    return engine_finding(rules, "LT007", message, Place(model.path, model.row))


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
    name = "torch.fx" if rung.name == "fx" else f"{rung.name} graph"
    return f"{name} {'ok' if rung.ok else 'failed'}"


def _trial(outcome: Outcome) -> str:
    how = outcome.stage if outcome.stage == "stopped" else outcome.status
    return f"{outcome.exporter} {how}"


def _shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
