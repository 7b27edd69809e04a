"""The models that a fixed file is tried with, and what they say of a text."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from lintorch.host.configured_models import is_wanted
from lintorch.host.prove_models import FixedFile, ModelPlace, ModelProver
from lintorch.host.reports import Report
from lintorch.record.models import Failure, Model
from lintorch.record.outcomes import Outcome
from lintorch.record.proofs import Change
from lintorch.run.fixed_rows import Rows
from lintorch.run.importers import Importers
from lintorch.run.project_models import ProjectModels, group_models
from lintorch.run.request import CheckRequest, Progress
from lintorch.run.scope import Scope

Exports = Mapping[str, Sequence[Outcome]]
"""What became of trial exports, by model, `file.py:Class`."""
WORSE = ("wrong", "failed")
"""What an export that was right may not come to."""
_MOST_IMPORTERS = 3
"""Files that import a fixed one whose models are tried, where its own do not run all that is fixed."""


@dataclass(frozen=True)
class Verdict:
    """What one text makes of a model: nothing of this where it computes the same."""

    model: str
    changes: tuple[Change, ...] = ()
    keys: tuple[str, ...] = ()
    exports: tuple[tuple[str, bool], ...] = ()
    """What became of each trial export, in words, and whether it is worse."""
    statuses: tuple[str, ...] = ()
    """What each of these exports came to now."""
    gained: tuple[str, ...] = ()
    failure: str = ""
    """Why it was not run to its end."""

    def pass_rounding(self) -> Verdict:
        """The same, where numbers that the order of a sum may set apart count as equal."""
        return replace(self, changes=tuple(c for c in self.changes if not c.is_rounding))

    @property
    def broken(self) -> bool:
        """Whether it does not run as before, or its file is not imported as before."""
        return bool(self.failure) or any(change.breaks for change in self.changes)

    @property
    def spoils(self) -> bool:
        """Whether a trial export was right and is not any more."""
        return any(worse for _, worse in self.exports)

    @property
    def differs(self) -> bool:
        """Whether anything is not as it was."""
        return bool(self.broken or self.changes or self.keys or self.spoils)


@dataclass
class FileBench:
    """The models of one file, run as it is: those that `kept` what they compute, and what failed."""

    prover: ModelProver
    fixed: FixedFile
    checked: tuple[str, ...]
    if_equal: bool = False
    """Whether rounding counts for nothing, and only what computes the same is exported with another text."""
    kept: dict[str, Report] = field(default_factory=dict)
    places: list[ModelPlace] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    uncalled: dict[int, str] = field(default_factory=dict)
    """By the row that it begins at, what trains and could not be called, and why."""
    is_imported: bool = True
    """Whether the file itself could be imported as it is."""
    unsteady: Mapping[str, str] = field(default_factory=dict)
    """Models that compute something else each time, or fail, where something differed; and how they fail."""
    _is_compared: bool = False
    _tried: dict[tuple[tuple[tuple[str, bytes], ...], bool], tuple[Verdict, ...]] = field(
        default_factory=dict
    )

    _exported: dict[
        tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]], Mapping[tuple[str, str], Outcome]
    ] = field(default_factory=dict)

    def run_originals(
        self, place: ModelPlace, rows: Iterable[int] | None, known: Exports | None = None
    ) -> None:
        """Run the models of a place, and keep what those compute that run one of the rows, or what all do.

        They are exported too, unless that is `known`.
        """
        found, exporting = False, known is None
        for report in self.prover.keep_originals(place, self.fixed, rows, self.checked, exporting):
            if report.failure is not None:
                self._note_failure(report.failure, place)
            if report.model is not None and report.observed is not None:
                found = found or bool(report.observed.sizes)
                name = f"{report.model.path}:{report.model.qualname}"
                outcomes = report.outcomes
                if known is not None:
                    outcomes = tuple(known.get(name_model(report.model), ()))
                self.kept[name] = replace(report, outcomes=outcomes)
        if found:
            self.places.append(place)

    def _note_failure(self, failure: Failure, place: ModelPlace) -> None:
        told = describe_failure(failure)
        if place.training and failure.qualname:
            self.uncalled[failure.row] = told
        elif told not in self.failures:
            self.failures.append(told)
        self.is_imported &= failure.stage != "import" or place.path != self.fixed.path

    def try_steady(
        self, texts: Mapping[str, bytes], originals: Mapping[str, bytes], exporting: bool
    ) -> tuple[Verdict, ...]:
        """A verdict for each model that computes the same each time, which is tried where one differs."""
        verdicts = self._try_texts(texts, exporting)
        if self.if_equal:
            verdicts = tuple(each.pass_rounding() for each in verdicts)
        if not self._is_compared and any(each.differs for each in verdicts):
            again = self._try_texts(originals, exporting=False)
            self.unsteady = {each.model: each.failure for each in again if each.differs}
            self._is_compared = True
        return tuple(each for each in verdicts if each.model not in self.unsteady)

    def _try_texts(self, texts: Mapping[str, bytes], exporting: bool) -> tuple[Verdict, ...]:
        """A verdict for each model that was kept; one for the file where it is not imported.

        `texts` are what workers read in the place of files, by path.
        """
        key = tuple(sorted(texts.items())), exporting
        if key not in self._tried:
            self._tried[key] = self._try_afresh(texts, exporting)
        return self._tried[key]

    def _try_afresh(self, texts: Mapping[str, bytes], exporting: bool) -> tuple[Verdict, ...]:
        itself = [ModelPlace(self.fixed.path)] if self.is_imported else []
        return tuple(
            _judge_report(report, self.kept)
            for place in self.places or itself
            for report in self.prover.compare_models(
                place, self.fixed, texts, self.checked, exporting, self.if_equal
            )
        )

    def export_also(
        self, texts: Mapping[str, bytes], exporters: tuple[str, ...]
    ) -> Mapping[tuple[str, str], Outcome]:
        """By model and exporter, what becomes of exports by others than the request names."""
        key = tuple(sorted(texts.items())), exporters
        if key not in self._exported:
            self._exported[key] = {
                (report.model.qualname, outcome.exporter): outcome
                for place in self.places
                for report in self.prover.compare_models(
                    place, self.fixed, texts, self.checked, if_equal=True, exporters=exporters
                )
                if report.model is not None and report.model.qualname not in self.unsteady
                for outcome in report.outcomes
            }
        return self._exported[key]

    def list_rows(self) -> Rows:
        """All rows that models run whose numbers are kept."""
        return frozenset(row for report in self.list_kept() for row in _rows_of(report))

    def list_kept(self) -> list[Report]:
        """The models whose numbers are kept."""
        return [each for each in self.kept.values() if each.observed and each.observed.sizes]

    def runs_any(self, report: Report, rows: Iterable[Rows]) -> bool:
        """Whether a model runs one of some statements."""
        own = _rows_of(report)
        return any(not own.isdisjoint(each) for each in rows)


class ProofBench:
    """Makes the bench of each file; a worker is started when the first is asked for."""

    def __init__(self, request: CheckRequest, scope: Scope, progress: Progress) -> None:
        self._request, self._scope, self._progress = request, scope, progress
        self._provers: dict[tuple[str, int], tuple[ModelProver, ProjectModels]] = {}
        self._open = ExitStack()

    def __enter__(self) -> ProofBench:
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def set_up(
        self, fixed: FixedFile, paths: Iterable[str], groups: tuple[Rows, ...], importers: Importers
    ) -> FileBench:
        """Run the models that may run what is fixed in a file. Raises WorkerError."""
        path = fixed.path
        prover, group = self._find_prover(path)
        prover.forget_models()
        around = {os.path.realpath(each): each for each in importers.list_importers(path)}
        known = [each for each in paths if os.path.realpath(each) in around]
        bench = FileBench(prover, fixed, (path, *known))
        rows = frozenset(row for each in groups for row in each)
        for place in self._list_places(path, known, group):
            if all(not each.isdisjoint(bench.list_rows()) for each in groups) and bench.places:
                break
            bench.run_originals(place, rows)
        return bench

    def set_up_file(
        self, fixed: FixedFile, beside: Iterable[str], known: Exports | None = None
    ) -> FileBench:
        """Run the models of a file, whichever rows they run, with other files `beside` it. Raises WorkerError.

        What `known` exports came to is not tried again.
        """
        prover, group = self._find_prover(fixed.path)
        prover.forget_models()
        bench = FileBench(prover, fixed, (fixed.path, *beside), if_equal=True)
        for place in self._list_places(fixed.path, (), group):
            if not place.training:
                bench.run_originals(place, None, known)
        return bench

    def _list_places(
        self, path: str, importers: Iterable[str], group: ProjectModels
    ) -> Iterator[ModelPlace]:
        """What is configured first, then the file itself and what trains in it, then files that import it.

        Other functions of the file are called by themselves where none of these runs what is fixed.
        """
        checked = {os.path.realpath(each): each for each in (path, *importers)}
        for name, setting in group.settings.models.items():
            if is_wanted(setting, checked, group.options.project):
                yield ModelPlace(path, name, setting)
        yield ModelPlace(path)
        yield ModelPlace(path, training=True)
        yield from (ModelPlace(each) for each in [*importers][:_MOST_IMPORTERS])
        yield ModelPlace(path, training=True, alone=True)

    def _find_prover(self, path: str) -> tuple[ModelProver, ProjectModels]:
        group = next(iter(group_models([path], self._request, self._scope)))
        key = group.folder, id(group.settings)
        if key not in self._provers:
            prover = ModelProver(group.interpreter.path, group.options, self._progress)
            self._provers[key] = self._open.enter_context(prover), group
        return self._provers[key]


def name_model(model: Model) -> str:
    """One name of a model, however the path of its file is written."""
    return f"{os.path.realpath(model.path)}:{model.qualname}"


def _rows_of(report: Report) -> Rows:
    return frozenset(report.observed.rows if report.observed else ())


def describe_failure(failure: Failure) -> str:
    """`UNet could not be built: TypeError: …`."""
    words = {"import": "imported", "build": "built", "inputs": "fed", "call": "called"}
    done = words.get(failure.stage, "run")
    return f"{failure.qualname or failure.path} could not be {done}: {failure.cause}"


def _judge_report(report: Report, kept: Mapping[str, Report]) -> Verdict:
    if report.failure is not None:
        name = report.failure.qualname or report.failure.path
        return Verdict(name, failure=describe_failure(report.failure))
    assert report.model is not None
    before = _find_original(report.model, kept)
    told = report.comparison
    if told is None:
        return Verdict(report.model.qualname, failure="its process told nothing")
    exports = () if before is None else tuple(_compare_exports(before, report))
    statuses = tuple(outcome.status for outcome in report.outcomes)
    name = report.model.qualname
    return Verdict(name, told.changes, told.keys, exports, statuses, told.gained)


def _find_original(model: Model, kept: Mapping[str, Report]) -> Report | None:
    """The same model as it was; the only one there is, where a factory builds it from another file."""
    only = next(iter(kept.values())) if len(kept) == 1 else None
    return kept.get(f"{model.path}:{model.qualname}", only)


def _compare_exports(before: Report, after: Report) -> Iterator[tuple[str, bool]]:
    then = {outcome.exporter: outcome for outcome in before.outcomes}
    for outcome in after.outcomes:
        if (was := then.get(outcome.exporter)) is not None and was.status != "unavailable":
            worse = was.status == "ok" and outcome.status in WORSE
            yield describe_export(was, outcome), worse


def describe_export(was: Outcome, now: Outcome) -> str:
    """`onnx: wrong by 0.0032 → ok`; with the reason where it fails or is wrong in another way than before."""
    words = [_name_status(was), _name_status(now)]
    why = _tell_cause(now)
    told = f" ({why})" if why and why != _tell_cause(was) else ""
    return f"{now.exporter}: {' → '.join(words)}{told}"


def _name_status(outcome: Outcome) -> str:
    """`wrong by 0.0032`, `failed`, `stopped`."""
    if outcome.stage == "stopped":
        return outcome.stage
    far = f" by {outcome.error:.2g}" if outcome.status == "wrong" and outcome.error else ""
    return f"{outcome.status}{far}"


def _tell_cause(outcome: Outcome) -> str:
    """The first line of why an export failed or is wrong."""
    said = outcome.detail if outcome.status == "wrong" else outcome.message
    return said.strip().partition("\n")[0].rstrip(".")
