"""Searches for inputs that a built model runs on, and for the sizes among them that may vary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from math import inf

from torch import nn

from lintorch.guest.construct.make_model import Built
from lintorch.guest.feed.asked_sizes import fit_asked_size
from lintorch.guest.feed.begun_state import Begun
from lintorch.guest.feed.built_sides import try_built_sides
from lintorch.guest.feed.example_inputs import follow_example, follow_tried
from lintorch.guest.feed.fix_sides import suggest_sizes
from lintorch.guest.feed.guess_containers import spread_over_containers
from lintorch.guest.feed.guess_graphs import guess_graphs
from lintorch.guest.feed.guess_inputs import SPATIAL, Guess, guess_inputs
from lintorch.guest.feed.guess_plain import PlainGuesser
from lintorch.guest.feed.guess_states import give_states
from lintorch.guest.feed.leave_ones import leave_ones
from lintorch.guest.feed.named_sides import try_named_sides
from lintorch.guest.feed.optional_arguments import add_named_argument
from lintorch.guest.feed.other_sizes import list_lighter_sizes
from lintorch.guest.feed.own_batch import try_own_batch
from lintorch.guest.feed.pair_masks import pair_masks
from lintorch.guest.feed.part_samples import part_samples
from lintorch.guest.feed.repair_guess import suggest_repairs
from lintorch.guest.feed.rows_per_sample import give_own_rows
from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.squeezed_ones import put_squeezed_ones
from lintorch.guest.feed.table_rows import reach_all_rows
from lintorch.guest.feed.try_guess import FailedTry, explain_unfeedable, try_guess
from lintorch.guest.feed.unmix_samples import unmix_samples
from lintorch.guest.feed.varying_sizes import Fed, fix_constant_sizes, vary_each_size
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import Raised
from lintorch.record.input_notation import describe_inputs
from lintorch.record.models import FedArgument, Stage
from lintorch.record.sites import Site

_MOST_TRIES = 150
"""Runs of one model, at most; its seconds bound them too."""
_TRIES_PER_GUESS = 16
"""Runs that one guess and its repairs get, so that a bad one leaves room for the others."""
_TRY_SHARE = 0.6
"""Of the seconds left, for one run: one that is too slow leaves time for lighter inputs."""
_LEAST_SECONDS = 4.0
"""Seconds that a run gets even so."""
_MOST_ELEMENTS = 16_000_000
"""Numbers in all inputs together, 64 MB in float32."""
_HEAVIEST = 2.0
"""Seconds of a core from which on a run is put off, and lighter inputs are tried first."""
_LIGHT = 1.0
"""Seconds of a core that a run on such lighter inputs takes at most where fewer samples are all that is lighter."""
_LEAST_SIDE = 32
"""Pixels below which sides are not halved for a model that is too slow."""
_MOST_REPAIRS = 7
"""Repairs on top of each other."""
_MOST_OVERFED = 4
"""Guesses that meet the limit of memory, after which no others are tried."""
_TRIES_FOR_PROGRESS = 6
"""Runs that one guess gets more when the last ones of it let the model come further than any before."""
_SECONDS_CONFIGURED = 60.0
"""Seconds of each run on inputs that the settings give: no other ones are tried."""
_MOST_RAISED = 8
"""Errors of different lines that are kept for what they tell."""
_TRAINED = "run once in training mode first, as it asks for"
_NOT_FOR_INPUTS = frozenset(
    {"SystemExit", "NameError", "NotImplementedError", "ImportError", "OSError", "MemoryError"}
    | {"MissingPackageError", "MissingWeightsError"}
)
"""Errors that other inputs do not mend."""
_LACKING = frozenset(
    {
        "NameError",
        "ImportError",
        "ModuleNotFoundError",
        "MissingPackageError",
        "MissingWeightsError",
    }
)
"""Those of them that tell what is lacking, however wrong the inputs are."""


class NotFedError(Exception):
    """Nothing that was tried could be fed. `stage` is "inputs", or "run" where inputs are not to blame.

    `raised` holds what the tries raised, each at its line, and `traceback` that of the one that is told. Where a `limit` was met, "time" or
    "memory", the text says only where.
    """

    def __init__(
        self,
        stage: Stage,
        cause: str,
        raised: tuple[Raised, ...] = (),
        limit: str = "",
        traceback: str = "",
    ) -> None:
        super().__init__(cause)
        self.stage = stage
        self.raised = raised
        self.limit = limit
        self.traceback = traceback


def search_inputs(built: Built, files: UserLines, seconds: float) -> Fed:
    """Inputs that the model runs on, looked for in so many seconds. Raises NotFedError."""
    if reason := explain_unfeedable(built.module):
        raise NotFedError("inputs", reason)
    deadline = clock() + seconds
    furthest: tuple[Guess, FailedTry] | None = None
    kinds = set()
    raised: dict[tuple[Site, str], Raised] = {}
    plain = PlainGuesser.of_module(built.module, built.like.plain)
    made_up = guess_inputs(built.module, built.arguments, plain.known, built.like.partly)
    starts = chain(
        follow_example(built.module, built.example_inputs, built.like.open_axes),
        follow_tried(built.module, built.tried_input),
        plain.add_needed(guess_graphs(built.module, plain.known)),
        plain.add_needed(
            spread_over_containers(
                give_states(made_up, built.module), built.module, built.arguments
            )
        ),
    )
    heavy: list[Guess] = []
    for guess, outcome in _try_guesses(built.module, starts, files, deadline, plain, heavy):
        if isinstance(outcome, RunWeight):
            trained, begun = outcome.trained, outcome.begun
            if not guess.followed:
                guess, outcome = put_squeezed_ones(guess, outcome, built.module, deadline)
                guess, outcome = unmix_samples(guess, outcome, built.module, deadline)
                guess, outcome = part_samples(guess, outcome, built.module)
                guess, outcome = give_own_rows(guess, outcome, built.module, deadline)
                guess, outcome = pair_masks(guess, outcome, built.module, deadline)
                guess, outcome = reach_all_rows(guess, outcome, built.module, deadline)
            if heavy or not guess.followed:
                guess, outcome = leave_ones(guess, outcome, built.module, deadline)
            fed = fix_constant_sizes(guess, outcome, built.module, deadline + seconds / 2)
            said = (*_describe_lighter(guess, heavy), *([_TRAINED] if trained else ()))
            return replace(fed, assumed=said, trained=trained, begun=begun)
        if furthest is None or _tells_more(outcome, furthest[1]):
            furthest = guess, outcome
        kinds.add(str(outcome))
        if event := outcome.event:
            built_at = built.sites.get(event.layer)
            raised.setdefault((event.site, event.text), replace(event, built=built_at))
    if furthest is None:
        raise NotFedError("inputs", "its forward takes nothing that could be fed")
    if furthest[1].limit:
        raise NotFedError("stopped", furthest[1].at_line, limit=furthest[1].limit)
    events = tuple(raised.values())[:_MOST_RAISED]
    if len(kinds) == 1 or furthest[1].kind in _NOT_FOR_INPUTS:
        raise NotFedError("run", str(furthest[1]), events, traceback=furthest[1].traceback)
    written = describe_inputs(furthest[0].list_arguments(), furthest[0].sizes)
    cause = f"no inputs were found that it runs on; {written} gave {furthest[1]}"
    raise NotFedError("inputs", cause, events, traceback=furthest[1].traceback)


def _tells_more(one: FailedTry, other: FailedTry) -> bool:
    """Whether one try tells better than an earlier one why a model is not fed: what it lacks, else how far it came."""
    if (one.kind in _LACKING) != (other.kind in _LACKING):
        return one.kind in _LACKING
    if one.ended or other.ended:
        return one.ended and not other.ended
    return not other.limit and one.steps > other.steps


def check_configured(
    module: nn.Module, inputs: tuple[FedArgument, ...], sizes: Mapping[str, int], files: UserLines
) -> Fed:
    """Inputs as configured. Raises NotFedError where the model does not run on them."""

    def failing(at: Mapping[str, int]) -> FailedTry | None:
        return try_guess(module, Guess.of_arguments(inputs, at), files, _SECONDS_CONFIGURED)

    error = failing(sizes)
    if error is not None:
        if error.limit:
            raise NotFedError("stopped", error.at_line, limit=error.limit)
        raise NotFedError("run", str(error), traceback=error.traceback)
    return vary_each_size(inputs, sizes, lambda at: failing(at) is None)


def _try_guesses(
    module: nn.Module,
    starts: Iterator[Guess],
    files: UserLines,
    deadline: float,
    plain: PlainGuesser,
    heavy: list[Guess],
) -> Iterator[tuple[Guess, FailedTry | RunWeight]]:
    """Each failed try, then the guess that works, if one does, with what its run computes.

    What errors clearly ask for is tried at once; sizes that are only common are tried last. Guesses that are
    put off for being `heavy` are noted there: lighter ones come first.
    """
    seen: set[object] = set()
    begun: Begun | None = None
    later: list[Guess] = []
    overfed = 0
    for start, room in chain(((start, later) for start in starts), _take_later(later)):
        waiting = [(start, 0, _HEAVIEST)]
        tries, furthest = 0, -1
        while waiting and tries < _TRIES_PER_GUESS:
            guess, depth, heaviest = waiting.pop(0)
            if guess.count_elements() > _MOST_ELEMENTS:
                waiting[:0] = [(each, depth, heaviest) for each in _list_smaller(guess)]
                continue
            if (guess.feeding_key(), heaviest) in seen:
                continue
            left = deadline - clock()
            if len(seen) >= _MOST_TRIES or (seen and left < 0):
                return
            seen.add((guess.feeding_key(), heaviest))
            tries += 1
            seconds = max(_LEAST_SECONDS, left * _TRY_SHARE)
            weight = RunWeight(heaviest, begun=begun)
            error = try_guess(module, guess, files, seconds, weight)
            begun = weight.begun
            if error is None:
                yield guess, weight
                return
            if error.limit == "weight":
                heavy.append(guess)
                lighter = (guess.with_sizes(**each) for each in list_lighter_sizes(guess.sizes))
                tried = [(each, _MOST_REPAIRS, _limit_lighter(each, guess)) for each in lighter]
                waiting = [*tried, (guess, depth, inf), *waiting]
                continue
            yield guess, error
            further = error.steps > furthest
            furthest = max(furthest, error.steps)
            if further and tries + _TRIES_FOR_PROGRESS > _TRIES_PER_GUESS:
                tries -= _TRIES_FOR_PROGRESS
            if error.limit and (smaller := _shrink_guess(guess)):
                waiting = [(smaller, depth, inf)]
                continue
            if error.limit == "memory" and (overfed := overfed + 1) < _MOST_OVERFED:
                break  # sizes that were only guessed: the next start has others
            if error.limit:
                return
            better = [
                *(fit_asked_size(guess, error.asked) if error.asked else ()),
                *add_named_argument(module, guess, f"{error.text} {error.condition}", plain),
                *try_built_sides(guess, error.text, module),
                *suggest_repairs(guess, f"{error.text} {error.condition}".strip(), error.blamed),
                *(plain.suggest_keys(guess, error.text) if error.kind == "KeyError" else ()),
                *plain.suggest_others(guess),
                *try_own_batch(guess, error.text, module),
                *try_named_sides(guess, error.text, module),
            ]
            if error.kind in _NOT_FOR_INPUTS and not better:
                return
            better = [other for other in better if other.keeps_known()]
            if depth < _MOST_REPAIRS or further:
                deeper = min(depth + 1, _MOST_REPAIRS)
                waiting[:0] = [(other, deeper, heaviest) for other in better]
            if room is not None:
                room += suggest_sizes(guess, error.text)


def _limit_lighter(lighter: Guess, guess: Guess) -> float:
    same = all(lighter.sizes[name] == size for name, size in guess.sizes.items() if name != "batch")
    return _LIGHT if same else _HEAVIEST


def _shrink_guess(guess: Guess) -> Guess | None:
    """Half the sides where they are big, then a batch of one; None where neither is left."""
    sides = {name: size // 2 for name, size in guess.sizes.items() if name in SPATIAL}
    if sides and min(sides.values()) >= _LEAST_SIDE:
        return guess.with_sizes(**sides)
    return guess.with_sizes(batch=1) if guess.sizes.get("batch", 1) > 1 else None


def _list_smaller(guess: Guess) -> Iterator[Guess]:
    """The same at smaller sizes, where what it would be fed takes too much memory."""
    smaller = _shrink_guess(guess)
    if smaller is not None and smaller.count_elements() < guess.count_elements():
        yield smaller


def _describe_lighter(guess: Guess, heavy: list[Guess]) -> Iterator[str]:
    """In words, that a guess is a lighter one than what the model would be fed."""
    for first in heavy:
        smaller = [name for name in guess.sizes if guess.sizes[name] < first.sizes.get(name, 0)]
        if guess.sizes.keys() == first.sizes.keys() and smaller:
            run, own = (
                ", ".join(f"{name}={each.sizes[name]}" for name in smaller)
                for each in (guess, first)
            )
            yield f"run at {run}: at {own} it is too heavy to be run many times"
            return


def _take_later(later: list[Guess]) -> Iterator[tuple[Guess, None]]:
    """What has been put off, when it is its turn."""
    for guess in later:
        yield guess, None
