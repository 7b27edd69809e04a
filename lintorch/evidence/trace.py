"""A run of a model, as a subject that rules look at."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator
from enum import Enum
from functools import cached_property
from typing import Any, TypeVar, overload

from lintorch.core.finding import Evidence, Fix, Place
from lintorch.core.profile import Profile
from lintorch.record.events import (
    OperatorCall,
    RunEvent,
    SizeRead,
    SizeUse,
    TensorRead,
    TensorUse,
)
from lintorch.record.held_axes import find_size, list_held_axes, list_near_axes
from lintorch.record.models import Model, PlainArgument
from lintorch.record.outcomes import Variation
from lintorch.record.runs import GraphCapture, ModelRun
from lintorch.record.sites import Site

E = TypeVar("E", bound=RunEvent)
EventKey = type | str | Enum
"""What a detector asks for: a class of events, an operator's name, or what tells events of one class apart."""


class Trace:
    """What one model did when it ran at several sizes.

    Its nodes are events, each with its own key, and the graphs it was traced as, with their tracer's.
    """

    evidence = Evidence.TRACE
    exporter = None
    tried = None
    awaits_runs = False
    sizes = ()

    def __init__(
        self,
        model: Model,
        runs: tuple[ModelRun, ...],
        captures: tuple[GraphCapture, ...],
        profile: Profile,
    ) -> None:
        self.record = model
        self.runs = tuple(run for run in runs if not run.axis)
        """At the first sizes, and with named sizes changed."""
        self.taken = tuple(run for run in runs if run.axis and not run.error)
        """With a size changed that has no name of its own, where the model takes that."""
        self._refused = [(run.axis[0], run.axis[1]) for run in runs if run.axis and run.error]
        self._tried = {run.axis for run in runs}
        self.captures = captures
        self.profile = profile
        self.model = f"{model.path}:{model.qualname}"

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Runs are small; every detector looks."""
        return True

    def walk(self, keys: Container[Hashable]) -> Iterable[tuple[Hashable, RunEvent | GraphCapture]]:
        """Events of the first run, then the graphs."""
        for event in self.events:
            if event.key in keys:
                yield event.key, event
        for capture in self.captures:
            if capture.tracer in keys:
                yield capture.tracer, capture

    def place(self, node: Any) -> Place:
        """The user's line of an event, graph or site; the class's line where there is none."""
        site = node if isinstance(node, Site) else getattr(node, "site", None)
        if isinstance(node, Place):
            return node
        if site is None:
            return Place(self.record.path, self.record.row)
        return Place(site.path, site.row)

    def list_spared(self, node: Any) -> frozenset[str]:
        """None: what a run met was reached."""
        return frozenset()

    def find_home(self, path: str) -> None:
        """None: a run edits no file."""
        return

    def promised(self, fix: Fix, node: Any) -> Fix:
        """As the rule says: a run knows no text."""
        return fix

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """What happened at the first sizes, in order."""
        return self.runs[0].events if self.runs else ()

    @overload
    def find_events(self, *keys: type[E]) -> Iterator[E]: ...

    @overload
    def find_events(self, *keys: str) -> Iterator[OperatorCall]: ...

    @overload
    def find_events(self, *keys: SizeUse) -> Iterator[SizeRead]: ...

    @overload
    def find_events(self, *keys: TensorUse) -> Iterator[TensorRead]: ...

    @overload
    def find_events(self, *keys: EventKey) -> Iterator[Any]: ...

    def find_events(self, *keys: EventKey) -> Iterator[Any]:
        """Events of the first run with one of these keys, as detectors name them."""
        return (event for event in self.events if event.key in keys)

    def list_calls(self) -> Iterator[OperatorCall]:
        """The operators of all runs, one run after the other."""
        happened = (event for run in self.runs for event in run.events)
        return (event for event in happened if isinstance(event, OperatorCall))

    def find_again(self, event: E) -> dict[Variation, E]:
        """The same event in the other runs, by the sizes that are changed there.

        A run in which the event did not happen is missing.
        """
        return self._counterparts.get(id(event), {})

    def never_changes(self, event: E, of: Callable[[E], Any]) -> bool:
        """Whether what `of` reads off an event is the same whatever size the model takes.

        Each size of each input has to have been changed, at least twofold, in a run in which the event
        happened again, or to be one that the model takes no other of. Else nothing shows that it stays.
        """
        again = self._everywhere.get(id(event))
        return self._all_varied and all(
            other is not None and of(other) == of(event) for other in again or [None]
        )

    @cached_property
    def held_sizes(self) -> frozenset[int]:
        """The sizes of which the model took no other that was tried."""
        model, refused = self.record, self._refused
        return frozenset(find_size(model.inputs, model.sizes, axis) for axis in refused)

    @cached_property
    def _all_varied(self) -> bool:
        """Whether there is no size of an input of which it is not known what another would do.

        Arguments of the constructor that nobody gave may be what decides, and so may a number among
        what the model is fed that is the size of an axis.
        """
        model, others = self.record, [run.sizes for run in self.runs[1:]]
        axes = [
            *(() if model.configured else list_held_axes(model.inputs)),
            *list_near_axes(model.inputs, model.sizes, others),
        ]
        told = [each.value for each in model.inputs if isinstance(each, PlainArgument)]
        numbers = {int(number) for text in told for number in re.findall(r"\d+", text)}
        return (
            bool(others)
            and not model.made_up
            and self._tried.issuperset(axes)
            and not any(find_size(model.inputs, model.sizes, axis) in numbers for axis in axes)
        )

    @cached_property
    def _everywhere(self) -> dict[int, list[Any]]:
        """By event: the same one in each other run, None where it did not happen there."""
        found: dict[int, list[Any]] = defaultdict(list)
        for run in (*self.runs[1:], *self.taken):
            numbered = dict(_numbered(run.events))
            for key, event in _numbered(self.events):
                found[id(event)].append(numbered.get(key))
        return found

    @cached_property
    def _counterparts(self) -> dict[int, dict[Variation, Any]]:
        found: dict[int, dict[Variation, Any]] = defaultdict(dict)
        for run in self.runs[1:]:
            changed = Variation.between(self.runs[0].sizes, run.sizes)
            numbered = dict(_numbered(run.events))
            for key, event in _numbered(self.events):
                if key in numbered:
                    found[id(event)][changed] = numbered[key]
        return found


def _numbered(
    events: tuple[RunEvent, ...],
) -> Iterator[tuple[tuple[Hashable, ...], RunEvent]]:
    """Events with a key that finds the same one in another run: what, where, the how-manieth."""
    seen: Counter[tuple[Hashable, ...]] = Counter()
    for event in events:
        what = (event.key, event.site.path, event.site.row, event.layer)
        seen[what] += 1
        yield (*what, seen[what]), event
