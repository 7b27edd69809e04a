"""Which parameter of a function a value is, by what the function was given each time it began to run."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence

from lintorch.evaluator.events import Entered, GivenBack, Occurrence
from lintorch.evaluator.values import Constant, Held, Unknown, Value, name_setting

Parameters = list[tuple[str, Value]]


class EnteredValues:
    """What the functions of a file were given, and gave back."""

    def __init__(self, events: Iterable[Occurrence]) -> None:
        self._given: dict[ast.AST, Parameters] = defaultdict(list)
        self._back: dict[tuple[str, ...], list[GivenBack]] = defaultdict(list)
        for event in events:
            if isinstance(event, Entered):
                self._given[event.node] += event.given.items()
            elif isinstance(event, GivenBack):
                self._back[event.way.names].append(event)

    def name_parameter(self, function: ast.AST | None, value: Value) -> str:
        """The parameter of a function that a value is; "" where it is none, or nothing tells it from others."""
        given = self._given.get(function, ()) if function is not None else ()
        return next((name for name, each in given if _is_same(each, value)), "")

    def list_returns(self, event: Occurrence) -> Sequence[GivenBack]:
        """What functions give back that are reached by the same names as an event."""
        return self._back.get(event.way.names, ())


def _is_same(given: Value, value: Value) -> bool:
    """Whether both are one object; what is equal need not be, but for objects and settings that nobody gives."""
    if isinstance(given, Held) or name_setting(given):
        return given == value
    told = not isinstance(given, Constant) and (not isinstance(given, Unknown) or bool(given.path))
    return told and given is value
