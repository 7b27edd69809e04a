"""The eager model as the measure: its numbers at each set of sizes, and how firm they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.compare_numbers import Difference, find_difference
from lintorch.guest.export.module_state import copy_module, list_tensors
from lintorch.guest.export.name_outputs import name_outputs
from lintorch.guest.feed.run_weight import RunWeight, weigh_run
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.make_tensors import FIRST_DRAW, Draw, draw_inputs, flatten_output
from lintorch.guest.watch.run_steps import RunSteps, follow_steps
from lintorch.guest.watch.torch_draws import list_generator_states
from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import Model

NamedSizes = Mapping[str, int]
_NUDGE = 1e-6
"""By what share each number is moved up or down: about eight times float32's rounding of 1.2e-7."""
_MOST_NUDGES = 10.0
"""How many times what a nudge of the weights does to eager still counts as rounding."""
_MOST_DRAWS, _SECONDS_OF_CHANCE = 40, 10.0
"""Runs of a model that draws numbers, until one differs from the first; and the seconds for them."""


class Eager:
    """A model in eval mode, run afresh each time: what it does to its own state does not add up."""

    def __init__(self, module: nn.Module, model: Model) -> None:
        self.module = module
        self._outputs: dict[tuple[tuple[str, int], ...], Any] = {}
        self._chance: list[Difference | None] = []
        self.draws = False
        """Whether a run so far has drawn random numbers."""
        self.model = model
        self._draw = FIRST_DRAW

    def draw_again(self, draw: Draw) -> Eager:
        """The same model on other numbers."""
        other = Eager(self.module, self.model)
        other._draw = draw
        return other

    def make_inputs(self, sizes: NamedSizes) -> tuple[Any, ...]:
        """A tensor or plain value for each input, as at these sizes; the same ones each time."""
        return draw_inputs(self.model.inputs, sizes, self._draw)

    def follow_run(self, sought: int = -1) -> RunSteps:
        """The steps of a run at the first sizes; where one that is sought is made."""
        steps = RunSteps(sought)
        with follow_steps(steps):
            self._run_afresh(self.model.sizes)
        return steps

    def run_at(self, sizes: NamedSizes) -> Any:
        """What the model gives back at these sizes, as it is; run once. Raises what the model raises."""
        key = tuple(sizes.items())
        if key not in self._outputs:
            self._outputs[key] = self._run_afresh(sizes)
        return self._outputs[key]

    def list_numbers_at(self, sizes: NamedSizes) -> list[torch.Tensor]:
        """The tensors in what the model gives back, in order. Raises what the model raises."""
        return flatten_output(self.run_at(sizes))

    def name_outputs(self) -> tuple[str, ...]:
        """A name for each of these tensors, as forward calls them."""
        return name_outputs(self.module, self.run_at(self.model.sizes), ())

    def measure_randomness(self) -> Difference | None:
        """How far apart runs on the same inputs are; None where they agree.

        A model that draws is run more often: what it drops at five in a hundred draws differs rarely.
        """
        if not self._chance:
            self._chance = [self._find_chance()]
        return self._chance[0]

    def vanishes_at(self, sizes: NamedSizes) -> bool:
        """Whether a size inside the model is one at these sizes, and more at the first: exporters tell ones apart."""
        return self._weigh_run(self.model.sizes).vanishes_to_one(self._weigh_run(sizes))

    def is_firm(self) -> bool:
        """Whether rounding alone moves the numbers by no more than may be."""
        sizes = self.model.sizes
        return find_difference(self.list_numbers_at(sizes), self._run_nudged(sizes)) is None

    def is_excused(
        self, sizes: NamedSizes, given: Sequence[torch.Tensor], found: Difference
    ) -> bool:
        """Whether a difference is the model's own: of recording gradients, or of rounding.

        Layers with a fast path for inference give other numbers where gradients are recorded.
        """
        with copy_module(self.module) as module:
            recorded = flatten_output(module(*self._arrange_arguments(self.make_inputs(sizes))))
        if find_difference(recorded, given) is None:
            return True
        moved = find_difference(self.list_numbers_at(sizes), self._run_nudged(sizes), exact=True)
        if moved is None or moved.amount is None or found.amount is None:
            return moved is not None and moved.amount is found.amount
        return found.amount <= _MOST_NUDGES * moved.amount

    def _find_chance(self) -> Difference | None:
        first, late = self.list_numbers_at(self.model.sizes), clock() + _SECONDS_OF_CHANCE
        for _ in range(_MOST_DRAWS):
            again = flatten_output(self._run_afresh(self.model.sizes))
            if found := find_difference(first, again):
                return found
            if not self.draws or clock() > late:
                break
        return None

    def _arrange_arguments(self, given: Sequence[Any]) -> tuple[Any, ...]:
        return arrange_arguments(self.model.inputs, given)

    def _run_afresh(self, sizes: NamedSizes) -> Any:
        before = list_generator_states()
        try:
            with copy_module(self.module) as module, torch.no_grad():
                return module(*self._arrange_arguments(self.make_inputs(sizes)))
        finally:
            self.draws = self.draws or list_generator_states() != before

    def _weigh_run(self, sizes: NamedSizes) -> RunWeight:
        weight = RunWeight()
        with weigh_run(weight):
            self._run_afresh(sizes)
        return weight

    def _run_nudged(self, sizes: NamedSizes) -> list[torch.Tensor]:
        generator = torch.Generator().manual_seed(0)
        with copy_module(self.module) as module, torch.no_grad():
            nudged = [
                _nudge_tensor(value, generator) if isinstance(value, torch.Tensor) else value
                for value in self.make_inputs(sizes)
            ]
            for _, value in list_tensors(module):
                if value.is_floating_point():
                    value.copy_(_nudge_tensor(value, generator))
            return flatten_output(module(*self._arrange_arguments(nudged)))


def _nudge_tensor(tensor: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    if not tensor.is_floating_point():
        return tensor
    signs = torch.randint(0, 2, tensor.shape, generator=generator) * 2 - 1
    return tensor * (1 + _NUDGE * signs).to(tensor.dtype)
