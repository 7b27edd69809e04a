"""What functions that a module holds write to, and what a copy of the module has to share with it therefore."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from torch import nn

_CONTAINERS = (dict, list, set)


def find_shared_state(module: nn.Module) -> dict[int, Any]:
    """The memo of a copy that shares what hooks reach by closures and globals: dicts, lists and sets.

    Raises TypeError where a hook holds a part of the module itself: in a copy it would go on
    writing to the first.
    """
    parts = {id(part) for part in nn.Module.modules(module)}
    shared: dict[int, Any] = {}
    for function in _list_functions(module):
        for value in _list_reached(function):
            if id(value) in parts:
                raise TypeError(f"{function.__qualname__} holds a part of the module")
            if isinstance(value, _CONTAINERS):
                shared[id(value)] = value
    return shared


def is_copied_whole(module: nn.Module) -> bool:
    """Whether a plain copy of a module shares nothing with it that its functions write to."""
    try:
        return not find_shared_state(module)
    except TypeError:
        return False


def _list_functions(module: nn.Module) -> Iterator[FunctionType]:
    """The hooks of all parts, and functions that are attributes of one."""
    for part in nn.Module.modules(module):
        for name, value in vars(part).items():
            held = value.values() if "hooks" in name and isinstance(value, dict) else (value,)
            yield from (each for each in held if isinstance(each, FunctionType))


def _list_reached(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    named = function.__code__.co_names
    yield from (function.__globals__[name] for name in named if name in function.__globals__)
