"""What attributes of modules held before a forward, and before each write of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from lintorch.evaluator.events import AttributeSet, Occurrence
from lintorch.evaluator.values import Held, Value

_Attribute = tuple[int, str]
"""The address of an object, and a name."""


@dataclass(frozen=True)
class Rewrite:
    """A forward gave an attribute a value that had one when the forward began."""

    initial: tuple[Value, ...]
    """What it was given outside of the forward."""
    before: Value
    given: AttributeSet | None = None
    """The write of the same forward that gave it what it held before."""


def trace_attributes(roots: Iterable[Iterable[Occurrence]]) -> dict[int, Rewrite]:
    """By the id of the event: the writes of a forward to attributes that there were before."""
    found: dict[int, Rewrite] = {}
    initial: dict[_Attribute, list[Value]] = defaultdict(list)
    later: list[list[AttributeSet]] = []
    for events in roots:
        writes = [e for e in events if isinstance(e, AttributeSet) and isinstance(e.held, Held)]
        for event in writes:
            if not event.way.forward and not _is_of_forward(event):
                initial[_name(event)].append(event.value)
        later.append([event for event in writes if event.way.forward])
    for events in later:
        now: dict[_Attribute, AttributeSet] = {}
        for event in events:
            key = _name(event)
            if key in initial:
                given = now.get(key)
                before = initial[key][-1] if given is None else given.value
                found[id(event)] = Rewrite(tuple(initial[key]), before, given)
            now[key] = event
    return found


def list_passing(roots: Iterable[Iterable[Occurrence]]) -> frozenset[int]:
    """The addresses of objects that a forward makes anew at each call: a distribution, a box."""
    return frozenset(
        event.held.address
        for events in roots
        for event in events
        if isinstance(event, AttributeSet) and isinstance(event.held, Held)
        if event.way.forward and event.way.names[-1:] and event.way.names[-1].endswith(".__init__")
    )


def _is_of_forward(event: AttributeSet) -> bool:
    """Whether a forward writes it that is followed by itself, as training code is, with a model that nobody made."""
    return (event.way.names[-1:] or (event.way.root,))[0].endswith(".forward")


def _name(event: AttributeSet) -> _Attribute:
    return (event.held.address if isinstance(event.held, Held) else 0), event.attribute
