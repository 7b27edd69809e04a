"""The sizes of what a model runs on that may vary."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.record_run import call_model
from lintorch.record.models import Input


@dataclass(frozen=True)
class Fed:
    """What the model runs on; `varied` are the other sizes at which it runs too, each with all names.

    `named` are the inputs with names also for the sizes that may not vary, and `refused` the changes
    of `named_sizes` that the model did not take.
    """

    inputs: tuple[Input, ...]
    sizes: Mapping[str, int]
    varied: tuple[Mapping[str, int], ...]
    named: tuple[Input, ...] = ()
    named_sizes: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[Mapping[str, int], ...] = ()


def fix_constant_sizes(guess: Guess, module: nn.Module, deadline: float) -> Fed:
    """Names only for sizes that may vary; the others become numbers."""

    def runs(sizes: Mapping[str, int]) -> bool:
        if clock() > deadline:
            return False
        try:
            with limit_seconds(max(1.0, deadline - clock())):
                call_model(module, make_tensors.make_arguments(module, guess.inputs, sizes))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            return False
        return True

    whole = vary_each_size(guess.inputs, guess.sizes, runs)
    free = make_tensors.find_dynamic_names(guess.sizes, whole.varied)
    inputs = tuple(
        replace(
            given,
            shape=tuple(
                guess.sizes[size] if isinstance(size, str) and size not in free else size
                for size in given.shape
            ),
        )
        for given in guess.inputs
    )
    sizes = {name: size for name, size in guess.sizes.items() if name in free}
    varied = tuple({n: s for n, s in at.items() if n in free} for at in whole.varied)
    return replace(whole, inputs=inputs, sizes=sizes, varied=varied)


def vary_each_size(
    inputs: tuple[Input, ...], sizes: Mapping[str, int], runs: Callable[[Mapping[str, int]], bool]
) -> Fed:
    """What the model runs on, after each group of named sizes was changed."""
    varied = make_tensors.vary_sizes(sizes, runs)
    refused = make_tensors.find_unvaried_sizes(sizes, varied)
    return Fed(inputs, sizes, varied, inputs, sizes, refused)
