"""The eager model as the measure: its numbers at each set of sizes, and how firm they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import Difference, difference
from lintorch.guest.export.module_state import fresh, tensors_of
from lintorch.guest.watch.make_tensors import flatten, tensors
from lintorch.record.arguments import arranged
from lintorch.record.trace import Model

Sizes = Mapping[str, int]
_NUDGE = 1e-6
_NOISE = 10.0
"""How many times what a nudge of the weights does to eager still counts as rounding."""


class Eager:
    """A model in eval mode, run afresh each time: what it does to its own state does not add up."""

    def __init__(self, module: nn.Module, model: Model) -> None:
        self._module = module
        self._outputs: dict[tuple[tuple[str, int], ...], Any] = {}
        self._again: list[torch.Tensor] | None = None
        self.model = model

    def fed(self, sizes: Sizes) -> tuple[torch.Tensor, ...]:
        """A tensor for each input at these sizes."""
        return tensors(self.model.inputs, sizes)

    def output(self, sizes: Sizes) -> Any:
        """What the model gives back at these sizes, as it is; run once."""
        key = tuple(sizes.items())
        if key not in self._outputs:
            self._outputs[key] = self._run(sizes)
        return self._outputs[key]

    def numbers(self, sizes: Sizes) -> list[torch.Tensor]:
        """The tensors in what the model gives back."""
        return flatten(self.output(sizes))

    def randomness(self) -> Difference | None:
        """How far apart two runs on the same inputs are; None where they agree."""
        if self._again is None:
            self._again = flatten(self._run(self.model.sizes))
        return difference(self.numbers(self.model.sizes), self._again)

    def excuses(self, sizes: Sizes, given: Sequence[torch.Tensor], found: Difference) -> bool:
        """Whether a difference is the model's own: of recording gradients, or of rounding.

        Layers with a fast path for inference give other numbers where gradients are recorded.
        """
        with fresh(self._module) as module:
            recorded = flatten(module(*self._arguments(self.fed(sizes))))
        if difference(recorded, given) is None:
            return True
        moved = difference(self.numbers(sizes), self._nudged(sizes), exact=True)
        if moved is None or moved.amount is None or found.amount is None:
            return moved is not None and moved.amount is found.amount
        return found.amount <= _NOISE * moved.amount

    def _arguments(self, given: Sequence[torch.Tensor]) -> tuple[Any, ...]:
        return arranged(self.model.inputs, given)

    def _run(self, sizes: Sizes) -> Any:
        with fresh(self._module) as module, torch.no_grad():
            return module(*self._arguments(self.fed(sizes)))

    def _nudged(self, sizes: Sizes) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        with fresh(self._module) as module, torch.no_grad():
            nudged = [_nudge(tensor, generator) for tensor in self.fed(sizes)]
            for _, value in tensors_of(module):
                if value.is_floating_point():
                    value.copy_(_nudge(value, generator))
            return flatten(module(*self._arguments(nudged)))


def _nudge(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    signs = torch.randint(0, 2, tensor.shape, generator=generator) * 2 - 1
    return tensor * (1 + _NUDGE * signs).to(tensor.dtype)
