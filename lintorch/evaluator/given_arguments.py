"""What a call was given, as Python values where they are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.evaluator.events import Called
from lintorch.evaluator.signatures.find_signatures import find_signatures
from lintorch.evaluator.values import Constant, Items, Value
from lintorch.syntax.literals import UNKNOWN


def list_given(event: Called) -> Mapping[str, Value]:
    """The arguments that a call of a function gives by their names, without defaults."""
    ways = find_signatures(event.name)
    names = [each.name for each in ways[0].parameters] if ways else []
    return {**dict(zip(names, event.positional, strict=False)), **event.keyword}


def read_plain(value: Value | None) -> Any:
    """A constant, also in tuples, lists and dictionaries, as it is written; UNKNOWN of anything else."""
    if isinstance(value, Constant):
        return value.value
    if not isinstance(value, Items) or value.items is None:
        return UNKNOWN
    items = [read_plain(each) for each in value.items]
    if any(each is UNKNOWN for each in items):
        return UNKNOWN
    if value.kind == "dict":
        return dict(items)
    return items if value.kind == "list" else tuple(items)


def read_keys(value: Value | None) -> list[Any]:
    """The known keys of a dictionary, or items of a list or tuple; [] where there are others."""
    items = value.items if isinstance(value, Items) else None
    if items is None:
        return []
    if isinstance(value, Items) and value.kind == "dict":
        items = tuple(each.items[0] for each in items if isinstance(each, Items) and each.items)
    keys = [read_plain(each) for each in items]
    return [] if any(key is UNKNOWN for key in keys) else keys
