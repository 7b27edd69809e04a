"""A run of a model, and a trial export of it, as subjects that rules look at."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

from lintorch.finding import Evidence, Fix, Place
from lintorch.profile import Profile
from lintorch.trace.record import Event, Model, OperatorUse, Outcome, Run, Rung, Site


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


class Trial:
    """One attempt to export one model with one exporter. Its node is the outcome, keyed by status."""

    evidence = Evidence.EXPORT

    def __init__(self, outcome: Outcome, trace: Trace) -> None:
        self.outcome = outcome
        self.trace = trace
        self.profile = trace.profile
        self.model = trace.model
        self.exporter = outcome.exporter

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Trials are small; every detector looks."""
        return True

    def walk(self, keys: Container[Hashable]) -> Iterable[tuple[Hashable, Outcome]]:
        """The outcome."""
        if self.outcome.status in keys:
            yield self.outcome.status, self.outcome

    def place(self, node: Any) -> Place:
        """The user's line of the outcome or of an event of the trace."""
        return self.trace.place(node)

    def promised(self, fix: Fix, node: Any) -> Fix:
        """As the rule says: a trial knows no text."""
        return fix

    def by_line(self) -> dict[Site, list[OperatorUse]]:
        """The operators that the exported graph has for each line of the user's, in order.

        Those of a layer of torch stand where it was built, all others where they run; what
        belongs to no line stands at the model's class.
        """
        lines: dict[Site, list[OperatorUse]] = defaultdict(list)
        whole = Site(self.trace.record.path, self.trace.record.row)
        for use in self.outcome.graph:
            lines[self._built.get(use.layer) or use.site or whole].append(use)
        return lines

    def folded(self) -> set[Site]:
        """Lines that ran, and of which nothing is left in the exported graph.

        None where the exporter has lost the lines of some operators.
        """
        lines = self.by_line()
        if not self.outcome.graph or any(
            use.data and use.site is None and use.layer not in self._built
            for use in self.outcome.graph
        ):
            return set()
        ran = {event.site for event in self.trace.events if event.name != "layer.idle"}
        at = {(site.path, site.row) for site in lines}
        return {site for site in ran if (site.path, site.row) not in at}

    @cached_property
    def _built(self) -> dict[str, Site]:
        """By path: where the layers of torch were built; a layer called again has a number added."""
        events = [event for event in self.trace.events if event.built is not None]
        sites = {e.layer: e.built for e in events if e.layer_class.startswith("torch.nn.")}
        again = {
            use.layer: sites[first]
            for use in self.outcome.graph
            if (first := re.sub(r"_\d+$", "", use.layer)) in sites
        }
        return {path: site for path, site in {**again, **sites}.items() if site is not None}
