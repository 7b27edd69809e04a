"""Whole numbers that are looked up in a table may be any of its rows, where first ones were fed that are small."""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import weigh_at
from lintorch.guest.process.deadline import clock

_SMALL = 8
"""Numbers of rows that are fed for want of knowing how many there are, at most."""
_MOST_TABLES = 4
_MOST_SECONDS = 1.0
"""Of a run, for others to be tried."""


def reach_all_rows(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, RunWeight]:
    """The guess with as many whole numbers as the table has rows that an input is looked up in, and a run of it.

    It is that table whose last row is found, and nothing behind it. `weight` is that of a run of the guess.
    """
    tables = dict.fromkeys(
        part.num_embeddings
        for part in nn.Module.modules(module)
        if isinstance(part, (nn.Embedding, nn.EmbeddingBag))
    )
    for number, given in enumerate(guess.inputs):
        small = given.dtype.startswith("int") and not given.longest and 0 < given.high <= _SMALL
        for rows in [*tables][:_MOST_TABLES] if small and weight.seconds < _MOST_SECONDS else ():
            if rows <= given.high or clock() > deadline:
                continue
            last, behind = (
                guess.with_input(number, replace(given, low=at, high=at + 1))
                for at in (rows - 1, rows)
            )
            whole = guess.with_input(number, replace(given, high=rows))
            if (
                _weigh(last, module)
                and not _weigh(behind, module)
                and (run := _weigh(whole, module))
            ):
                guess, weight = whole, run
                break
    return guess, weight


def _weigh(guess: Guess, module: nn.Module) -> RunWeight | None:
    return weigh_at(module, guess.list_arguments(), guess.sizes, 4 * _MOST_SECONDS)
