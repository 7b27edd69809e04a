"""Words that an argument may be: from its annotation."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable
from typing import Any

from lintorch.guest.construct.parameters import annotation

_NONE = object()


def choice(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """The first of the values that the annotation allows, a Literal or an Enum; else NOT_SAID."""
    given = parameter.annotation
    if isinstance(given, str):
        given = _resolved(call, parameter)
    for option in (given, *typing.get_args(given)):
        if typing.get_origin(option) is typing.Literal:
            return typing.get_args(option)[0]
        if inspect.isclass(option) and issubclass(option, enum.Enum):
            return next(iter(option), NOT_SAID)
    return NOT_SAID


NOT_SAID = _NONE


def _resolved(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """What a written annotation names, where that is one word or a Literal of words."""
    text = annotation(parameter)
    scope = getattr(inspect.getmodule(call), "__dict__", {})
    if text.isidentifier():
        return scope.get(text)
    _, found, rest = text.partition("Literal[")
    words = rest.partition("]")[0].replace('"', "'").split("'")
    return typing.Literal[words[1]] if found and len(words) > 1 else None
