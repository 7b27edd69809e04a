"""A trial export of a model, as a subject that rules look at."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Hashable, Iterable
from functools import cached_property
from typing import Any

from lintorch.core.finding import Evidence, Fix, Place
from lintorch.evidence.trace import Trace
from lintorch.evidence.treatment import harm_of, wrong_sizes
from lintorch.record.events import IdleLayer
from lintorch.record.outcomes import OperatorUse, Outcome
from lintorch.record.sites import Site


class Trial:
    """One attempt to export one model with one exporter. Its node is the outcome, keyed by status."""

    evidence = Evidence.EXPORT
    awaits_runs = False

    def __init__(self, outcome: Outcome, trace: Trace) -> None:
        self.outcome = outcome
        self.trace = trace
        self.profile = trace.profile
        self.model = trace.model
        self.exporter = outcome.exporter
        self.tried = harm_of(outcome)
        self.sizes = wrong_sizes(outcome)

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

    def list_spared(self, node: Any) -> frozenset[str]:
        """None: what a trial met was reached."""
        return frozenset()

    def find_home(self, path: str) -> None:
        """None: a trial edits no file."""
        return

    def promised(self, fix: Fix, node: Any) -> Fix:
        """As the rule says: a trial knows no text."""
        return fix

    def list_by_line(self) -> dict[Site, list[OperatorUse]]:
        """The operators that the exported graph has for each line of the user's, in order.

        Those of a layer of torch stand where it was built, all others where they run; what
        belongs to no line stands at the model's class.
        """
        lines: dict[Site, list[OperatorUse]] = defaultdict(list)
        whole = Site(self.trace.record.path, self.trace.record.row)
        for use in self.outcome.graph:
            lines[self._built.get(use.layer) or use.site or whole].append(use)
        return lines

    def find_line(self) -> Outcome | Site:
        """The outcome, which stands at its own line; else where the layer to blame was built, if it is torch's."""
        path = self.outcome.part.partition(" ")[0]
        return self.outcome if self.outcome.site else self._built.get(path) or self.outcome

    def find_folded_lines(self) -> set[Site]:
        """Lines that ran, and of which nothing is left in the exported graph.

        None where the exporter has lost the lines of some operators.
        """
        lines = self.list_by_line()
        if not self.outcome.graph or any(
            use.data and use.site is None and use.layer not in self._built
            for use in self.outcome.graph
        ):
            return set()
        ran = {event.site for event in self.trace.events if not isinstance(event, IdleLayer)}
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
