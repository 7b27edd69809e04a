"""A model is exported on trial, in children."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from lintorch.guest.construct.make_model import Built
from lintorch.guest.feed.given_weights import AS_BUILT, GivenWeights
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.parallel import ChildWork, count_room, run_side_by_side
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send
from lintorch.machine import work_folders
from lintorch.record.arguments import find_tied_sizes
from lintorch.record.bounds import SLACK
from lintorch.record.decoders import HALVES
from lintorch.record.messages import (
    CallSuggested,
    ExportBegun,
    ExportMessage,
    ExportTried,
    ModelTimed,
    PartFound,
    ScriptMissing,
    ScriptWritten,
    TimeNeeded,
)
from lintorch.record.model_options import TAKES_NO_SIZES, ModelLimits
from lintorch.record.models import Model
from lintorch.record.outcomes import REDRAWN, Outcome
from lintorch.record.precisions import list_precisions
from lintorch.record.suggestions import Suggestion
from lintorch.record.timings import ModelTiming

_SECONDS_FOR_PARTS = 20.0
"""Seconds in which the part that fails is looked for, at most."""
_SHARE_FOR_CALL = 0.9
"""Of the seconds that a trial leaves, for the call that is suggested."""
_SECOND_SHARE = 0.8
"""The share of a trial's seconds by which a second export, of a model that keeps state, has to end."""

_READS_GUARDS = ("torch.export", "onnx")
"""Exporters that say what they take for given of sizes; they are tried first."""
_MOST_BEYOND = 2
"""Sizes that those went wrong at, at which the others are compared too."""
_NO_PROGRAM = "programs are written of models in the type that they are built in"


@dataclass(frozen=True)
class RunnableModel:
    """A model that runs: what to export."""

    built: Built
    model: Model
    fed: Fed
    weights: GivenWeights = AS_BUILT

    @property
    def name(self) -> str:
        """`file.py:Class`."""
        return f"{self.model.path}:{self.model.qualname}"


@dataclass(frozen=True)
class _Trial:
    """One export to try, and the folder that it may write to."""

    exporter: str
    train: bool
    folder: Path
    precision: str = ""
    """One of `lintorch.record.precisions.PRECISIONS`; "" for the model as it is built."""


def try_exporters(work: ModelWork, subject: RunnableModel) -> None:
    """Export a model on trial with each exporter, and once more in training mode where asked."""
    subject = replace(subject, fed=_keep_free_sizes(subject.fed))
    wide = subject
    if not work.options.dynamic:
        subject = _fix_sizes(subject)
    follows_fixed = subject.built.like.open_axes == () and subject.fed.followed
    fixed = _fix_sizes(subject) if follows_fixed else subject
    inside = work.options.artifacts or work_folders.current_folder() or None
    trials = [
        _Trial(exporter, train, Path(tempfile.mkdtemp(dir=inside)), precision)
        for exporter in work.options.exporters
        for precision in list_precisions(exporter, work.options.precisions)
        for train in (False, True)
        if not train or (not precision and (subject.name, exporter) in work.options.in_training)
    ]
    at_once = count_room(work.options.processes, subject.built.module)
    readers = [each for each in trials if each.exporter in _READS_GUARDS and not each.train]
    found: dict[_Trial, Outcome] = {}
    told = 0
    for group in (readers, [each for each in trials if each not in readers]):
        beyond = [_add_sizes_beyond(each, found.values()) for each in (subject, fixed)]
        for trial, outcome in _run_trials(work, (*beyond, wide), group, at_once):
            found[trial] = outcome
            while told < len(trials) and trials[told] in found:  # in the order that was asked for
                work.send(ExportTried(found[trials[told]]))
                told += 1
    outcomes = [found[each] for each in trials]
    if subject.model.decoder is not None:
        _try_halves(work, fixed, at_once)
    if work.options.timed:
        work.send(TimeNeeded(work.options.limits.trial_seconds + SLACK))
        timed = [t for t, o in zip(trials, outcomes, strict=True) if o.is_timed and not t.train]
        _time_exports(work, fixed, timed)


