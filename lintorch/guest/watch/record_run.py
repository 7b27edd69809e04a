"""One recorded execution of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.process import tampering
from lintorch.guest.process.error_text import describe_error, is_of_memory
from lintorch.guest.watch import make_tensors, unregistered_layers
from lintorch.guest.watch.array_reads import report_arrays
from lintorch.guest.watch.attribute_writes import BufferWatch
from lintorch.guest.watch.data_flow import DataFlow
from lintorch.guest.watch.idle_biases import BiasWatch
from lintorch.guest.watch.plain_tensors import PlainTensorWatch
from lintorch.guest.watch.raised_errors import record_error
from lintorch.guest.watch.recorder import Recorder
from lintorch.guest.watch.running_layers import LayerWatch, find_modal_layers
from lintorch.guest.watch.side_effects import record_effects
from lintorch.guest.watch.size_ranges import report_ranges
from lintorch.guest.watch.unregistered_layers import OutsideParts
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import hear_questions
from lintorch.record.events import Raised, RunEvent
from lintorch.record.models import FedArgument
from lintorch.record.runs import ModelRun
from lintorch.record.sites import Site


@dataclass(frozen=True)
class WatchedModel:
    """A built model in its mode; `sites` says which line made each module, `whole` where its class is."""

    module: nn.Module
    inputs: tuple[FedArgument, ...]
    sites: Mapping[str, Site]
    whole: Site
    files: UserLines
    outside: OutsideParts


def call_model(module: nn.Module, arguments: Sequence[Any]) -> object:
    """Call a model as it is deployed: without gradients. Raises what it raises."""
    with torch.no_grad():
        try:
            return module(*arguments)
        except Exception as error:
            if lost := tampering.restore_interpreter():
                raise tampering.tampering_error(lost, error) from error
            raise
        finally:
            tampering.restore_interpreter()


def record_run(subject: WatchedModel, sizes: Mapping[str, int]) -> ModelRun:
    """Run the model at some sizes. Sizes are followed; where that disturbs the model, they are not."""
    modal = tuple(find_modal_layers(subject.module, subject.sites, subject.whole))
    error = ""
    for follow in (True, False):
        recorder, error = record_once(subject, sizes, follow)
        if not error:
            break
    return ModelRun(dict(sizes), (*modal, *recorder), error)


def record_refusal(
    subject: WatchedModel, sizes: Mapping[str, int], changed: Mapping[str, int]
) -> Raised | None:
    """What a model raises that does not run at some sizes; None where it does run."""
    try:
        call_model(
            subject.module, make_tensors.make_arguments(subject.module, subject.inputs, sizes)
        )
    except Exception as error:  # whatever user code raises
        event = record_error(error, subject.module, subject.files, changed)
        return event and replace(event, built=subject.sites.get(event.layer))
    return None


def record_once(
    subject: WatchedModel, sizes: Mapping[str, int], follow: bool = True
) -> tuple[list[RunEvent], str]:
    """What happens in one run, and what the model raises in it; "" where it comes to its end."""
    arguments = make_tensors.make_arguments(subject.module, subject.inputs, sizes)
    tensors = make_tensors.flatten_output(arguments)
    layers = LayerWatch(subject.module, subject.sites)
    biases = BiasWatch(subject.module, subject.sites, layers)
    plain = PlainTensorWatch(subject.module, subject.outside, tensors)
    writes = BufferWatch(tensors, subject.module)
    flow = DataFlow(tensors)
    recorder = Recorder(subject.files, layers, writes, follow, flow, (biases, plain))
    hearing = hear_questions(recorder.hear_question if follow else None)
    beside = record_effects(subject.module, subject.files, layers, recorder.events)
    try:
        with ExitStack() as around:
            around.enter_context(layers.follow_calls())
            around.enter_context(report_ranges(subject.files, follow))
            around.enter_context(report_arrays(subject.files, follow))
            around.enter_context(hearing)
            around.enter_context(beside)
            around.enter_context(recorder)
            output = call_model(subject.module, arguments)
    except Exception as error:  # whatever user code raises
        if is_of_memory(error):
            raise
        return recorder.events, describe_error(error)
    kept = unregistered_layers.find_outside_layers(subject.module, subject.outside, layers.called)
    ended = writes.find_late_writes(subject.module, make_tensors.flatten_output(output))
    further = (
        *ended,
        *layers.find_idle_layers(),
        *kept,
        *plain.list_events(),
        *biases.list_events(output),
    )
    return [*recorder.events, *further], ""
