"""Puts the arguments of a call in the places of a signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lintorch.evaluator.signatures.find_signatures import (
    Parameter,
    Signature,
    find_signatures,
)


def bind_arguments(
    signature: Signature, positional: Sequence[Any], keyword: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Arguments by name, defaults where none is given; None where the call does not fit.

    What is given to `*sizes` is a tuple, and what is given to `**options` a dict.
    """
    given = _bind_given(signature, positional, keyword)
    if given is None or not signature.plan.required <= given.keys():
        return None
    return {**signature.plan.defaults, **given}


def bind_call(
    name: str,
    positional: Sequence[Any],
    keyword: Mapping[str, Any],
    fits: Callable[[Parameter, Any], bool] | None = None,
) -> dict[str, Any] | None:
    """The same for a name that can be called in several ways: the first way that fits.

    `fits` says whether an argument may be meant for a parameter, such as an int for a `Tensor`.
    """
    for signature in find_signatures(name):
        plan = signature.plan
        given = _bind_given(signature, positional, keyword)
        if given is None or not plan.required <= given.keys():
            continue
        if fits is None or all(fits(plan.by_name[each], value) for each, value in given.items()):
            return {**plan.defaults, **given}
    return None


def _bind_given(
    signature: Signature, positional: Sequence[Any], keyword: Mapping[str, Any]
) -> dict[str, Any] | None:
    plan = signature.plan
    given = dict(zip(plan.places, positional, strict=False))
    if plan.star:
        given[plan.star] = tuple(positional[len(plan.places) :])
    elif len(positional) > len(plan.places):
        return None
    if not keyword and not plan.options:
        return given
    further = {name: value for name, value in keyword.items() if name not in plan.named}
    if (further and not plan.options) or any(name in given for name in keyword):
        return None
    return (
        {**given, **keyword}
        if not plan.options
        else _collect(given, keyword, further, plan.options)
    )


def _collect(
    given: dict[str, Any], keyword: Mapping[str, Any], further: dict[str, Any], options: str
) -> dict[str, Any]:
    known = {name: value for name, value in keyword.items() if name not in further}
    return {**given, **known, options: further}
