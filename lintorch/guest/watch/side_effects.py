"""What a run does beside computing: it writes to modules, and Python draws random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import nn

from lintorch.guest.watch.attribute_writes import AttributeWatch
from lintorch.guest.watch.random_draws import Draw, intercept_draws
from lintorch.guest.watch.running_layers import LayerWatch
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import RandomDraw, RunEvent
from lintorch.record.runs import MOST_EVENTS
from lintorch.record.sites import Site


@contextmanager
def record_effects(
    root: nn.Module, files: UserLines, layers: LayerWatch, events: list[RunEvent]
) -> Iterator[None]:
    """Within, `events` gets a `ModuleWrite` and a `RandomDraw` for each."""

    def add(event: RunEvent) -> None:
        if len(events) < MOST_EVENTS:
            events.append(event)

    def drawn(site: Site, name: str, draw: Draw) -> Any:
        value = draw()
        number = value if isinstance(value, (int, float)) else None
        add(RandomDraw(site, *layers.current_layer(), function=name, value=number))
        return value

    with AttributeWatch(root, files, add).follow_writes(), intercept_draws(files, drawn):
        yield
