"""Rows of one file of which the evaluator knows something: there the findings of its own halves count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TypeVar, cast

from lintorch.evaluator.events import Baked, Called, Decided, Occurrence, Refused, Repeated
from lintorch.evaluator.values import Constant, Items, Number, Tensor, Value

E = TypeVar("E", bound=Occurrence)
_WANTED = (Called, Decided, Refused, Repeated)


class KnownRows:
    """`baked` are the sizes that become plain numbers; of events only those of forward passes count."""

    def __init__(self, path: str, events: Iterable[Occurrence], baked: Iterable[Baked]) -> None:
        self._path = path
        self._kinds: defaultdict[type, list[Occurrence]] = defaultdict(list)
        for event in events:
            if isinstance(event, _WANTED):
                self._kinds[type(event)].append(event)
        self._baked = tuple(baked)

    def _of(self, kind: type[E]) -> Sequence[E]:
        return cast("list[E]", self._kinds[kind])

    def _inside(self, kind: type[E]) -> list[E]:
        """What happened in the file, in forward passes."""
        return [e for e in self._of(kind) if e.way.forward and e.spot.path == self._path]

    @cached_property
    def called(self) -> frozenset[tuple[int, str]]:
        """Where something foreign is called, with the last part of its name."""
        return frozenset(
            (event.spot.row, event.name.removesuffix(".forward").rpartition(".")[2])
            for event in self._inside(Called)
        )

    @cached_property
    def decided(self) -> frozenset[int]:
        """Where a condition is asked of which it is known if it varies."""
        return frozenset(e.spot.row for e in self._inside(Decided) if _is_understood(e))

    @cached_property
    def repeated(self) -> frozenset[int]:
        """Where something is gone over of which the length is known to vary or not."""
        return frozenset(e.spot.row for e in self._inside(Repeated) if _has_length(e.over))

    @cached_property
    def refused(self) -> frozenset[int]:
        """Where shapes surely raise, in a forward pass or not, and where the layers that raise are made."""
        return frozenset(
            spot.row
            for event in self._of(Refused)
            if event.founded and event.way.certain
            for spot in (event.spot, event.made)
            if spot is not None and spot.path == self._path
        )

    @cached_property
    def weighed(self) -> frozenset[int]:
        """Where it is known whether a size becomes a plain number."""
        fixed: dict[int, bool] = {}
        for event in self._inside(Called):
            if event.name.partition(".")[0] in _PLAIN:
                row = event.spot.row
                fixed[row] = fixed.get(row, True) and all(map(_is_fixed, event.positional))
        return frozenset(row for row, always in fixed.items() if always) | {
            e.spot.row for e in self._baked if e.varies and e.spot.path == self._path
        }

    def answers(self, row: int) -> frozenset[bool]:
        """How the conditions in a row were answered, in all models that asked them."""
        return self._answers.get(row, frozenset())

    @cached_property
    def _answers(self) -> dict[int, frozenset[bool]]:
        found: dict[int, frozenset[bool]] = {}
        for event in self._of(Decided):
            if event.spot.path == self._path and event.kind == "if":
                given = frozenset() if event.answer is None else frozenset({event.answer})
                found[event.spot.row] = found.get(event.spot.row, frozenset()) | given
        return found


def _is_understood(event: Decided) -> bool:
    test = event.test
    known = isinstance(test, Number) and (test.varies is not None or test.data)
    return event.answer is not None or known


def _has_length(over: Value) -> bool:
    """Whether it is known if the length of what a loop goes over varies."""
    if isinstance(over, Items):
        return over.items is not None or (
            over.length is not None and over.length.varies is not None
        )
    return isinstance(over, Tensor) and bool(over.shape)


_PLAIN = frozenset({"int", "float", "len", "max", "min", "round", "math", "divmod", "numpy"})


def _is_fixed(value: Value) -> bool:
    if isinstance(value, Items):
        return value.items is not None and all(map(_is_fixed, value.items))
    return isinstance(value, Constant) or (isinstance(value, Number) and value.varies is False)
