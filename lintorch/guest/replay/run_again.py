"""Runs of one model from the same state, with the same seeds, on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import Difference, find_difference
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.process.surroundings import seed_generators
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.record_run import WatchedModel, call_model
from lintorch.record.arguments import arrange_arguments

Outputs = list[torch.Tensor]
Around = Callable[[nn.Module], AbstractContextManager[None]]
OTHER = 1
"""The seed of inputs with other values."""


class Replay:
    """A model that is run again and again, each time as it was at first."""

    def __init__(self, subject: WatchedModel, sizes: Mapping[str, int]) -> None:
        self.subject, self._sizes = subject, sizes

    @cached_property
    def first(self) -> Outputs:
        """What comes out when nothing is changed."""
        return self.run_model()

    @cached_property
    def is_steady(self) -> bool:
        """Whether the model gives the same output again when nothing is changed."""
        return bool(self.first) and self.compare_outputs(self.run_model()) is None

    def run_model(
        self, around: Around = lambda module: nullcontext(), values: int = make_tensors.SEED
    ) -> Outputs:
        """The tensors that come out, when `around(module)` is entered before the call."""
        with copy_module(self.subject.module) as module, around(module):
            return self.call_module(module, values)

    def call_module(self, module: nn.Module, values: int = make_tensors.SEED) -> Outputs:
        """One call of this very module."""
        seed_generators()
        given = make_tensors.make_arguments(module, self.subject.inputs, self._sizes, values)
        return [
            tensor.detach().clone()
            for tensor in make_tensors.flatten_output(call_model(module, given))
        ]

    def inputs_on(self, device: str) -> tuple[Any, ...]:
        """What the model is fed, on a device."""
        made = make_tensors.make_inputs(self.subject.inputs, self._sizes)
        return arrange_arguments(self.subject.inputs, make_tensors.move_tensors(made, device))

    def compare_outputs(self, outputs: Outputs) -> Difference | None:
        """What differs from the first outputs, beyond rounding."""
        return find_difference(self.first, outputs)


def describe_difference(found: Difference) -> str:
    """`differs by up to 0.25`."""
    return found.why if found.amount is None else f"the output differs by up to {found.amount:.3g}"
