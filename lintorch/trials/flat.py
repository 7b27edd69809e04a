"""Outputs that tracers take: a model whose mappings and dataclasses become tuples of tensors."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from lintorch.trace.feed import flatten
from lintorch.trials.exporter import Job


class Flat(nn.Module):  # type: ignore[misc]
    """A module that gives back the tensors in another's output, in order."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        self.train(module.training)

    def forward(self, *inputs: torch.Tensor) -> Any:
        """The tensors: one alone, or a tuple."""
        tensors = tuple(flatten(self.module(*inputs)))
        return tensors[0] if len(tensors) == 1 else tensors


def traceable(job: Job) -> nn.Module:
    """The module itself where a tracer takes its output, else wrapped."""
    return job.module if job.plain else Flat(job.module)


def plain(output: Any) -> bool:
    """Whether an output is nothing but tensors in tuples and lists."""
    if type(output) in (tuple, list):
        return all(plain(part) for part in output)
    return isinstance(output, torch.Tensor)
