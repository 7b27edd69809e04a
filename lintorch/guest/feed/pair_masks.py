"""Masks of steps that a model takes only for as many samples as it has heads: they tell of each two steps."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.guest.process.deadline import clock

_OTHERS = (("batch", "steps", "steps"), ("batch", 1, "steps"), ("batch", 1, 1, "steps"))
"""Shapes of a mask that says it for each sample and each two steps, or for all of its steps alike."""


def pair_masks(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with masks of another shape, where the batch does not vary with one number a step and does with those.

    A row a sample is spread over the scores of as many heads by chance. `weight` is that of a run of the guess.
    """
    numbers = [
        n
        for n, given in enumerate(guess.inputs)
        if "mask" in given.name.lower() and len(given.shape) == 2 and given.shape[0] == "batch"
    ]
    more = {**guess.sizes, "batch": guess.sizes.get("batch", 0) + 1}
    if not numbers or len(guess.inputs) < 2 or _runs(guess, module, more, deadline):
        return guess, weight
    for shape in _OTHERS:
        inputs = list(guess.inputs)
        for number in numbers:
            steps = inputs[number].shape[1]
            inputs[number] = replace(
                inputs[number], shape=tuple(steps if each == "steps" else each for each in shape)
            )
        other = guess.with_inputs(tuple(inputs))
        run = _runs(other, module, other.sizes, deadline)
        if run is not None and _runs(other, module, more, deadline):
            return other, run
    return guess, weight


def _runs(
    guess: Guess, module: nn.Module, sizes: dict[str, int], deadline: float
) -> RunWeight | None:
    return weigh_at(module, guess.list_arguments(), sizes, max(1.0, deadline - clock()))
