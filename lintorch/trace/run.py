"""One recorded execution of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import nn

from lintorch.trace import feed
from lintorch.trace.layers import Layers, modal_events
from lintorch.trace.raised import raised
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


def refused(subject: Subject, sizes: Mapping[str, int], changed: Mapping[str, int]) -> Event | None:
    """The `raised` event of a model that does not run at some sizes; None where it does run."""
    try:
        call(subject.module, feed.tensors(subject.inputs, sizes))
    except Exception as error:  # whatever user code raises
        event = raised(error, subject.module, subject.files, changed)
        return event and replace(event, built=subject.sites.get(event.layer))
    return None


def _recorded(subject: Subject, sizes: Mapping[str, int], follow: bool) -> tuple[list[Event], str]:
    tensors = feed.placed(subject.module, feed.tensors(subject.inputs, sizes))
    layers = Layers(subject.module, subject.sites)
    writes = Writes(tensors)
    recorder = Recorder(subject.files, layers, writes, follow)
    hearing = listening(recorder.heard if follow else None)
    try:
        with layers.followed(), ranges_reported(subject.files, follow), hearing, recorder:
            output = call(subject.module, tensors)
    except Exception as error:  # whatever user code raises
        return recorder.events, f"{type(error).__name__}: {error}"
    ended = writes.ended(subject.module, feed.flatten(output))
    return [*recorder.events, *ended, *layers.idle()], ""
