"""One recorded execution of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import torch
from torch import nn

from lintorch.trace import feed
from lintorch.trace.arrays import arrays_reported
from lintorch.trace.layers import Layers, modal_events
from lintorch.trace.ranges import ranges_reported
from lintorch.trace.record import Event, Input, Run, Site
from lintorch.trace.recorder import Recorder
from lintorch.trace.site import Files
from lintorch.trace.sized import listening
from lintorch.trace.writes import Writes


@dataclass(frozen=True)
class Subject:
    """A built model in its mode; `sites` says which line made each module, `whole` where its class is."""

    module: nn.Module
    inputs: tuple[Input, ...]
    sites: Mapping[str, Site]
    whole: Site
    files: Files


def call(module: nn.Module, tensors: Sequence[torch.Tensor]) -> object:
    """Call a model as it is deployed: without gradients."""
    with torch.no_grad():
        return module(*feed.placed(module, tensors))


def record(subject: Subject, sizes: Mapping[str, int]) -> Run:
    """Run the model at some sizes. Sizes are followed; where that disturbs the model, they are not."""
    modal = tuple(modal_events(subject.module, subject.sites, subject.whole))
    error = ""
    for follow in (True, False):
        recorder, error = _recorded(subject, sizes, follow)
        if not error:
            break
    return Run(dict(sizes), (*modal, *recorder), error)


def _recorded(subject: Subject, sizes: Mapping[str, int], follow: bool) -> tuple[list[Event], str]:
    tensors = feed.tensors(subject.inputs, sizes)
    layers = Layers(subject.module, subject.sites)
    recorder = Recorder(subject.files, layers, Writes(tensors), follow)
    hearing = listening(recorder.heard if follow else None)
    try:
        with ExitStack() as around:
            around.enter_context(layers.followed())
            around.enter_context(ranges_reported(subject.files, follow))
            around.enter_context(arrays_reported(subject.files, follow))
            around.enter_context(hearing)
            around.enter_context(recorder)
            output = call(subject.module, tensors)
        recorder.gave(output)
    except Exception as error:  # whatever user code raises
        return recorder.events, f"{type(error).__name__}: {error}"
    return [*recorder.events, *layers.idle()], ""
