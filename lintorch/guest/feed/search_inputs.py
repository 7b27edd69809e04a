"""Searches for inputs that a built model runs on, and for the sizes among them that may vary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from torch import nn

from lintorch.guest.construct.make_model import Built
from lintorch.guest.feed.attempt_run import Error, attempt, unfeedable
from lintorch.guest.feed.fix_sides import other_sizes
from lintorch.guest.feed.guess_containers import spread
from lintorch.guest.feed.guess_inputs import SPATIAL, Guess, guesses
from lintorch.guest.feed.optional_arguments import with_named
from lintorch.guest.feed.repair_guess import repairs
from lintorch.guest.feed.shown_inputs import like
from lintorch.guest.feed.varying_sizes import Fed, narrowed, tried
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.input_notation import told
from lintorch.record.trace import Event, Input, Site

_MOST_TRIES = 150
_TRIES_PER_GUESS = 16
_TRY_SHARE = 0.6
_LEAST_SECONDS = 4.0
_MOST_ELEMENTS = 16_000_000
_LEAST_SIDE = 32
_DEEPEST = 7
_SECONDS_CONFIGURED = 60.0
_MOST_RAISED = 8
_NOT_FOR_INPUTS = frozenset(
    {"SystemExit", "NameError", "NotImplementedError", "ImportError", "OSError", "MemoryError"}
)


class NotFedError(Exception):
    """Nothing that was tried could be fed. `stage` is "inputs", or "run" where inputs are not to blame.

    `raised` holds what the tries raised, each at its line. Where a `limit` was met, "time" or
    "memory", the text says only where.
    """

    def __init__(
        self, stage: str, cause: str, raised: tuple[Event, ...] = (), limit: str = ""
    ) -> None:
        super().__init__(cause)
        self.stage = stage
        self.raised = raised
        self.limit = limit


def search(built: Built, files: UserLines, seconds: float) -> Fed:
    """Inputs that the model runs on. Raises NotFedError."""
    if reason := unfeedable(built.module):
        raise NotFedError("inputs", reason)
    deadline = clock() + seconds
    first: tuple[Guess, Error] | None = None
    kinds = set()
    raised: dict[tuple[Site, Any], Event] = {}
    starts = chain(
        like(built.module, built.fed),
        spread(guesses(built.module, built.arguments), built.module, built.arguments),
    )
    for guess in _tries(built.module, starts, files, deadline):
        if isinstance(guess, Guess):
            return narrowed(guess, built.module, deadline)
        first = first or guess
        kinds.add(str(guess[1]))
        if event := guess[1].event:
            built_at = built.sites.get(event.layer)
            raised.setdefault((event.site, event.value), replace(event, built=built_at))
    if first is None:
        raise NotFedError("inputs", "its forward takes nothing that could be fed")
    if first[1].limit:
        raise NotFedError("stopped", first[1].where, limit=first[1].limit)
    events = tuple(raised.values())[:_MOST_RAISED]
    if len(kinds) == 1 or first[1].kind in _NOT_FOR_INPUTS:
        raise NotFedError("run", str(first[1]), events)
    shown = told(first[0].inputs, first[0].sizes)
    cause = f"no inputs were found that it runs on; {shown} gave {first[1]}"
    raise NotFedError("inputs", cause, events)


def configured(
    module: nn.Module, inputs: tuple[Input, ...], sizes: Mapping[str, int], files: UserLines
) -> Fed:
    """Inputs as configured. Raises NotFedError where the model does not run on them."""

    def failing(at: Mapping[str, int]) -> Error | None:
        return attempt(module, Guess(inputs, dict(at)), files, _SECONDS_CONFIGURED)

    error = failing(sizes)
    if error is not None:
        if error.limit:
            raise NotFedError("stopped", error.where, limit=error.limit)
        raise NotFedError("run", str(error))
    return tried(inputs, sizes, lambda at: failing(at) is None)


def _tries(
    module: nn.Module, starts: Iterator[Guess], files: UserLines, deadline: float
) -> Iterator[Guess | tuple[Guess, Error]]:
    """Each failed try, then the guess that works, if one does.

    What errors clearly ask for is tried at once; sizes that are only common are tried last.
    """
    seen: set[object] = set()
    later: list[Guess] = []
    for start, room in chain(((start, later) for start in starts), _each(later)):
        waiting = [(start, 0)]
        tries = 0
        while waiting and tries < _TRIES_PER_GUESS:
            guess, depth = waiting.pop(0)
            if guess.key() in seen or guess.elements() > _MOST_ELEMENTS:
                continue
            left = deadline - clock()
            if len(seen) >= _MOST_TRIES or (seen and left < 0):
                return
            seen.add(guess.key())
            tries += 1
            error = attempt(module, guess, files, max(_LEAST_SECONDS, left * _TRY_SHARE))
            if error is None:
                yield guess
                return
            yield guess, error
            if error.limit == "time" and (lighter := _lighter(guess)):
                waiting = [(lighter, depth)]
                continue
            if error.limit:
                return
            better = [*with_named(module, guess, error.text), *repairs(guess, error.text)]
            if error.kind in _NOT_FOR_INPUTS and not better:
                return
            if depth < _DEEPEST:
                waiting[:0] = [(other, depth + 1) for other in better]
            if room is not None:
                room += other_sizes(guess, error.text)


def _lighter(guess: Guess) -> Guess | None:
    """A batch of one, then half the sides where they are big; None where neither is left."""
    if guess.sizes.get("batch", 1) > 1:
        return guess.resized(batch=1)
    sides = {name: size // 2 for name, size in guess.sizes.items() if name in SPATIAL}
    return guess.resized(**sides) if sides and min(sides.values()) >= _LEAST_SIDE else None


def _each(later: list[Guess]) -> Iterator[tuple[Guess, None]]:
    """What has been put off, when it is its turn."""
    for guess in later:
        yield guess, None
