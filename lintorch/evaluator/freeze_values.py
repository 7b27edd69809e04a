"""What tells arguments from others that are given to a constructor of a layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.evaluator.compare_layers import LAYER
from lintorch.evaluator.repeated_calls import is_lasting
from lintorch.evaluator.state import State
from lintorch.evaluator.values import Bound, Given, Held, Value

_DEEPEST = 8


class _Same:
    """What an object holds: equal only to itself, as it is copied when it changes."""

    __slots__ = ("content",)

    def __init__(self, content: Mapping[Any, Any]) -> None:
        self.content = content

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.content is self.content

    def __hash__(self) -> int:
        return id(self.content)


def freeze_value(value: Value, state: State, deep: int = 0) -> Any:
    """What tells a value from others: of settings and lists what they hold now."""
    if type(value) is Bound and deep:  # a method of the object that it is found in
        return value.function if is_lasting(value.function) else None
    if type(value) is not Held:
        return value if is_lasting(value) else None
    content = state.read(value.address)
    if LAYER in content:
        return value, _Same(content)
    unknown = "open" in content if value.kind == "dict" else not content
    if unknown or deep > _DEEPEST:
        return None
    parts = [(key, _freeze_part(each, state, deep + 1)) for key, each in content.items()]
    known = all(part is not None for _, part in parts)
    return (value.kind, value.of, frozenset(parts)) if known else None


def _freeze_part(part: Any, state: State, deep: int) -> Any:
    if isinstance(part, Given):  # what an object of a class that is not known was made with
        given = (part.positional, *part.keyword.items())
        return None if part.open else _freeze_part(given, state, deep)
    if not isinstance(part, tuple):
        return freeze_value(part, state, deep) if isinstance(part, Value) else part
    frozen = tuple(_freeze_part(each, state, deep) for each in part)
    return None if None in frozen else frozen
