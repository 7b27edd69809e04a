"""The trace and export tiers: from reports of models that ran to findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lintorch.catalog import Catalog
from lintorch.finding import Evidence, Finding, Place
from lintorch.lint import index, lint
from lintorch.models.examine import Report
from lintorch.models.notation import show
from lintorch.profile import Profile
from lintorch.run.sources import engine_finding
from lintorch.subjects import Trace, Trial
from lintorch.trace.record import Failure, Model, Outcome, Rung


@dataclass(frozen=True)
class Ran:
    """What reports say: findings, and a line for each model, ready to be shown."""

    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()


def read(reports: Iterable[Report], rules: Catalog, profile: Profile) -> Ran:
    """Findings of the trace and trial rules; a model that could not run is LT006 or LT007."""
    findings: list[Finding] = []
    lines: list[str] = []
    for report in reports:
        findings += _findings(report, rules, profile)
        if report.model is not None:
            lines += model_lines(report)
    return Ran(tuple(findings), tuple(lines))


def _findings(report: Report, rules: Catalog, profile: Profile) -> Iterator[Finding]:
    if report.failure is not None:
        yield failed(report.failure, rules)
    if report.model is None:
        return
    trace = Trace(report.model, report.runs, report.rungs, profile)
    yield from lint(trace, index(rules.rules.values(), Evidence.TRACE))
    trials = index(rules.rules.values(), Evidence.EXPORT)
    for outcome in report.outcomes:
        yield from lint(Trial(outcome, trace), trials)


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


def model_lines(report: Report) -> Iterator[str]:
    """`net.py:Net(width=8) on image: float32[batch, 3, 64, 64]`, then how each attempt went."""
    assert report.model is not None
    yield model_line(report.model)
    attempts = [_rung(rung) for rung in report.rungs] + [_trial(o) for o in report.outcomes]
    if attempts:
        yield "  " + "; ".join(attempts)


def model_line(model: Model) -> str:
    """How a model was built and what it was fed."""
    given = ", ".join(f"{name}={_shortened(repr(v))}" for name, v in model.arguments.items())
    fed = ", ".join(
        (f"{given.name}: " if given.name else "") + show(given, model.sizes)
        for given in model.inputs
    )
    return f"{model.path}:{model.qualname}{f'({given})' if given else ''} on {fed or 'nothing'}"


def _rung(rung: Rung) -> str:
    name = "torch.fx" if rung.name == "fx" else f"{rung.name} graph"
    return f"{name} {'ok' if rung.ok else 'failed'}"


def _trial(outcome: Outcome) -> str:
    return f"{outcome.exporter} {outcome.status}"


def _shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
