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
from lintorch.guest.watch.array_reads import arrays_reported
from lintorch.guest.watch.attribute_writes import BufferWrites
from lintorch.guest.watch.idle_biases import Biases
from lintorch.guest.watch.plain_tensors import Unregistered
from lintorch.guest.watch.raised_errors import raised
from lintorch.guest.watch.recorder import Recorder
from lintorch.guest.watch.running_layers import Layers, modal_events
from lintorch.guest.watch.side_effects import effects
from lintorch.guest.watch.size_ranges import ranges_reported
from lintorch.guest.watch.unregistered_layers import Outside
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import listening
from lintorch.record.events import Raised, RunEvent
from lintorch.record.models import Input
from lintorch.record.runs import Run
from lintorch.record.sites import Site


@dataclass(frozen=True)
class Subject:
    """A built model in its mode; `sites` says which line made each module, `whole` where its class is."""

    module: nn.Module
    inputs: tuple[Input, ...]
    sites: Mapping[str, Site]
    whole: Site
    files: UserLines
    outside: Outside


def call(module: nn.Module, arguments: Sequence[Any]) -> object:
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


def record(subject: Subject, sizes: Mapping[str, int]) -> Run:
    """Run the model at some sizes. Sizes are followed; where that disturbs the model, they are not."""
    modal = tuple(modal_events(subject.module, subject.sites, subject.whole))
    error = ""
    for follow in (True, False):
        recorder, error = _recorded(subject, sizes, follow)
        if not error:
            break
    return Run(dict(sizes), (*modal, *recorder), error)


def refused(
    subject: Subject, sizes: Mapping[str, int], changed: Mapping[str, int]
) -> Raised | None:
    """What a model raises that does not run at some sizes; None where it does run."""
    try:
        call(subject.module, make_tensors.placed(subject.module, subject.inputs, sizes))
    except Exception as error:  # whatever user code raises
        event = raised(error, subject.module, subject.files, changed)
        return event and replace(event, built=subject.sites.get(event.layer))
    return None


def _recorded(
    subject: Subject, sizes: Mapping[str, int], follow: bool
) -> tuple[list[RunEvent], str]:
    arguments = make_tensors.placed(subject.module, subject.inputs, sizes)
    tensors = make_tensors.flatten(arguments)
    layers = Layers(subject.module, subject.sites)
    biases = Biases(subject.module, subject.sites, layers)
    plain = Unregistered(subject.module, subject.outside, tensors)
    writes = BufferWrites(tensors, subject.module)
    recorder = Recorder(subject.files, layers, writes, follow, (biases, plain))
    hearing = listening(recorder.hear_question if follow else None)
    beside = effects(subject.module, subject.files, layers, recorder.events)
    try:
        with ExitStack() as around:
            around.enter_context(layers.followed())
            around.enter_context(ranges_reported(subject.files, follow))
            around.enter_context(arrays_reported(subject.files, follow))
            around.enter_context(hearing)
            around.enter_context(beside)
            around.enter_context(recorder)
            output = call(subject.module, arguments)
    except Exception as error:  # whatever user code raises
        if is_of_memory(error):
            raise
        return recorder.events, describe_error(error)
    kept = unregistered_layers.layers(subject.module, subject.outside, layers.called)
    ended = writes.ended(subject.module, make_tensors.flatten(output))
    further = (*ended, *layers.idle(), *kept, *plain.events(), *biases.events(output))
    return [*recorder.events, *further], ""
