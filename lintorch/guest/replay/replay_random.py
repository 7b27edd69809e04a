"""Whether the numbers that Python draws on a line reach the output: that line alone draws others."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from torch import nn

from lintorch.guest.replay.run_again import Replay, describe_difference
from lintorch.guest.replay.unusable import Unusable
from lintorch.guest.watch.random_draws import Draw, intercept_draws
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import FeltDraw, RandomDraw, RunEvent, UnusedDraw
from lintorch.record.sites import Site

_ATTEMPTS = (1, 2, 3)
_MOST_LINES = 6


def replay_draws(replay: Replay, events: Sequence[RunEvent]) -> Iterator[RunEvent]:
    """One `FeltDraw` per line of which other draws give another output.

    `UnusedDraw` where no draw of a line is looked at.
    """
    lines = {event.site: event for event in events if isinstance(event, RandomDraw)}
    for site, event in list(lines.items())[:_MOST_LINES]:
        for attempt in _ATTEMPTS:
            around = partial(_other_draws, replay.subject.files, site, attempt)
            if found := replay.compare_outputs(replay.run_model(around)):
                where, change = (site, event.layer, event.layer_class), describe_difference(found)
                yield FeltDraw(*where, function=event.function, change=change)
                break
        else:
            if _is_unused(replay, site):
                yield UnusedDraw(site, function=event.function)


def _is_unused(replay: Replay, site: Site) -> bool:
    """Whether the output is the same where nothing can be done with what the line draws."""

    def drawn(here: Site, name: str, draw: Draw) -> Any:
        value = draw()
        return Unusable() if here == site and value is not None else value

    try:
        return not replay.compare_outputs(
            replay.run_model(lambda m: intercept_draws(replay.subject.files, drawn))
        )
    except Exception:  # it was used
        return False


def _other_draws(
    files: UserLines, site: Site, attempt: int, module: nn.Module
) -> AbstractContextManager[None]:
    count = 0

    def drawn(here: Site, name: str, draw: Draw) -> Any:
        nonlocal count
        value = draw()  # so that the other lines draw what they drew before
        if here != site:
            return value
        count += 1
        states = _states()
        _reseed(1000 * attempt + count)
        try:
            return draw()
        finally:
            _put_back(states)

    return intercept_draws(files, drawn)


def _states() -> tuple[Any, Any]:
    numpy = sys.modules.get("numpy")
    return random.getstate(), numpy.random.get_state() if numpy else None


def _reseed(value: int) -> None:
    random.seed(value)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(value)


def _put_back(states: tuple[Any, Any]) -> None:
    random.setstate(states[0])
    if numpy := sys.modules.get("numpy"):
        numpy.random.set_state(states[1])
