"""Outputs that tracers take: a model whose mappings and dataclasses become tuples of tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from lintorch.guest.export.exporter import Job
from lintorch.guest.watch.make_tensors import flatten_output

FLATTENING_SCRIPT = """

class Flat(torch.nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module
        self.train(module.training)

    def forward(self, *inputs):
        found = tuple(tensors(self.module(*inputs)))
        return found[0] if len(found) == 1 else found


if not isinstance(fresh(eager)(*example), (torch.Tensor, tuple, list)):
    model = Flat(model)
"""
"""The same as part of a program, for outputs that are mappings or dataclasses."""


class FlatOutputs(nn.Module):  # type: ignore[misc]
    """A module that gives back the tensors in another's output, in order.

    A tracer makes tensors of sizes: `counts` says whether the output holds such scalars itself.
    """

    def __init__(self, module: nn.Module, counts: bool) -> None:
        super().__init__()
        self.module = module
        self.counts = counts
        self.train(module.training)

    def forward(self, *inputs: torch.Tensor) -> Any:
        """The tensors: one alone, or a tuple."""
        found = flatten_output(self.module(*inputs))
        tensors = tuple(tensor for tensor in found if self.counts or not _is_count(tensor))
        return tensors[0] if len(tensors) == 1 else tensors


def make_traceable(job: Job) -> nn.Module:
    """The module itself where a tracer takes its output, else wrapped."""
    if _is_traceable_output(job.output):
        return job.module
    return FlatOutputs(job.module, any(map(_is_count, flatten_output(job.output))))


def _is_count(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 0 and not tensor.is_floating_point() and not tensor.is_complex()


def _is_traceable_output(output: Any) -> bool:
    """Whether an output is nothing but tensors in tuples and lists."""
    if type(output) in (tuple, list):
        return all(_is_traceable_output(part) for part in output)
    return isinstance(output, torch.Tensor)
