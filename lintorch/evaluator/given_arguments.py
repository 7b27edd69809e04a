"""The arguments of a call of something foreign, by the names of its parameters."""

from __future__ import annotations

from collections.abc import Mapping

from lintorch.evaluator.events import Called, as_value
from lintorch.evaluator.signatures.find_signatures import UNWRITTEN, find_signatures
from lintorch.evaluator.values import UNKNOWN, Value


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
