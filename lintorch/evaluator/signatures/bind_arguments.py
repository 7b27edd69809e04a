"""Puts the arguments of a call in the places of a signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lintorch.evaluator.signatures.find_signatures import (
    Parameter,
    ParameterKind,
    Signature,
    find_signatures,
)

_BY_POSITION = (ParameterKind.POSITIONAL, ParameterKind.EITHER)
_BY_NAME = (ParameterKind.EITHER, ParameterKind.NAMED)


def bind_arguments(
    signature: Signature, positional: Sequence[Any], keyword: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Arguments by name, defaults where none is given; None where the call does not fit.

    What is given to `*sizes` is a tuple, and what is given to `**options` a dict.
    """
    given = _bind_given(signature, positional, keyword)
    if given is None or any(p.is_required and p.name not in given for p in signature.parameters):
        return None
    return {p.name: given.get(p.name, p.default) for p in signature.parameters}


def bind_call(
    name: str,
    positional: Sequence[Any],
    keyword: Mapping[str, Any],
    fits: Callable[[Parameter, Any], bool] = lambda parameter, value: True,
) -> dict[str, Any] | None:
    """The same for a name that can be called in several ways: the first way that fits.

    `fits` says whether an argument may be meant for a parameter, such as an int for a `Tensor`.
    """
    for signature in find_signatures(name):
        given = _bind_given(signature, positional, keyword)
        bound = bind_arguments(signature, positional, keyword)
        if given is not None and bound is not None:
            found = {parameter.name: parameter for parameter in signature.parameters}
            if all(fits(found[each], value) for each, value in given.items()):
                return bound
    return None


def _bind_given(
    signature: Signature, positional: Sequence[Any], keyword: Mapping[str, Any]
) -> dict[str, Any] | None:
    places = [p for p in signature.parameters if p.kind in _BY_POSITION]
    given = {place.name: value for place, value in zip(places, positional, strict=False)}
    rest = positional[len(places) :]
    star = next((p for p in signature.parameters if p.kind is ParameterKind.STAR), None)
    options = next((p for p in signature.parameters if p.kind is ParameterKind.DOUBLE_STAR), None)
    named = {p.name for p in signature.parameters if p.kind in _BY_NAME}
    if star:
        given[star.name] = tuple(rest)
    elif rest:
        return None
    further = {name: value for name, value in keyword.items() if name not in named}
    if any(name in given for name in keyword) or (further and not options):
        return None
    return {**given, **keyword} if not options else _collect(given, keyword, further, options.name)


def _collect(
    given: dict[str, Any], keyword: Mapping[str, Any], further: dict[str, Any], options: str
) -> dict[str, Any]:
    known = {name: value for name, value in keyword.items() if name not in further}
    return {**given, **known, options: further}