def _run_trials(
    work: ModelWork,
    subjects: Sequence[RunnableModel],
    trials: Sequence[_Trial],
    at_once: int,
) -> Iterator[tuple[_Trial, Outcome]]:
    """Each trial with what came of it.

    The subjects are the model at the sizes to compare at, at those that the project's own call leaves
    open, and at all that it runs at.
    """
    subject, fixed, wide = subjects

    def announce_trial(number: int) -> None:
        work.send(ExportBegun(trials[number].exporter))
        work.send(TimeNeeded(work.options.limits.trial_seconds + SLACK))

    works = [
        partial(
            _try_in_child,
            work,
            subject if each.exporter in TAKES_NO_SIZES else fixed,
            each,
            wide,
        )
        for each in trials
    ]
    pieces = run_side_by_side(works, work.options.limits, at_once, announce_trial)
    for trial, piece in zip(trials, pieces, strict=True):
        outcome = _read_outcome(trial, piece, work.options.limits)
        if not outcome.artifact:
            shutil.rmtree(trial.folder, ignore_errors=True)
        yield trial, outcome


def _add_sizes_beyond(subject: RunnableModel, outcomes: Iterable[Outcome]) -> RunnableModel:
    """The model, to be compared also where an export that said what it holds for went wrong beyond that.

    Others keep the same bound in silence. Where no size varies, none is added.
    """
    fed = subject.fed
    beyond = (at for each in outcomes for limit in each.limits for at in limit.at)
    sizes = [{**fed.sizes, **at.sizes_by_name} for at in dict.fromkeys(beyond)]
    further = [at for at in sizes if at not in fed.varied][:_MOST_BEYOND]
    if not fed.varied:
        return subject
    return replace(subject, fed=replace(fed, varied=(*fed.varied, *further)))


def _try_halves(work: ModelWork, subject: RunnableModel, at_once: int) -> None:
    """Export the halves of a decoder with each exporter, and let both generate."""
    inside = work.options.artifacts or work_folders.current_folder() or None
    exporters = [
        e for e in work.options.exporters if "" in list_precisions(e, work.options.precisions)
    ]
    folders = [[Path(tempfile.mkdtemp(dir=inside)) for _ in HALVES] for _ in exporters]

    def announce_trial(number: int) -> None:
        work.send(ExportBegun(exporters[number]))
        work.send(TimeNeeded(work.options.limits.trial_seconds + SLACK))

    works = [
        partial(_try_halves_in_child, work, subject, exporter, own)
        for exporter, own in zip(exporters, folders, strict=True)
    ]
    pieces = run_side_by_side(works, work.options.limits, at_once, announce_trial)
    for exporter, own, piece in zip(exporters, folders, pieces, strict=True):
        outcomes = [*_read_halves(exporter, piece, work.options.limits)]
        for outcome in outcomes:
            work.send(ExportTried(outcome))
        kept = {str(Path(outcome.artifact).parent) for outcome in outcomes if outcome.artifact}
        for folder in own:
            if str(folder) not in kept:
                shutil.rmtree(folder, ignore_errors=True)


def _try_halves_in_child(
    work: ModelWork, subject: RunnableModel, exporter: str, folders: Sequence[Path], send: Send
) -> None:
    from lintorch.guest.decoding.seek_decoder import take_decoder
    from lintorch.guest.decoding.try_decoder import try_decoder

    files = work.files
    taken = take_decoder(subject.built.module, subject.model)
    if taken is None:
        return
    for outcome in try_decoder(
        exporter,
        *taken,
        subject.model,
        folders,
        dynamic=work.options.dynamic,
        opset=work.options.opsets.get(exporter),
        keep=bool(work.options.artifacts),
        strict=work.options.strict,
        user_file=lambda path: files.shown(path) if files.is_user(path) else None,
    ):
        send(ExportTried(outcome))


def _read_halves(exporter: str, piece: ChildWork, limits: ModelLimits) -> Iterator[Outcome]:
    """What a child told of each half; of one that it did not come to, why."""
    from lintorch.guest import export

    assert piece.ending is not None
    told = [parcel.open_as(ExportMessage) for parcel in piece.sent]
    outcomes = {each.outcome.half: each.outcome for each in told if isinstance(each, ExportTried)}
    for half in HALVES:
        cause = piece.ending.cause or "the model does not take its cache any more"
        stopped = Outcome(exporter, "failed", "stopped", cause, half=half)
        outcome = outcomes.get(half, stopped)
        if outcome.message == export.OUT_OF_MEMORY:
            outcome = replace(outcome, message=limits.space.describe_overuse())
        yield outcome


