"""Outputs that tracers take: a model whose mappings and dataclasses become tuples of tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.exporter import Exported, Job
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
_KINDS = {dict: "dict", bool: "bool", int: "number", float: "number", str: "string"}


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


def flatten_outputs(job: Job) -> nn.Module:
    """The module itself where it gives back nothing but tensors in tuples and lists, else wrapped."""
    if any(list_odd_outputs(job.output)):
        return FlatOutputs(job.module, _has_counts(job.output))
    return job.module


def drop_counts(exported: Exported, job: Job) -> Exported:
    """The same without the sizes among its outputs, which are no tensors in eager."""
    if _has_counts(job.output):
        return exported

    def run(tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        return [tensor for tensor in exported.run(tensors) if not _is_count(tensor)]

    return replace(exported, run=run)


NAMED_TUPLE = "a named tuple"
NESTED = "a list of lists or tuples"


def list_odd_outputs(output: Any) -> Iterator[str]:
    """What an output holds, in words, beside tensors in tuples and lists: `a dict`, `None`."""
    if isinstance(output, (tuple, list)):
        if hasattr(output, "_fields"):
            yield NAMED_TUPLE
        elif isinstance(output, list) and any(isinstance(part, (tuple, list)) for part in output):
            yield NESTED
        for part in output:
            yield from list_odd_outputs(part)
    elif not isinstance(output, torch.Tensor):
        yield _name_value(output)


def _name_value(value: Any) -> str:
    if value is None:
        return "None"
    for kind, word in _KINDS.items():
        if type(value) is kind:
            return f"a {word}"
    if isinstance(value, Mapping):
        return f"a mapping, {type(value).__name__}"
    return f"an object of class {type(value).__name__}"


def _has_counts(output: Any) -> bool:
    return any(map(_is_count, flatten_output(output)))


def _is_count(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 0 and not tensor.is_floating_point() and not tensor.is_complex()
