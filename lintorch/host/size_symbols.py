"""Which named sizes a number came from: those with which it changed between runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from lintorch.record.trace import Event, Run


def traced_to_sizes(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The same runs, with `symbols` of every question about a size."""
    if len(runs) < 2:
        return tuple(runs)
    first, *others = runs
    changed = {
        name: dict(_numbered(run.events)) for run in others for name in [_changed(first, run)]
    }
    found: dict[Hashable, tuple[str, ...]] = {}
    for key, event in _numbered(first.events):
        differing = [n for n, again in changed.items() if _differs(event, again.get(key))]
        found[key] = tuple(part for names in differing for part in names)
    return tuple(_marked(run, found) for run in runs)


def _numbered(events: tuple[Event, ...]) -> Iterator[tuple[Hashable, Event]]:
    """Questions about sizes, with a key that finds the same one in another run."""
    seen: Counter[Hashable] = Counter()
    for event in events:
        if event.name.startswith("size."):
            what = (event.name, event.site, event.layer)
            seen[what] += 1
            yield (*what, seen[what]), event


def _changed(first: Run, run: Run) -> tuple[str, ...]:
    return tuple(name for name in run.sizes if run.sizes[name] != first.sizes.get(name))


def _differs(event: Event, other: Event | None) -> bool:
    return other is not None and (event.value, event.args) != (other.value, other.args)


def _marked(run: Run, found: dict[Hashable, tuple[str, ...]]) -> Run:
    symbols = {id(event): found.get(key, ()) for key, event in _numbered(run.events)}
    return replace(
        run,
        events=tuple(
            replace(event, symbols=names) if (names := symbols.get(id(event))) else event
            for event in run.events
        ),
    )