def _time_exports(work: ModelWork, subject: RunnableModel, trials: Sequence[_Trial]) -> None:
    """Time what runs, in a child of its own, when all others are over."""
    limits = work.options.limits
    with tempfile.TemporaryDirectory(dir=work_folders.current_folder() or None) as folder:
        exports = [(t, Path(tempfile.mkdtemp(dir=folder))) for t in trials]
        works = [partial(_time_in_child, work, subject, exports)]
        (piece,) = run_side_by_side(works, limits, 1, lambda number: None)
    assert piece.ending is not None
    told = [parcel.open_as(ExportMessage) for parcel in piece.sent]
    timing = next((each for each in told if isinstance(each, ModelTimed)), None)
    work.send(timing or ModelTimed(ModelTiming(stopped=piece.ending.cause)))


def _time_in_child(
    work: ModelWork, subject: RunnableModel, trials: Sequence[tuple[_Trial, Path]], send: Send
) -> None:
    from lintorch.guest import timing

    files, built = work.files, subject.built
    told = timing.time_model(
        built.module,
        subject.model,
        subject.fed.varied,
        [timing.TimedExport(each.exporter, each.precision, folder) for each, folder in trials],
        built.sites,
        opsets=work.options.opsets,
        strict=work.options.strict,
        named=_names_dims(subject),
        user_file=lambda path: files.shown(path) if files.is_user(path) else None,
        seconds=work.options.limits.trial_seconds,
    )
    send(ModelTimed(told))


def _fix_sizes(subject: RunnableModel) -> RunnableModel:
    """A model that is compared at the first sizes alone."""
    return replace(subject, fed=replace(subject.fed, varied=(), untried=()))


def _keep_free_sizes(fed: Fed) -> Fed:
    """Without the sizes that a plain value follows: in an export that value is a constant."""
    tied = find_tied_sizes(fed.inputs)
    free = (at for at in fed.varied if all(at[name] == fed.sizes[name] for name in tied))
    return replace(fed, varied=tuple(free))


def _names_dims(subject: RunnableModel) -> bool:
    """Whether the export that the inputs are taken from declares its sizes by names."""
    return subject.built.like.names_dims and subject.fed.followed


def _try_in_child(
    work: ModelWork, subject: RunnableModel, trial: _Trial, wide: RunnableModel, send: Send
) -> None:
    """In the child: the outcome, then what more can be found out in the time that is left.

    `wide` is the model at all sizes that it runs at, also where the project's own call fixes them: a
    call is suggested for these.
    """
    from lintorch.guest import export

    started, files = clock(), work.files
    module, model, varied = subject.built.module, subject.model, subject.fed.varied
    about: dict[str, Any] = {
        "train": trial.train,
        "user_file": lambda path: files.shown(path) if files.is_user(path) else None,
    }
    opset = work.options.opsets.get(trial.exporter)
    wanted: dict[str, Any] = {
        "opset": opset,
        "keep": bool(work.options.artifacts),
        "strict": work.options.strict,
        "named": _names_dims(subject),
        "late": started + _SECOND_SHARE * work.options.limits.trial_seconds,
    }
    if trial.precision:
        send(ExportTried(_try_precision(work, subject, trial, wanted)))
        if work.options.scripts:
            send(ScriptMissing(_NO_PROGRAM))
        return
    if work.options.scripts:
        send(_write_script(work, subject, trial))
    outcome = export.try_export(
        trial.exporter, module, model, varied, directory=trial.folder, **wanted, **about
    )
    if outcome.status == "ok" and outcome.compared:
        outcome = replace(outcome, untried=(*subject.fed.untried, *outcome.untried))
    send(ExportTried(outcome))
    if outcome.kept and work.options.scripts:
        send(_write_script(work, subject, trial, warmed=True))
    if work.options.suggest:
        if not trial.train:
            _suggest_call(work, wide, trial, outcome, about["user_file"], started, send)
        return
    if outcome.part and work.options.scripts:
        send(ScriptMissing("its outputs are right, and only they are compared by a program"))
    if REDRAWN in outcome.wrong_at and work.options.scripts:
        send(ScriptMissing("it is wrong on other numbers than those that a program feeds"))
    if not work.options.parts:
        return
    left = work.options.limits.trial_seconds - (clock() - started)
    seconds = min(_SECONDS_FOR_PARTS, left / 2)
    for name in export.find_blamed_parts(outcome, module, model, varied, seconds=seconds, **about):
        send(PartFound(name))


