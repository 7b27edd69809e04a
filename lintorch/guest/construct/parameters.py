"""What a class or function says of its parameters: which it needs, and what they may be."""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable
from typing import Any

NOT_SAID = object()
"""Stands for no value: the annotation lists none."""


def list_required_parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a class or function cannot be called without.

    Raises ValueError or TypeError where it has no signature.
    """
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter
        for parameter in inspect.signature(call).parameters.values()
        if parameter.default is parameter.empty and parameter.kind not in kinds
    ]


def list_reachable_parameters(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of a class or function, and those of its bases that it passes keywords on to."""
    found: dict[str, inspect.Parameter] = {}
    kinds = inspect.getmro(call) if inspect.isclass(call) else ()
    makers: list[Any] = [kind for kind in kinds if "__init__" in vars(kind)]
    for part in makers or [call]:
        try:
            given = inspect.signature(part).parameters
        except (TypeError, ValueError):
            break
        found = {**given, **found}
        if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in given.values()):
            break
    return list(found.values())


def list_positional_parameters(module: Any) -> list[inspect.Parameter]:
    """The parameters of a module's `forward` that may be given by position, one each."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p for p in inspect.signature(module.forward).parameters.values() if p.kind in kinds]


def name_arguments(module: Any, count: int) -> list[str]:
    """Names of the first arguments of a module's `forward`; numbered where it takes `*args`."""
    names = [parameter.name for parameter in list_positional_parameters(module)]
    return [*names, *(f"input{number}" for number in range(len(names), count))][:count]


def read_annotation(parameter: inspect.Parameter) -> str:
    """The annotation as it is written; "" where there is none."""
    given = parameter.annotation
    if given is parameter.empty:
        return ""
    if isinstance(given, str):
        return given
    return given.__name__ if isinstance(given, type) else str(given)


def pick_allowed_value(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """The first of the values that the annotation allows, a Literal or an Enum; else NOT_SAID."""
    given = parameter.annotation
    if isinstance(given, str):
        given = _resolve_annotation(call, parameter)
    for option in (given, *typing.get_args(given)):
        if typing.get_origin(option) is typing.Literal:
            return typing.get_args(option)[0]
        if inspect.isclass(option) and issubclass(option, enum.Enum):
            return next(iter(option), NOT_SAID)
    return NOT_SAID


def _resolve_annotation(call: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """What a written annotation names, where that is one word or a Literal of words."""
    text = read_annotation(parameter)
    scope = getattr(inspect.getmodule(call), "__dict__", {})
    if text.isidentifier():
        return scope.get(text)
    _, found, rest = text.partition("Literal[")
    words = rest.partition("]")[0].replace('"', "'").split("'")
    return typing.Literal[words[1]] if found and len(words) > 1 else None
