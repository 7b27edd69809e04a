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
from lintorch.guest.watch.record_run import Subject, call
from lintorch.record.arguments import arranged

Outputs = list[torch.Tensor]
Around = Callable[[nn.Module], AbstractContextManager[None]]
OTHER = 1
"""The seed of inputs with other values."""


class Replay:
    """A model that is run again and again, each time as it was at first."""

    def __init__(self, subject: Subject, sizes: Mapping[str, int]) -> None:
        self.subject, self._sizes = subject, sizes

    @cached_property
    def first(self) -> Outputs:
        """What comes out when nothing is changed."""
        return self.outputs()

    @cached_property
    def is_steady(self) -> bool:
        """Whether the model gives the same output again when nothing is changed."""
        return bool(self.first) and self.changed(self.outputs()) is None

    def outputs(
        self, around: Around = lambda module: nullcontext(), values: int = make_tensors.SEED
    ) -> Outputs:
        """The tensors that come out, when `around(module)` is entered before the call."""
        with copy_module(self.subject.module) as module, around(module):
            return self.called(module, values)

    def called(self, module: nn.Module, values: int = make_tensors.SEED) -> Outputs:
        """One call of this very module."""
        seed_generators()
        given = make_tensors.placed(module, self.subject.inputs, self._sizes, values)
        return [tensor.detach().clone() for tensor in make_tensors.flatten(call(module, given))]

    def elsewhere(self, device: str) -> tuple[Any, ...]:
        """What the model is fed, on a device."""
        made = make_tensors.tensors(self.subject.inputs, self._sizes)
        return arranged(self.subject.inputs, [tensor.to(device) for tensor in made])

    def changed(self, outputs: Outputs) -> Difference | None:
        """What differs from the first outputs, beyond rounding."""
        return find_difference(self.first, outputs)


def told(found: Difference) -> str:
    """`differs by up to 0.25`."""
    return found.why if found.amount is None else f"the output differs by up to {found.amount:.3g}"
