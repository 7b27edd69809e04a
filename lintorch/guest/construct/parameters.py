"""What a class or function says of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def required(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a class or function cannot be called without."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        parameter
        for parameter in inspect.signature(call).parameters.values()
        if parameter.default is parameter.empty and parameter.kind not in kinds
    ]


def reached(call: Callable[..., Any]) -> list[inspect.Parameter]:
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


def positional(module: Any) -> list[inspect.Parameter]:
    """The parameters of a module's `forward` that may be given by position, one each."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p for p in inspect.signature(module.forward).parameters.values() if p.kind in kinds]


def named(module: Any, count: int) -> list[str]:
    """Names of the first arguments of a module's `forward`; numbered where it takes `*args`."""
    names = [parameter.name for parameter in positional(module)]
    return [*names, *(f"input{number}" for number in range(len(names), count))][:count]


def annotation(parameter: inspect.Parameter) -> str:
    """The annotation as it is written; "" where there is none."""
    given = parameter.annotation
    if given is parameter.empty:
        return ""
    if isinstance(given, str):
        return given
    return given.__name__ if isinstance(given, type) else str(given)
