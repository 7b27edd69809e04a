"""Which named sizes a number came from: those with which it changed between runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

from lintorch.record.events import RunEvent, SizeQuestion
from lintorch.record.runs import ModelRun


def traced_to_sizes(runs: Sequence[ModelRun]) -> tuple[ModelRun, ...]:
    """The same runs, with `symbols` of every question about a size."""
    others = [run for run in runs[1:] if not run.axis]
    if not others:
        return tuple(runs)
    first = runs[0]
    changed = [(_changed(first, run), dict(_numbered(run.events))) for run in others]
    found: dict[Hashable, tuple[str, ...]] = {}
    for key, event in _numbered(first.events):
        differing = [names for names, again in changed if _differs(event, again.get(key))]
        found[key] = tuple(dict.fromkeys(part for names in differing for part in names))
    return tuple(_marked(run, found) for run in runs)


def _numbered(events: tuple[RunEvent, ...]) -> Iterator[tuple[Hashable, SizeQuestion]]:
    """Questions about sizes, with a key that finds the same one in another run."""
    seen: Counter[Hashable] = Counter()
    for event in events:
        if isinstance(event, SizeQuestion):
            what = (event.key, event.site, event.layer)
            seen[what] += 1
            yield (*what, seen[what]), event


def _changed(first: ModelRun, run: ModelRun) -> tuple[str, ...]:
    return tuple(name for name in run.sizes if run.sizes[name] != first.sizes.get(name))


def _differs(event: SizeQuestion, other: SizeQuestion | None) -> bool:
    if other is None:
        return False
    return (event.value, event.operands) != (other.value, other.operands)


def _marked(run: ModelRun, found: dict[Hashable, tuple[str, ...]]) -> ModelRun:
    symbols = {id(event): found.get(key, ()) for key, event in _numbered(run.events)}
    return replace(
        run,
        events=tuple(_with_symbols(event, symbols.get(id(event))) for event in run.events),
    )


def _with_symbols(event: RunEvent, names: tuple[str, ...] | None) -> RunEvent:
    return replace(event, symbols=names) if names and isinstance(event, SizeQuestion) else event
