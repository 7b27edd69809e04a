"""Where values came from and went to: which operation gave one, and which were given it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from lintorch.evaluator.events import (
    AttributeRead,
    AttributeSet,
    Called,
    Combined,
    Compared,
    Indexed,
    ItemSet,
    Occurrence,
    Returned,
)
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Items,
    Spot,
    Tensor,
    Unknown,
    Value,
    find_unproven,
)

Operation = Called | Combined | Indexed | AttributeRead
_KEEPING = (AttributeSet, ItemSet, Returned)
_COMMON = frozenset(map(id, (UNKNOWN, NONE, TRUE, FALSE)))
"""What is one and the same wherever it occurs."""
_DRAWING = frozenset(
    {
        "rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "bernoulli",
        "bernoulli_", "normal", "normal_", "uniform_", "random_", "exponential_", "multinomial",
        "poisson", "sample", "rsample",
    }
)  # fmt: skip
_DEEPEST = 12
_MOST_STEPS = 400


class ValueWays:
    """Follows values through what happened; a value is told from others that are like it."""

    def __init__(self, events: Iterable[Occurrence]) -> None:
        held = [e for e in events if isinstance(e, (Operation, Compared, UnknownCalled, _KEEPING))]
        self._operations = [e for e in held if isinstance(e, Operation)]
        self._unknown_calls = [e for e in held if isinstance(e, UnknownCalled)]
        self._comparisons = [e for e in held if isinstance(e, Compared)]
        self._keeping = [e.value for e in held if isinstance(e, _KEEPING)]

    def find_maker(self, value: Value | None) -> Operation | None:
        """The operation that gave a value; None of what was given, written down or read off an object."""
        made = self._makers.get(id(value))
        if made is None and value is not None:
            return self._makers.get(id(find_unproven(value)))
        return made

    def find_comparison(self, value: Value) -> Compared | None:
        """The comparison that a value is the answer of."""
        return self._answers.get(id(value))

    def find_users(self, value: Value) -> Sequence[Operation]:
        """The operations that were given a value."""
        return self._users.get(id(value), ())

    def stands_on_data(self, value: Value) -> bool:
        """Whether an input, a weight or what a layer gives is among the things that a value was made of."""
        return any(
            (isinstance(each, Tensor) and each.origin in ("input", "parameter", "buffer"))
            or (isinstance(made, Called) and made.built is not None)
            for each, made in self._walk_back(value)
        )

    def list_sources(
        self, value: Value, passes: Callable[[Operation | Compared], bool] = lambda made: True
    ) -> Iterator[Value]:
        """A value, and all that it was made of; `passes` says of an operation whether that is looked at."""
        return (each for each, _ in self._walk_back(value, passes))

    def is_drawn(self, value: Value) -> bool:
        """Whether a value was made of what torch draws by chance."""
        return any(
            isinstance(made, Called) and made.name.rpartition(".")[2] in _DRAWING
            for _, made in self._walk_back(value)
        )

    def _walk_back(
        self, value: Value, passes: Callable[[Operation | Compared], bool] = lambda made: True
    ) -> Iterator[tuple[Value, Operation | Compared | None]]:
        """A value and all that it was made of, each with the operation that gave it."""
        waiting, seen = [value], {id(value)}
        while waiting and len(seen) < _MOST_STEPS:
            each = waiting.pop()
            made = self.find_maker(each) or self.find_comparison(each)
            yield each, made
            if made is not None and not passes(made):
                continue
            given = list_operands(made) if made else (find_unproven(each),)
            more = [v for v in given if id(v) not in seen]
            seen.update(map(id, more))
            waiting += more

    def name_origin(self, value: Value | None) -> str:
        """The parameter that a value was read from, also through methods and items; "" if unknown."""
        for _ in range(_DEEPEST):
            if isinstance(value, Unknown) and value.path.startswith("<"):
                return value.path[1:].partition(">")[0]
            if isinstance(value, Tensor) and value.origin == "input":
                return value.name
            made = self.find_maker(value)
            if made is not None:
                value = next(list_operands(made), None)
                continue
            asked = None if value is None else find_unproven(value)
            called = None if asked is None else self.find_unknown_maker(asked)
            if called is None and asked is value:
                return ""
            value = asked if called is None else called.held
        return ""

    def find_unknown_maker(self, value: Value) -> UnknownCalled | None:
        """The call of something unknown that gave a value."""
        return self._unknown_makers.get(id(value))

    @cached_property
    def _unknown_makers(self) -> dict[int, UnknownCalled]:
        found: dict[int, UnknownCalled] = {}
        for each in self._unknown_calls:
            if id(each.result) not in _COMMON:
                found.setdefault(id(each.result), each)
        return found

    @cached_property
    def _answers(self) -> dict[int, Compared]:
        found: dict[int, Compared] = {}
        for each in self._comparisons:
            if id(each.result) not in _COMMON:
                found.setdefault(id(each.result), each)
        return found

    def find_runs(self, built: Spot) -> Sequence[Called]:
        """The calls of the layers that are made at a place."""
        return self._runs.get(built, ())

    @cached_property
    def _runs(self) -> dict[Spot, list[Called]]:
        found: dict[Spot, list[Called]] = defaultdict(list)
        for each in self._operations:
            if isinstance(each, Called) and each.built is not None:
                found[each.built].append(each)
        return found

    def is_kept(self, value: Value) -> bool:
        """Whether an object or a list holds a value, or a model gives it back, or that is not known."""
        return id(value) in self._kept or is_common(value)

    @cached_property
    def _kept(self) -> frozenset[int]:
        return frozenset(id(each) for v in self._keeping for each in (v, *_list_items(v)))

    def find_takers(self, value: Value) -> Sequence[UnknownCalled]:
        """The calls of something unknown that were given a value."""
        return self._takers.get(id(value), ())

    def find_asked(self, value: Value) -> Sequence[UnknownCalled]:
        """The methods that are called on something unknown."""
        return self._asked.get(id(value), ())

    @cached_property
    def _asked(self) -> dict[int, list[UnknownCalled]]:
        found: dict[int, list[UnknownCalled]] = defaultdict(list)
        for each in self._unknown_calls:
            if id(each.held) not in _COMMON:
                found[id(each.held)].append(each)
        return found

    @cached_property
    def _takers(self) -> dict[int, list[UnknownCalled]]:
        found: dict[int, list[UnknownCalled]] = defaultdict(list)
        for each in self._unknown_calls:
            for value in each.given.values:
                if id(value) not in _COMMON:
                    found[id(value)].append(each)
        return found

    @cached_property
    def _makers(self) -> dict[int, Operation]:
        found: dict[int, Operation] = {}
        for each in self._operations:
            given = {*map(id, list_operands(each)), *_COMMON}
            for value in (each.result, *_list_items(each.result)):
                if id(value) not in given:
                    found.setdefault(id(value), each)
        return found

    @cached_property
    def _users(self) -> dict[int, list[Operation]]:
        found: dict[int, list[Operation]] = defaultdict(list)
        for each in self._operations:
            for value in list_operands(each):
                if id(value) not in _COMMON:
                    found[id(value)].append(each)
                unproven = find_unproven(value)
                if unproven is not value and id(value) not in self._makers:
                    found[id(unproven)].append(each)
        return found


def is_one(left: Value | None, right: Value | None) -> bool:
    """Whether both surely are one and the same value: of what is not known at all, nothing tells."""
    return left is right and left is not None and not is_common(left)


def is_common(value: Value) -> bool:
    """Whether a value stands wherever nothing is known, or for a constant."""
    return id(value) in _COMMON


def list_operands(event: Operation | Compared) -> Iterator[Value]:
    """The values that an operation works on, with the items of lists and tuples among them."""
    if isinstance(event, Called):
        given: Iterable[Value] = (*event.positional, *event.keyword.values())
    elif isinstance(event, (Combined, Compared)):
        given = (event.left, event.right)
    elif isinstance(event, Indexed):
        given = (event.held, event.index)
    else:
        given = (event.held,)
    for value in given:
        yield value
        yield from _list_items(value)


def _list_items(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, Items):
        return ()
    return (value.each,) if value.items is None else value.items
