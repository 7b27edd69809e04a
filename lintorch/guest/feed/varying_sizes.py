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
from lintorch.record.models import FedArgument, PlainArgument
from lintorch.record.plain_values import bind_sizes


@dataclass(frozen=True)
class Fed:
    """What the model runs on; `varied` are the other sizes at which it runs too, each with all names.

    `named` are the inputs with names also for the sizes that may not vary, and `refused` the changes
    of `named_sizes` that the model did not take. `followed` says that a call feeds it such inputs.
    """

    inputs: tuple[FedArgument, ...]
    sizes: Mapping[str, int]
    varied: tuple[Mapping[str, int], ...]
    named: tuple[FedArgument, ...] = ()
    named_sizes: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[Mapping[str, int], ...] = ()
    followed: bool = False


def fix_constant_sizes(guess: Guess, module: nn.Module, deadline: float) -> Fed:
    """Names only for sizes that may vary; the others become numbers."""
    arguments = guess.list_arguments()

    def runs(sizes: Mapping[str, int]) -> bool:
        if clock() > deadline:
            return False
        try:
            with limit_seconds(max(1.0, deadline - clock())):
                call_model(module, make_tensors.make_arguments(module, arguments, sizes))
        except (Exception, SystemExit, TooSlow):  # whatever user code raises
            return False
        return True

    whole = vary_each_size(arguments, guess.sizes, runs)
    free = make_tensors.find_dynamic_names(guess.sizes, whole.varied)
    fixed = {name: size for name, size in guess.sizes.items() if name not in free}
    inputs = tuple(_put_numbers(given, fixed) for given in arguments)
    sizes = {name: size for name, size in guess.sizes.items() if name in free}
    varied = tuple({n: s for n, s in at.items() if n in free} for at in whole.varied)
    return replace(whole, inputs=inputs, sizes=sizes, varied=varied, followed=guess.followed)


def _put_numbers(given: FedArgument, fixed: Mapping[str, int]) -> FedArgument:
    """The same with numbers for the sizes that do not vary."""
    if isinstance(given, PlainArgument):
        return replace(given, value=bind_sizes(given.value, fixed))
    shape = (fixed.get(size, size) if isinstance(size, str) else size for size in given.shape)
    return replace(given, shape=tuple(shape))


def vary_each_size(
    inputs: tuple[FedArgument, ...],
    sizes: Mapping[str, int],
    runs: Callable[[Mapping[str, int]], bool],
) -> Fed:
    """What the model runs on, after each group of named sizes was changed."""
    varied = make_tensors.vary_sizes(sizes, runs)
    refused = make_tensors.find_unvaried_sizes(sizes, varied)
    return Fed(inputs, sizes, varied, inputs, sizes, refused)
