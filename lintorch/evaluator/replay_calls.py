"""A call that gives the same as an earlier one, where order counts: what happened then, with values of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    Compared,
    Indexed,
    Occurrence,
)
from lintorch.evaluator.values import Given, Items, Tensor, Value

_MOST = 2000
"""Of more events than this only the result is given."""


class Replay:
    """Tells events anew; two calls gave two tensors, and each has its own history."""

    def __init__(self, before: Given, now: Given) -> None:
        self._anew: dict[int, Value] = {}
        self._pair(before.positional, now.positional)
        for name in before.keyword.keys() & now.keyword.keys():
            self._pair((before.keyword[name],), (now.keyword[name],))

    def _pair(self, before: Iterable[Value], now: Iterable[Value]) -> None:
        for old, new in zip(before, now, strict=False):
            self._anew[id(old)] = new
            if isinstance(old, Items) and isinstance(new, Items):
                self._pair(old.items or (), new.items or ())

    def tell(self, events: Sequence[Occurrence], first: int, last: int) -> list[Occurrence]:
        """The operations among these events, on the new values."""
        if last - first > _MOST:
            return []
        return [self._copy(e) for e in islice(events, first, last) if isinstance(e, _OPERATIONS)]

    def renew(self, value: Value) -> Value:
        """What a value is now."""
        known = self._anew.get(id(value))
        if known is not None:
            return known
        if isinstance(value, Tensor):
            new: Value = replace(value)
        elif isinstance(value, Items) and value.items is not None:
            new = replace(value, items=tuple(map(self.renew, value.items)))
        else:
            return value
        self._anew[id(value)] = new
        return new

    def _copy(self, event: Occurrence) -> Occurrence:
        if isinstance(event, Called):
            named = {name: self.renew(value) for name, value in event.keyword.items()}
            given = tuple(map(self.renew, event.positional))
            return replace(event, positional=given, keyword=named, result=self.renew(event.result))
        if isinstance(event, (Combined, Compared)):
            left, right = self.renew(event.left), self.renew(event.right)
            return replace(event, left=left, right=right, result=self.renew(event.result))
        if isinstance(event, (Indexed, AttributeRead)):
            return replace(event, held=self.renew(event.held), result=self.renew(event.result))
        return event


_OPERATIONS = (Called, Combined, Compared, Indexed, AttributeRead)
