"""A model whose plain arguments are closed over, for what exports tensors alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.part_calls import PartAlone
from lintorch.record.arguments import pick_tensors

CLOSING_SCRIPT = '''

class Closed(torch.nn.Module):
    """A model called with tensors alone: its other arguments are those of the example."""

    def __init__(self, module):
        super().__init__()
        self.module = module
        self.arguments = example
        self.train(module.training)

    def forward(self, *given):
        left = iter(given)

        def fill(value):
            if isinstance(value, torch.Tensor):
                return next(left)
            if isinstance(value, dict):
                return {key: fill(part) for key, part in value.items()}
            return type(value)(map(fill, value)) if isinstance(value, (list, tuple)) else value

        return self.module(*fill(self.arguments))


eager, model, whole = Closed(eager), Closed(model), inputs


def inputs(**sizes):
    return tuple(tensors(whole(**sizes)))


example = inputs()
'''
"""The same as part of a program."""


def close_over_plain(job: Job) -> Job:
    """The job of a module that is called with tensors alone, one for each input."""
    tensors = pick_tensors(job.inputs)
    if len(tensors) == len(job.inputs):
        return job
    return replace(
        job,
        module=PartAlone(job.module, (job.arrange_arguments(job.example), {})),
        inputs=tuple(replace(given, name=given.label, at=()) for given in tensors),
        example=tuple(_pick_tensors(job.example)),
    )


def take_tensors_alone(exported: Exported) -> Exported:
    """The same, given plain values too, which are in it already."""
    ready, read = exported.prepare, exported.read_layers
    return replace(
        exported,
        run=lambda values: exported.run(_pick_tensors(values)),
        prepare=(lambda values: ready(_pick_tensors(values))) if ready else None,
        read_layers=(lambda values: read(_pick_tensors(values))) if read else None,
    )


def _pick_tensors(values: Sequence[Any]) -> list[torch.Tensor]:
    return [value for value in values if isinstance(value, torch.Tensor)]
