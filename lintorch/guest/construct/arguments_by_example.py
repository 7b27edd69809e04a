"""The arguments of a call that a file spells out, by the names of the parameters they are for."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from lintorch.guest.construct.call_examples import UNREAD, Example
from lintorch.guest.construct.fill_arguments import fill_arguments
from lintorch.guest.construct.parameters import list_required_parameters


def bind_example(
    call: Callable[..., Any], example: Example, scope: Mapping[str, Any]
) -> dict[str, Any] | None:
    """What the example gives `call`; None where that is nothing it needs, or does not fit.

    Models among the arguments are built as the file builds them.
    """
    try:
        given = inspect.signature(call).bind_partial(*example.args, **example.kwargs)
    except (TypeError, ValueError):
        return None
    kinds = inspect.signature(call).parameters
    if any(kinds[name].kind is inspect.Parameter.VAR_POSITIONAL for name in given.arguments):
        return None
    named: dict[str, Any] = {}
    for name, value in given.arguments.items():
        named |= value if kinds[name].kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    read = {name: value for name, value in named.items() if value is not UNREAD}
    needed = {parameter.name for parameter in list_required_parameters(call)}
    fed = bool(example.inputs or example.place.partly)
    if not (read or fed) or (needed and not needed & set(read)):
        return None
    keyed = any(kind.kind is inspect.Parameter.VAR_KEYWORD for kind in kinds.values())
    if example.unread and not needed and not fed and not keyed:
        return None
    try:
        return {name: _build_value(value, scope) for name, value in read.items()}
    except Exception:  # whatever a constructor raises
        return None


def _build_value(value: Any, scope: Mapping[str, Any]) -> Any:
    """The value; where it is a call of its own, what that gives."""
    if not isinstance(value, Example):
        return copy.deepcopy(value) if isinstance(value, (list, dict)) else value
    call = scope[value.name]
    given = bind_example(call, value, scope) or {}
    rest = [
        parameter for parameter in list_required_parameters(call) if parameter.name not in given
    ]
    return call(**given, **fill_arguments(call, rest))
