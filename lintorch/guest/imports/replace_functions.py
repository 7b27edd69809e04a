"""Replaces functions of packages as they are loaded, under each name that they go by."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from lintorch.guest.imports.user_frames import get_user_code

Replacement = Callable[..., Any]
"""Is called with the place that asks, the function it stands for, and the arguments."""
_done: set[str] = set()


def replace_loaded(replacements: Mapping[str, Replacement]) -> None:
    """Replace the functions at these dotted paths ("gdown.download") in modules that are loaded by now.

    What calls them from no code of the user's meets them as they are.
    """
    exchanged: dict[int, tuple[Any, Any]] = {}
    for path, replacement in replacements.items():
        holder, _, name = path.rpartition(".")
        module = sys.modules.get(holder)
        if path in _done or not isinstance(module, ModuleType):
            continue
        function = vars(module).get(name)
        if callable(function) and not isinstance(function, type):
            _done.add(path)
            exchanged[id(function)] = function, make_replacement(function, replacement)
    if exchanged:
        for module in list(sys.modules.values()):
            _exchange_in(module, exchanged)


def make_replacement(function: Any, replacement: Replacement) -> Any:
    """What calls the replacement for the user's code, and else the function."""

    @functools.wraps(function)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        code = get_user_code()
        place = code.name_place() if code is not None else ""
        if not place:
            return function(*args, **kwargs)
        return replacement(place, function, *args, **kwargs)

    return replaced


def _exchange_in(module: Any, exchanged: Mapping[int, tuple[Any, Any]]) -> None:
    if not isinstance(module, ModuleType):
        return
    held = vars(module)
    for name, value in list(held.items()):
        function, replaced = exchanged.get(id(value), (None, None))
        if function is value and function is not None:
            held[name] = replaced
