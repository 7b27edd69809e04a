"""A run of a model, as a subject that rules look at."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

from lintorch.core.finding import Evidence, Fix, Place
from lintorch.core.profile import Profile
from lintorch.record.trace import Event, Model, Run, Rung, Site


class Trace:
    """What one model did when it ran at several sizes.

    Its nodes are events (keyed by their name) and rungs (keyed "rung.fx", "rung.torch.export").
    """

    evidence = Evidence.TRACE
    exporter = None

    def __init__(
        self, model: Model, runs: tuple[Run, ...], rungs: tuple[Rung, ...], profile: Profile
    ) -> None:
        self.record = model
        self.runs = runs
        self.rungs = rungs
        self.profile = profile
        self.model = f"{model.path}:{model.qualname}"

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Runs are small; every detector looks."""
        return True

    def walk(self, keys: Container[Hashable]) -> Iterable[tuple[Hashable, Event | Rung]]:
        """Events of the first run, then the rungs."""
        for event in self.events:
            if event.name in keys:
                yield event.name, event
        for rung in self.rungs:
            if f"rung.{rung.name}" in keys:
                yield f"rung.{rung.name}", rung

    def place(self, node: Any) -> Place:
        """The user's line of an event, rung or site; the class's line where there is none."""
        site = node if isinstance(node, Site) else getattr(node, "site", None)
        if isinstance(node, Place):
            return node
        if site is None:
            return Place(self.record.path, self.record.row)
        return Place(site.path, site.row)

    def promised(self, fix: Fix, node: Any) -> Fix:
        """As the rule says: a run knows no text."""
        return fix

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened at the first sizes, in order."""
        return self.runs[0].events if self.runs else ()

    def named(self, *names: str) -> Iterator[Event]:
        """Events of the first run with one of these names."""
        return (event for event in self.events if event.name in names)

    def again(self, event: Event) -> dict[str, Event]:
        """The same event in the other runs, by the named sizes changed there: "batch" or "height,width".

        A run in which the event did not happen is missing.
        """
        return self._counterparts.get(id(event), {})

    @cached_property
    def _counterparts(self) -> dict[int, dict[str, Event]]:
        found: dict[int, dict[str, Event]] = defaultdict(dict)
        for run in self.runs[1:]:
            changed = self._changed(run)
            numbered = dict(_numbered(run.events))
            for key, event in _numbered(self.events):
                if key in numbered:
                    found[id(event)][changed] = numbered[key]
        return found

    def _changed(self, run: Run) -> str:
        first = self.runs[0].sizes
        return ",".join(sorted(name for name in run.sizes if run.sizes[name] != first.get(name)))


def _numbered(events: tuple[Event, ...]) -> Iterator[tuple[tuple[Hashable, ...], Event]]:
    """Events with a key that finds the same one in another run: what, where, the how-manieth."""
    seen: Counter[tuple[Hashable, ...]] = Counter()
    for event in events:
        what = (event.name, event.site.path, event.site.row, event.layer)
        seen[what] += 1
        yield (*what, seen[what]), event
