"""Functions that releases have removed and that nothing does in their place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class ArgSpec(NamedTuple):
    """What `inspect.getargspec` gave."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


def getargspec(function: Callable[..., Any]) -> ArgSpec:
    """The names and defaults of a function's arguments."""
    return ArgSpec(*inspect.getfullargspec(function)[:4])


def item_of(array: Any) -> Any:
    """The one value of an array."""
    return array.item()


def with_metaclass(kind: type, *bases: type) -> type:
    """A base that gives its subclasses this metaclass."""
    made: type = kind("with_metaclass", bases or (object,), {})
    return made


class AddressByName(dict[str, str]):
    """A table of addresses of weights; they are not fetched, so one is as good as another."""

    def __missing__(self, name: str) -> str:
        return f"https://download.pytorch.org/models/{name}.pth"
