"""What a run does beside computing: it writes to modules, and Python draws random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from lintorch.guest.watch.attribute_writes import Attributes
from lintorch.guest.watch.random_draws import Draw, drawing
from lintorch.guest.watch.running_layers import Layers
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import RandomDraw, RunEvent
from lintorch.record.runs import MOST_EVENTS
from lintorch.record.sites import Site


@contextmanager
def effects(
    root: nn.Module, files: UserLines, layers: Layers, events: list[RunEvent]
) -> Iterator[None]:
    """Within, `events` gets a `ModuleWrite` and a `RandomDraw` for each."""

    def add(event: RunEvent) -> None:
        if len(events) < MOST_EVENTS:
            events.append(event)

    def drawn(site: Site, name: str, draw: Draw) -> Any:
        value = draw()
        number = value if isinstance(value, (int, float)) else None
        add(RandomDraw(site, *layers.current(), function=name, value=number))
        return value

    with Attributes(root, files, add).followed(), drawing(files, drawn):
        yield
