"""Exports tried in interpreters of their own: packages that do not go together never meet.

Each such interpreter builds the same models again, and what came of its exports joins the reports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from lintorch.host.reports import Report
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.timings import ModelTiming
from lintorch.report.places import shown_path
from lintorch.run.find_interpreter import Interpreter, find_interpreter_for
from lintorch.settings import Settings

Examine = Callable[[ModelOptions, Interpreter], Iterable[Report]]
"""The reports on all models, with these options, from this interpreter."""


@dataclass(frozen=True)
class _Told:
    """What an interpreter told of one model."""

    outcomes: tuple[Outcome, ...] = ()
    timing: ModelTiming | None = None
    failure: Failure | None = None


@dataclass(frozen=True)
class OwnInterpreter:
    """An interpreter, the exporters that are tried in it, and what it told by "file.py:Class"."""

    python: Interpreter
    exporters: tuple[str, ...]
    told: Mapping[str, _Told] = field(default_factory=dict)

    def examine(self, options: ModelOptions, examine: Examine) -> OwnInterpreter:
        """With what it tells. Raises WorkerError."""
        own = replace(options, exporters=self.exporters, trace=False, state=False)
        told: dict[str, _Told] = {}
        for report in examine(own, self.python):
            if named := report.model or report.failure:
                known = _Told(report.outcomes, report.timing, report.failure)
                told.setdefault(_name_model(named), known)
        return replace(self, told={**told, **self.told})

    def examine_part(self, model: Model, options: ModelOptions, examine: Examine) -> OwnInterpreter:
        """With what it tells of a model that is part of one that runs there alone. Raises WorkerError."""
        if _name_model(model) in self.told:
            return self
        return self.examine(replace(options, only=(_name_model(model),)), examine)

    def list_outcomes(self, model: Model) -> Iterator[Outcome]:
        """One of each exporter at least: where the model does not run there, that it could not be tried."""
        found = self.told.get(_name_model(model), _Told())
        yield from found.outcomes
        tried = {each.exporter for each in found.outcomes}
        cause = found.failure.cause if found.failure else "it is not found there"
        why = f"the model does not run with {shown_path(self.python.path)}: {cause}"
        for name in self.exporters:
            if name not in tried:
                yield Outcome(name, "unavailable", message=why)


def examine_apart(
    options: ModelOptions, settings: Settings, python: Interpreter, examine: Examine
) -> Iterator[Report]:
    """The reports of the main interpreter, with the outcomes of all others. Raises WorkerError."""
    others = tuple(_list_own(options, settings, python))
    apart = {name for own in others for name in own.exporters}
    told = [own.examine(options, examine) for own in others]
    main = tuple(name for name in options.exporters if name not in apart)
    for report in examine(replace(options, exporters=main), python):
        if (model := report.model) and report.failure is None:
            told = [own.examine_part(model, options, examine) for own in told]
        yield _join_report(report, told, options.exporters) if report.model else report


def _list_own(
    options: ModelOptions, settings: Settings, main: Interpreter
) -> Iterator[OwnInterpreter]:
    exporters: dict[str, list[str]] = defaultdict(list)
    found: dict[str, Interpreter] = {}
    for name in options.exporters:
        own = find_interpreter_for(settings, name)
        if own is not None and own.path != main.path:
            exporters[own.path].append(name)
            found.setdefault(own.path, own)
    for path, names in exporters.items():
        yield OwnInterpreter(found[path], tuple(names))


def _join_report(report: Report, told: Iterable[OwnInterpreter], order: tuple[str, ...]) -> Report:
    model = report.model
    assert model is not None
    outcomes = [*report.outcomes]
    timing = report.timing
    for own in told if report.failure is None else ():
        outcomes += own.list_outcomes(model)
        timing = _join_timing(timing, own.told.get(_name_model(model), _Told()).timing, own)
    outcomes.sort(key=lambda outcome: order.index(outcome.exporter))
    return replace(report, outcomes=tuple(outcomes), timing=timing)


def _join_timing(
    timing: ModelTiming | None, other: ModelTiming | None, own: OwnInterpreter
) -> ModelTiming | None:
    """With the forms that another interpreter timed, beside its own eager, each named by its exporters."""
    if timing is None or other is None:
        return timing
    names = ", ".join(own.exporters)
    eager = f"eager of {names}"
    forms = tuple(
        replace(each, form=eager) if each.form == "eager" else replace(each, beside=eager)
        for each in other.forms
        if each.form != "torch.compile"
    )
    return replace(timing, forms=(*timing.forms, *forms))


def _name_model(model: Model | Failure) -> str:
    return f"{model.path}:{model.qualname}"