def _try_precision(
    work: ModelWork, subject: RunnableModel, trial: _Trial, wanted: dict[str, Any]
) -> Outcome:
    from lintorch.guest import precision

    built, given = subject.built, wanted.copy()
    del given["late"]
    whole = precision.Subject(
        built.module,
        subject.model,
        subject.fed.varied,
        work.files,
        built.sites,
        work.options.limits.memory,
    )
    return precision.try_precision(trial.exporter, trial.precision, whole, trial.folder, **given)


def _suggest_call(
    work: ModelWork,
    subject: RunnableModel,
    trial: _Trial,
    outcome: Outcome,
    user_file: Callable[[str], str | None],
    started: float,
    send: Send,
) -> None:
    """The call to copy, where the exporter is one whose calls are written."""
    from lintorch.guest import suggest

    hopeless = outcome.status == "unavailable" or outcome.stage == "stopped"
    if trial.exporter not in suggest.SUGGESTED or hopeless:
        return
    asked = suggest.Asked(
        trial.exporter,
        subject.built,
        subject.model,
        subject.fed.varied,
        opset=work.options.opsets.get(trial.exporter),
        strict=work.options.strict,
        user_file=user_file,
        directory=trial.folder,
        project=work.options.project,
    )
    left = work.options.limits.trial_seconds - (clock() - started)
    send(CallSuggested(suggest.suggest_call(asked, _SHARE_FOR_CALL * left)))


def _write_script(
    work: ModelWork, subject: RunnableModel, trial: _Trial, warmed: bool = False
) -> ScriptWritten | ScriptMissing:
    """A program that does the same, or why the model cannot be built by one."""
    from lintorch.guest import export
    from lintorch.guest.suggest.write_arguments import write_plain_model

    recipe, model = subject.built.recipe, subject.model
    try:
        building = recipe.write_statements(work.options.project)
        building += write_plain_model(subject.built.module, model.inputs)
    except ValueError as error:
        return ScriptMissing(str(error))
    text = export.write_reproduction(
        trial.exporter,
        "repro.py",
        building,
        subject.built.module,
        model,
        subject.fed.varied,
        opset=work.options.opsets.get(trial.exporter),
        train=trial.train,
        strict=work.options.strict,
        named=_names_dims(subject),
        weights=subject.weights,
        warmed=warmed,
        directory=trial.folder,
    )
    return ScriptWritten(text)


def _read_outcome(trial: _Trial, piece: ChildWork, limits: ModelLimits) -> Outcome:
    """What a child told; where it told nothing, why it was stopped."""
    from lintorch.guest import export

    assert piece.ending is not None
    seconds = round(piece.seconds, 3)
    outcome = Outcome(trial.exporter, "failed", "stopped", piece.ending.cause, seconds=seconds)
    outcome = replace(outcome, precision=trial.precision)
    part = script = unwritten = ""
    suggested: Suggestion | None = None
    for parcel in piece.sent:
        match parcel.open_as(ExportMessage):
            case ExportTried(tried):
                outcome = tried
            case PartFound(name):
                part = name
            case CallSuggested(suggestion):
                suggested = suggestion
            case ScriptWritten(text):
                script = text
            case ScriptMissing(reason):
                script, unwritten = "", reason
    if outcome.message == export.OUT_OF_MEMORY:
        outcome = replace(outcome, message=limits.space.describe_overuse())
    if outcome.status in ("wrong", "failed"):
        outcome = replace(outcome, script=script, unwritten=unwritten)
    return replace(outcome, part=part or outcome.part, suggested=suggested)
