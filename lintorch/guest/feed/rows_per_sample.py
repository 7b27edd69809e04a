"""Rows beside a matrix that each sample has of its own: each sample has rows of its own, too."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.guest.process.deadline import clock


def give_own_rows(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with nodes for each sample where the matrix that joins them has a batch, and the model runs so.

    `matmul(adj, x)` takes nodes that all samples share, by broadcasting. `weight` is that of a run of the guess.
    """
    joined = {
        given.shape[1]
        for given in guess.inputs
        if len(given.shape) == 3 and given.shape[0] == "batch"
        if guess.size_along(given, 1) == guess.size_along(given, 2)
    }
    inputs = tuple(
        replace(given, shape=("batch", *given.shape))
        if len(given.shape) == 2 and given.shape[0] in joined
        else given
        for given in guess.inputs
    )
    if inputs == guess.inputs:
        return guess, weight
    other = guess.with_inputs(inputs)
    run = weigh_at(module, other.list_arguments(), other.sizes, max(1.0, deadline - clock()))
    return (guess, weight) if run is None else (other, run)
