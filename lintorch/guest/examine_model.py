"""The child's side: one model is built, fed, recorded at several sizes, traced as a graph and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from torch import nn

from lintorch.guest import replay
from lintorch.guest.construct.class_uses import read_uses
from lintorch.guest.construct.make_model import Built
from lintorch.guest.construct.model_identity import (
    ModelIdentity,
    identify_model,
    list_contained_models,
)
from lintorch.guest.construct.model_purpose import find_purpose
from lintorch.guest.construct.recipe import write_settings
from lintorch.guest.decoding.seek_decoder import find_fact, seek_decoder, take_halves
from lintorch.guest.export_model import RunnableModel, try_exporters
from lintorch.guest.feed.feed_model import feed_model
from lintorch.guest.feed.given_weights import AS_BUILT, GivenWeights
from lintorch.guest.feed.liven_model import liven_model
from lintorch.guest.feed.settle_model import settle_model
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process.assumptions import list_assumptions
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send
from lintorch.guest.record_beyond import record_beyond
from lintorch.guest.watch import record_run
from lintorch.guest.watch.change_axis import is_about_size, record_changed_axis
from lintorch.guest.watch.make_tensors import is_scalar, make_arguments
from lintorch.guest.watch.model_state import measure_state
from lintorch.guest.watch.record_run import call_model
from lintorch.guest.watch.running_layers import list_layers
from lintorch.guest.watch.size_ranges import find_user_modules
from lintorch.guest.watch.trace_graphs import TRACERS
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.bounds import SLACK
from lintorch.record.events import ModuleWrite, OperatorCall, Raised, RunEvent, TensorRead
from lintorch.record.held_axes import Axis, list_held_axes, list_near_axes
from lintorch.record.messages import (
    FactShown,
    GraphTried,
    ModelFound,
    ModelMessage,
    OutputSeen,
    RefusalSeen,
    RunRecorded,
    StateSeen,
    TimeNeeded,
)
from lintorch.record.model_options import ModelOptions
from lintorch.record.models import Model, Purpose
from lintorch.record.runs import GraphCapture, ModelRun, Tracer
from lintorch.record.sites import Site
from lintorch.record.work_bounds import REPLAY_SECONDS

_REFUSED_SHARE = 0.1
"""Of the time that is left, for each try at sizes that a model does not take."""
_VERDICTS = (".equal", ".allclose")
"""Ends of the names of operators that give one answer of the data of two tensors."""
_AXES_SHARE = 0.2
"""Of the time that is left, for all changes of sizes that have no name of their own."""


def examine_model(
    send: Send,
    identity: ModelIdentity,
    makes: Callable[[], Iterator[Built]],
    files: UserLines,
    options: ModelOptions,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Send what becomes of one model: that it failed, or is found, then its runs, graphs and exports."""
    work = ModelWork(send, identity, files, options, clock() + options.limits.seconds)
    found = find_model(work, makes, setting, passed)
    if found is None:
        if options.state:
            _send_unfed_state(send, makes)
        return
    work, built, fed, model = found
    if options.state:
        send(StateSeen(measure_state(built.module)))
    weights = AS_BUILT
    if options.trace or options.exporters:
        work, weights = give_lively_weights(work, built, fed)
    whole = Site(work.identity.path, work.identity.row)
    subject = record_run.WatchedModel(
        built.module, fed.inputs, built.sites, whole, files, built.outside
    )
    if options.trace:
        runs = _record_runs(work, subject, fed)
        further, untried = record_beyond(work, subject, fed, runs)
        fed = replace(fed, varied=(*fed.varied, *further), untried=untried)
        if runs and options.axes and options.dynamic and not built.made_up:
            _change_axes(work, subject, fed, runs[0], model.configured)
        if runs and options.graphs:
            _trace_graphs(work, subject, fed, runs)
        if runs and model.decoder is not None:
            _record_halves(work, subject, model)
    if not model.purpose:
        try_exporters(work, RunnableModel(built, model, fed, weights))


def _send_unfed_state(send: Send, makes: Callable[[], Iterator[Built]]) -> None:
    """The state of a model that could be built, and not run."""
    try:
        built = next(makes(), None)
    except BaseException:  # whatever user code raises; that it was not built has been told
        return
    if built is not None:
        send(StateSeen(measure_state(built.module)))


