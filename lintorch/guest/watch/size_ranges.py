"""Loops over a size: `range(x.shape[0])` in the user's files tells that it was asked."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from types import ModuleType
from typing import Any

from lintorch.guest.process import surroundings
from lintorch.guest.watch.user_lines import UserLines
from lintorch.guest.watch.watched_sizes import Sized, tell_listener
from lintorch.record.events import SizeLooped


class _Kind(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, builtins.range)

    def __subclasscheck__(cls, kind: type) -> bool:
        return issubclass(kind, builtins.range)


class _Range(metaclass=_Kind):
    """Stands in for `range`, and gives true ranges."""

    def __new__(cls, *bounds: Any) -> Any:
        answer = range(*bounds)
        if any(isinstance(bound, Sized) for bound in bounds):
            tell_listener(SizeLooped, bounds=bounds, value=len(answer))
        return answer


@contextmanager
def report_ranges(files: UserLines, wanted: bool = True) -> Iterator[None]:
    """Within, the user's modules see a `range` that reports sizes."""
    seen = find_user_modules(files) if wanted else []
    shadowed = [module for module in seen if "range" not in vars(module)]
    for module in shadowed:
        vars(module)["range"] = _Range
    try:
        yield
    finally:
        for module in shadowed:
            vars(module).pop("range", None)


def find_user_modules(files: UserLines) -> list[ModuleType]:
    """The modules of the user's files that are loaded: of all, those that came last.

    To look at all that came before, in each of many forks, would copy the memory of each.
    """
    later = list(islice(reversed(sys.modules.values()), surroundings.count_later_modules()))
    return [module for module in reversed(later) if _is_user(module, files)]


def _is_user(module: ModuleType, files: UserLines) -> bool:
    filename = getattr(module, "__file__", None)
    return isinstance(filename, str) and files.is_user(filename)
