"""The sizes of what a model runs on that may vary."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf, prod

from torch import nn

from lintorch.guest.feed.begun_state import Begun
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.guess_lengths import follow_lengths
from lintorch.guest.feed.link_sizes import link_names, link_numbers
from lintorch.guest.feed.other_sizes import (
    Runs,
    find_unvaried_sizes,
    may_differ,
    may_grow,
    vary_sizes,
)
from lintorch.guest.feed.run_weight import RunWeight, TooHeavy, weigh_run
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.record_run import call_model
from lintorch.record.events import Raised
from lintorch.record.models import FedArgument, Input, PlainArgument
from lintorch.record.outcomes import Untried
from lintorch.record.plain_values import bind_sizes

_MOST_SECONDS, _TIMES_AS_HEAVY = 2.5, 2.5
"""A run at other sizes may be as heavy as that, or so many times as heavy as the first, whichever is more."""

_MOST_LINKED = 3
"""Sizes that are changed along with others."""


@dataclass(frozen=True)
class Fed:
    """What the model runs on; `varied` are the other sizes at which it runs too, each with all names.

    `named` are the inputs with names also for the sizes that may not vary, and `refused` the changes
    of `named_sizes` that the model did not take. `followed` says that a call feeds it such inputs,
    and `assumed` what is not as the model has it. `on_cpu` is the line for which all that is made on
    a GPU by name is made on the CPU. It is `moving` where runs have changed weights of the model,
    and `trained` where it ran in training mode once before all else; `begun` is the method that was
    called first. `untried` are sizes on the other
    side of a comparison, or of a constant, that were left out. `raised` is what the model raised
    as a call of the project builds it, where it only runs as it is built otherwise.
    """

    inputs: tuple[FedArgument, ...]
    sizes: Mapping[str, int]
    varied: tuple[Mapping[str, int], ...]
    named: tuple[FedArgument, ...] = ()
    named_sizes: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[Mapping[str, int], ...] = ()
    followed: bool = False
    assumed: tuple[str, ...] = ()
    on_cpu: str = ""
    moving: bool = False
    trained: bool = False
    begun: Begun | None = None
    untried: tuple[Untried, ...] = ()
    raised: tuple[Raised, ...] = ()


class SizeTrials:
    """Runs of a model at other sizes than its first, none of which may be much heavier than that one."""

    def __init__(
        self,
        module: nn.Module,
        inputs: tuple[FedArgument, ...],
        first: tuple[Mapping[str, int], RunWeight],
        deadline: float,
    ) -> None:
        self._module, self._inputs, self._deadline = module, inputs, deadline
        self._sizes, self._first = first
        self._most = find_most_seconds(self._first)
        self.left_out = False
        """Whether the sizes asked about last were left out as too heavy, and not refused."""

    def runs_at(self, sizes: Mapping[str, int]) -> bool:
        """Whether the model runs there, and no size inside it vanishes to one."""
        grown = prod(sizes.values()) / prod(self._sizes.values())
        self.left_out = clock() > self._deadline or self._first.seconds * grown > self._most
        if self.left_out:
            return False
        seconds = max(1.0, self._deadline - clock())
        try:
            found = _weigh_run(self._module, self._inputs, sizes, seconds, self._most)
        except (Exception, SystemExit, TooSlow, TooHeavy) as error:  # whatever user code raises
            self.left_out = isinstance(error, (TooSlow, TooHeavy))
            return False
        return not self._first.vanishes_to_one(found) and not self._folds_into_batch(sizes, found)

    def _folds_into_batch(self, sizes: Mapping[str, int], found: RunWeight) -> bool:
        """Whether what comes last has as many rows as samples at first, and not at other sides: `view(-1, n)` took some for samples."""
        samples = self._sizes.get("batch", 0)
        alike = 0 < samples == self._first.count_last_rows()
        return alike and sizes["batch"] == samples != found.count_last_rows() > 0


def find_most_seconds(first: RunWeight) -> float:
    """How heavy a run at other sizes may be, in seconds of a core."""
    return max(_MOST_SECONDS, _TIMES_AS_HEAVY * first.seconds)


def weigh_at(
    module: nn.Module,
    inputs: tuple[FedArgument, ...],
    sizes: Mapping[str, int],
    seconds: float,
    most: float = inf,
) -> RunWeight | None:
    """What a run at some sizes computes; None where it fails, lasts or computes too long."""
    try:
        return _weigh_run(module, inputs, sizes, seconds, most)
    except (Exception, SystemExit, TooSlow, TooHeavy):  # whatever user code raises
        return None


def _weigh_run(
    module: nn.Module,
    inputs: tuple[FedArgument, ...],
    sizes: Mapping[str, int],
    seconds: float,
    most: float,
) -> RunWeight:
    weight = RunWeight(most)
    with limit_seconds(seconds), weigh_run(weight):
        call_model(module, make_tensors.make_arguments(module, inputs, sizes))
    return weight


def fix_constant_sizes(guess: Guess, weight: RunWeight, module: nn.Module, deadline: float) -> Fed:
    """Names only for sizes that may vary; the others become numbers, as does what is 1 at first.

    `weight` is that of a run of the guess.
    """
    guess = _free_shared_sizes(_fix_ones(guess), weight, module, deadline)
    guess, whole = _vary_linked_sizes(guess, weight, module, deadline)
    arguments = guess.list_arguments()
    free = make_tensors.find_dynamic_names(guess.sizes, whole.varied)
    fixed = {name: size for name, size in guess.sizes.items() if name not in free}
    inputs = tuple(_bind_names(given, fixed) for given in arguments)
    sizes = {name: size for name, size in guess.sizes.items() if name in free}
    varied = tuple({n: s for n, s in at.items() if n in free} for at in whole.varied)
    return replace(whole, inputs=inputs, sizes=sizes, varied=varied, followed=guess.followed)


def _vary_linked_sizes(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> tuple[Guess, Fed]:
    """Each size changed; one that cannot be by itself, along with others that are as big: nodes and their edges."""

    def vary(guess: Guess) -> Fed:
        return vary_each_size(guess.list_arguments(), guess.sizes, make_trials(guess).runs_at)

    def make_trials(guess: Guess) -> SizeTrials:
        return SizeTrials(module, guess.list_arguments(), (guess.sizes, weight), deadline)

    def find_linked(guess: Guess, whole: Fed) -> Guess | None:
        free = make_tensors.find_dynamic_names(guess.sizes, whole.varied)
        held = [name for name in guess.sizes if name not in free]
        for name in held:
            for linked in chain(link_numbers(guess, name), link_names(guess, name, held)):
                if may_grow(name, linked.sizes, make_trials(linked).runs_at):
                    return linked
        return None

    whole = vary(guess)
    for _ in range(_MOST_LINKED):
        linked = find_linked(guess, whole)
        if linked is None:
            break
        guess, whole = linked, vary(linked)
    return guess, whole


def _bind_names(given: FedArgument, fixed: Mapping[str, int]) -> FedArgument:
    """The same with numbers for the sizes that do not vary."""
    if isinstance(given, PlainArgument):
        return replace(given, value=bind_sizes(given.value, fixed))
    return put_numbers(given, fixed)


def put_numbers(given: Input, fixed: Mapping[str, int]) -> Input:
    """The same with numbers for these names of sizes."""
    shape = (fixed.get(size, size) if isinstance(size, str) else size for size in given.shape)
    longest = fixed.get(str(given.longest), given.longest)
    return replace(given, shape=tuple(shape), longest=longest)


def _fix_ones(guess: Guess) -> Guess:
    """The same inputs, without names for sizes of one: exporters take these for always one."""
    ones = {name for name, size in guess.sizes.items() if size == 1}
    inputs = (put_numbers(given, dict.fromkeys(ones, 1)) for given in guess.inputs)
    left = {name: size for name, size in guess.sizes.items() if name not in ones}
    plain = (
        replace(each, value=bind_sizes(each.value, dict.fromkeys(ones, 1))) for each in guess.plain
    )
    return replace(guess, inputs=tuple(inputs), sizes=left, plain=tuple(plain))


def _free_shared_sizes(
    guess: Guess, weight: RunWeight, module: nn.Module, deadline: float
) -> Guess:
    """The same inputs, with names of their own for sizes of a later input that need not be those of the first."""
    for number, given in enumerate(guess.inputs):
        before = {size for each in guess.inputs[:number] for size in each.shape}
        shared = [n for n in given.shape if isinstance(n, str) and n in before and n != "batch"]
        own = {name: re.sub(r"\W", "_", f"{name}_{given.label}") for name in shared}
        shape = tuple(own.get(str(size), size) for size in given.shape)
        sizes = guess.sizes | {own[name]: guess.sizes[name] for name in shared}
        alone = replace(given, shape=shape)
        inputs = follow_lengths((*guess.inputs[:number], alone, *guess.inputs[number + 1 :]))
        apart = replace(guess, inputs=inputs, sizes=sizes)
        trials = SizeTrials(module, apart.list_arguments(), (sizes, weight), deadline)
        if shared and may_differ(tuple(own.values()), sizes, trials.runs_at):
            guess = apart
    return guess


def vary_each_size(inputs: tuple[FedArgument, ...], sizes: Mapping[str, int], runs: Runs) -> Fed:
    """What the model runs on, after each group of named sizes was changed."""
    varied = vary_sizes(sizes, runs)
    return Fed(inputs, sizes, varied, inputs, sizes, find_unvaried_sizes(sizes, varied))