def find_model(
    work: ModelWork,
    makes: Callable[[], Iterator[Built]],
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> tuple[ModelWork, Built, Fed, Model] | None:
    """The model built and fed, which is sent; None where it fails, which is sent too, or is passed over."""
    identity, files, options = work.identity, work.files, work.options

    def name_model(module: nn.Module) -> ModelIdentity | None:
        itself = identify_model(identity, module, files)
        if setting:
            return itself
        is_passed = itself != identity and f"{itself.path}:{itself.qualname}" in passed
        return None if is_passed else identity

    found = feed_model(work, makes, setting, name_model)
    if found is None:
        return None
    work, built, fed = found
    model = describe_found(work, built, fed)
    model = replace(model, configured="inputs" in setting)
    if decoder := seek_decoder(work, built.module, fed, setting):
        model = replace(model, decoder=decoder.form, halves=decoder.halves)
    if not setting and not options.only:
        model = replace(model, purpose=_find_purpose(work, model, built))
    work.send(ModelFound(model))
    return work, built, fed, model


def give_lively_weights(work: ModelWork, built: Built, fed: Fed) -> tuple[ModelWork, GivenWeights]:
    """Give a model lively weights; which it has. That takes no time from its runs."""
    began = clock()
    settled = settle_model(built.module, fed)
    weights = GivenWeights(liven_model(work, built.module, fed), settled, fed.trained)
    work = replace(work, deadline=work.deadline + clock() - began)
    work.send(TimeNeeded(work.count_seconds_left() + SLACK))
    return work, weights


def describe_found(work: ModelWork, built: Built, fed: Fed) -> Model:
    """How a model was built and what it is fed, as it is told."""
    identity, files = work.identity, work.files
    factory, settings, unsaid = write_settings(built.recipe, work.options.project)
    return Model(
        identity.path,
        identity.qualname,
        identity.row,
        built.arguments,
        fed.inputs,
        fed.sizes,
        list_contained_models(identity, built.module, files),
        sum(parameter.numel() for parameter in built.module.parameters()),
        factory=factory,
        settings=settings,
        unsaid=unsaid,
        made_up=built.made_up,
        assumptions=(*list_assumptions(), *fed.assumed),
        layers=list_layers(built.module, built.sites),
        raised=fed.raised,
    )


def _find_purpose(work: ModelWork, model: Model, built: Built) -> Purpose:
    """What the model is that is not exported: by what it is, how the checked files use it, what it gives."""

    def send_kind(send: Send) -> None:
        given = make_arguments(built.module, model.inputs, model.sizes)
        send(OutputSeen(is_scalar(call_model(built.module, given))))

    def gives_scalar() -> bool:
        sent, _ = work.run_step(send_kind, work.count_seconds_left(), OutputSeen)
        return any(parcel.open_as(OutputSeen).scalar for parcel in sent)

    uses = read_uses(work.files.checked, type(built.module).__name__)
    return find_purpose(built.module, model, uses, gives_scalar)


def _record_runs(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed
) -> tuple[ModelRun, ...]:
    """Record a run at each set of sizes; nothing where that at the first sizes did not come to its end.

    One at other sizes that the time does not reach for is left out.
    """
    find_user_modules(work.files)  # once, for the forks that each run is
    raised = (*_record_refusals(work, subject, fed),)
    runs: list[ModelRun] = []
    for sizes in (fed.sizes, *fed.varied):
        if runs and work.is_time_up:
            break

        def send_run(send: Send, sizes: Mapping[str, int] = sizes) -> None:
            send(RunRecorded(record_run.record_run(subject, sizes)))

        sent, ending = work.run_step(send_run, work.count_seconds_left(), RunRecorded)
        for parcel in sent:
            found = parcel.open_as(RunRecorded).run
            found = found if runs else replace(found, events=(*found.events, *raised))
            work.send(RunRecorded(found))
            runs.append(found)
        if ending.cause and not runs:
            work.send_failure("stopped", ending.cause, ending.output)
            return ()
    if error := next((run.error for run in runs if run.error), ""):
        work.send_failure("run", error)
    if runs and not runs[0].error:
        _replay_run(work, subject, fed, runs[0])
    return tuple(runs)


def _record_halves(work: ModelWork, subject: record_run.WatchedModel, model: Model) -> None:
    """Record the prompt, and a step behind a cache, at their sizes; and where a step forgets."""

    def send_runs(send: Send) -> None:
        if fact := find_fact(subject.module, model, work.files):
            send(FactShown(fact))
        for half in take_halves(subject.module, model):
            watched = replace(subject, module=half.module, inputs=half.inputs)
            for sizes in (half.sizes, *half.varied):
                run = record_run.record_run(watched, sizes)
                send(RunRecorded(replace(run, half=half.name)))

    for parcel in work.run_step(send_runs, work.count_seconds_left(), ModelMessage)[0]:
        work.send(parcel)


def _record_refusals(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed
) -> Iterator[Raised]:
    """What the model raises at the sizes that it does not take, run afresh."""
    named = replace(subject, inputs=fed.named)
    for changed in fed.refused:

        def send_refusal(send: Send, changed: Mapping[str, int] = changed) -> None:
            event = record_run.record_refusal(named, {**fed.named_sizes, **changed}, changed)
            send(RefusalSeen(event))

        sent, _ = work.run_step(
            send_refusal, work.count_seconds_left() * _REFUSED_SHARE, RefusalSeen
        )
        found = (parcel.open_as(RefusalSeen).event for parcel in sent)
        yield from (event for event in found if event is not None)


def _change_axes(
    work: ModelWork,
    subject: record_run.WatchedModel,
    fed: Fed,
    recorded: ModelRun,
    configured: bool,
) -> None:
    """Change each axis that no run changes, or not by much; of one that takes too long nothing is known.

    What settings fix stays as it is.
    """
    if recorded.error or not fed.varied or not any(map(is_about_size, recorded.events)):
        return
    if work.is_time_up:
        return
    held = () if configured else list_held_axes(fed.inputs)
    axes = [*held, *list_near_axes(fed.inputs, fed.sizes, fed.varied)]
    writes = any(isinstance(event, ModuleWrite) for event in recorded.events)
    ends = clock() + work.count_seconds_left() * _AXES_SHARE
    for together in ([axis] for axis in axes) if writes else [axes]:

        def send_runs(send: Send, together: Sequence[Axis] = together) -> None:
            for axis in together:
                if run := record_changed_axis(subject, fed.sizes, axis):
                    send(RunRecorded(run))

        if (left := ends - clock()) > 0:
            for parcel in work.run_step(send_runs, left, RunRecorded)[0]:
                work.send(parcel)


def _replay_run(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed, recorded: ModelRun
) -> None:
    """Run the model with one thing changed, where the record asks for that; what it shows is sent as it comes."""
    if not replay.is_replay_wanted(recorded.events):
        return

    def send_facts(send: Send) -> None:
        for fact in replay.replay_run(subject, fed.sizes, recorded.events):
            send(FactShown(fact))

    work.send(TimeNeeded(REPLAY_SECONDS + SLACK))
    facts, _ = work.run_step(send_facts, REPLAY_SECONDS, FactShown)
    for fact in facts:
        work.send(fact)


def _reads_data(event: RunEvent) -> bool:
    """Whether Python learns of the data of a tensor."""
    return isinstance(event, TensorRead) or (
        isinstance(event, OperatorCall) and event.name.endswith(_VERDICTS)
    )


def _trace_graphs(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed, runs: Sequence[ModelRun]
) -> None:
    """Trace the model as a graph, each way in time of its own.

    torch.export takes as long as all else together: without trial exports it is asked of models that read
    data, which it may refuse, and where its program is wanted.
    """
    wanted = bool(work.options.program or work.options.exporters)
    wanted = wanted or any(_reads_data(event) for run in runs for event in run.events)
    for tracer, trace in TRACERS.items():
        if tracer is Tracer.EXPORT and not wanted:
            continue

        def send_graph(send: Send, trace: Any = trace) -> None:
            send(GraphTried(trace(subject, fed.sizes)))

        seconds = work.options.limits.seconds
        work.send(TimeNeeded(seconds + SLACK))
        sent, ending = work.run_step(send_graph, seconds, GraphTried)
        for parcel in sent:
            work.send(parcel)
        if not sent:
            work.send(GraphTried(GraphCapture(tracer, False, ending.cause)))
