"""What a call was given: by the names of its parameters, and as Python values where they are known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lintorch.evaluator.events import Called, as_value
from lintorch.evaluator.signatures.find_signatures import UNWRITTEN, find_signatures
from lintorch.evaluator.values import UNKNOWN, Constant, Items, Value
from lintorch.syntax import literals


def name_given(event: Called) -> Mapping[str, Value]:
    """What a call is given itself, defaults left out; the first signature that is long enough counts."""
    found: dict[str, Value] = {}
    signatures = find_signatures(event.name)
    for signature in signatures:
        names = [each.name for each in signature.parameters]
        if len(names) >= len(event.positional):
            found.update(zip(names, event.positional, strict=False))
            break
    found.update(event.keyword)
    return found


def name_arguments(event: Called) -> Mapping[str, Value]:
    """The same with defaults; where a call is given what is not known, what it does not name is unknown."""
    found: dict[str, Value] = {}
    for signature in find_signatures(event.name)[:1]:
        for each in signature.parameters:
            absent = UNKNOWN if event.open or each.default is UNWRITTEN else as_value(each.default)
            found[each.name] = absent
    return {**found, **name_given(event)}


def read_plain(value: Value | None) -> Any:
    """A constant, also in tuples, lists and dictionaries, as it is written; literals.UNKNOWN of anything else."""
    if isinstance(value, Constant):
        return value.value
    if not isinstance(value, Items) or value.items is None:
        return literals.UNKNOWN
    items = [read_plain(each) for each in value.items]
    if any(each is literals.UNKNOWN for each in items):
        return literals.UNKNOWN
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
    return [] if any(key is literals.UNKNOWN for key in keys) else keys
