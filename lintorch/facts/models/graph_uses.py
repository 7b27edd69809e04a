"""Where a value goes: into what a model computes, or only into decisions, checks and messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from lintorch.evaluator.events import AttributeSet, Called, Decided, Occurrence, Returned
from lintorch.evaluator.values import Choice, Items, Tensor, Value
from lintorch.facts.models.value_ways import Operation, ValueWays, list_operands

_TALK = frozenset({"str", "repr", "isinstance", "type", "id", "hash", "print", "format"})
_MOST_STEPS = 200


class GraphUses:
    """Follows values forwards through what happened in the models of a file."""

    def __init__(
        self,
        events: Iterable[Occurrence],
        ways: ValueWays,
        is_dropped: Callable[[Occurrence], bool],
    ) -> None:
        self._ways = ways
        self._is_dropped = is_dropped
        self._asked: set[int] = set()
        self._kept: set[int] = set()
        for event in events:
            if isinstance(event, Decided):
                self._asked.add(id(event.test))
            elif isinstance(event, (AttributeSet, Returned)):
                self._kept.update(map(id, _list_parts(event.value)))
            elif isinstance(event, Operation):
                self._kept.update(id(arm) for v in list_operands(event) for arm in _list_arms(v))

    def may_be_in_graph(self, event: Called) -> bool:
        """Whether what a call gives may become part of what a model computes; it does if in doubt."""
        if self._is_dropped(event):
            return False
        waiting, seen, looked_at = [event.result], {id(event.result)}, False
        while waiting and len(seen) < _MOST_STEPS:
            value = waiting.pop()
            if id(value) in self._kept or self._ways.find_takers(value):
                return True
            comparison = self._ways.find_comparison(value)
            looked_at |= id(value) in self._asked
            given = [] if comparison is None else [comparison.result]
            for user in self._ways.find_users(value):
                if isinstance(user, Called) and user.name in _TALK:
                    looked_at = True
                else:
                    given.append(user.result)
            waiting += (each for each in given if id(each) not in seen)
            seen.update(map(id, given))
        return not looked_at


def _list_parts(value: Value) -> Iterator[Value]:
    """A value, what it holds, and what it is on each branch."""
    yield value
    for each in (value.items or ()) if isinstance(value, Items) else ():
        yield from _list_parts(each)
    yield from _list_arms(value)


def _list_arms(value: Value) -> Iterator[Value]:
    arms: tuple[Value, ...] = value.arms if isinstance(value, Tensor) else ()
    for arm in value.alternatives if isinstance(value, Choice) else arms:
        yield arm
        yield from _list_arms(arm)
