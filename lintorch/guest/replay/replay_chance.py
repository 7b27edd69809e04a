"""Whether the numbers that torch's generator gives on a line reach the output: that line alone draws others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from lintorch.guest.replay.run_again import Replay, describe_difference
from lintorch.guest.watch.operator_names import name_operator
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import FeltChance, RunEvent, TorchDraw
from lintorch.record.sites import Site

_ATTEMPTS = (1, 2, 3, 4)
_MOST_LINES = 6


def replay_chance(replay: Replay, events: Sequence[RunEvent]) -> Iterator[FeltChance]:
    """One `FeltChance` per line of which other draws give another output."""
    lines = {event.site: event for event in events if isinstance(event, TorchDraw)}
    for site, event in list(lines.items())[:_MOST_LINES]:
        for attempt in _ATTEMPTS:
            around = partial(_draw_others, replay.subject.files, site, event.function, attempt)
            if found := replay.compare_outputs(replay.run_model(around)):
                where, change = (site, event.layer, event.layer_class), describe_difference(found)
                yield FeltChance(*where, function=event.function, change=change)
                break


class _OtherDraws(TorchFunctionMode):  # type: ignore[misc]
    """One function draws other numbers on one line, and leaves the generator where it would be."""

    def __init__(self, files: UserLines, site: Site, name: str, attempt: int) -> None:
        super().__init__()
        self._files, self._site, self._name = files, site, name
        self._seed = 1000 * attempt

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        if name_operator(func) != self._name or not self._is_here():
            return func(*args, **given)
        before = torch.default_generator.get_state()
        out = func(*args, **given)  # so that the other lines draw what they drew before
        after = torch.default_generator.get_state()
        if torch.equal(before, after):
            return out
        self._seed += 1
        torch.default_generator.manual_seed(self._seed)
        try:
            return func(*args, **given)
        finally:
            torch.default_generator.set_state(after)

    def _is_here(self) -> bool:
        return self._files.find_site(sys._getframe(2)) == self._site


@contextmanager
def _draw_others(
    files: UserLines, site: Site, name: str, attempt: int, module: nn.Module
) -> Iterator[None]:
    with _OtherDraws(files, site, name, attempt):
        yield
