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
from lintorch.record.trace import MOST_EVENTS, Event, Site


@contextmanager
def effects(
    root: nn.Module, files: UserLines, layers: Layers, events: list[Event]
) -> Iterator[None]:
    """Within, `events` gets a `module.write` and a `python.random` for each."""

    def add(event: Event) -> None:
        if len(events) < MOST_EVENTS:
            events.append(event)

    def drawn(site: Site, name: str, draw: Draw) -> Any:
        value = draw()
        number = value if isinstance(value, (int, float)) else None
        where = layers.current()
        add(Event("python.random", site, args={"function": name}, value=number, **where))
        return value

    with Attributes(root, files, add).followed(), drawing(files, drawn):
        yield
