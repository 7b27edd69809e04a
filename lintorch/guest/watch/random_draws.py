"""Numbers that Python's `random` or NumPy draw in a run, and on which line."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from lintorch.guest.watch.size_ranges import find_user_modules
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.sites import Site

DRAWING_FUNCTIONS = (
    "random",
    "rand",
    "randn",
    "randint",
    "randrange",
    "uniform",
    "normal",
    "gauss",
    "choice",
    "choices",
    "sample",
    "shuffle",
    "permutation",
    "betavariate",
    "beta",
    "normalvariate",
    "expovariate",
    "triangular",
    "random_sample",
    "standard_normal",
    "binomial",
    "poisson",
    "getrandbits",
)
Draw = Callable[[], Any]
Drawn = Callable[[Site, str, Draw], Any]
"""Is given the line, the function's name and what draws; gives what the model is to see."""


@contextmanager
def intercept_draws(files: UserLines, drawn: Drawn) -> Iterator[None]:
    """Within, what the user's files draw from `random` and `numpy.random` goes through `drawn`."""
    known = {id(function): wrapped for function, wrapped in _wrapped(files, drawn)}
    changed = [
        (table, name, value)
        for table in [vars(module) for module in (*_generators(), *find_user_modules(files))]
        for name, value in list(table.items())
        if id(value) in known
    ]
    for table, name, value in changed:
        table[name] = known[id(value)]
    try:
        yield
    finally:
        for table, name, value in changed:
            table[name] = value


def _wrapped(files: UserLines, drawn: Drawn) -> Iterator[tuple[Any, Any]]:
    for module in _generators():
        for name in DRAWING_FUNCTIONS:
            if callable(function := vars(module).get(name)):
                yield function, _telling(function, f"{module.__name__}.{name}", files, drawn)


def _telling(function: Any, name: str, files: UserLines, drawn: Drawn) -> Any:
    def told(*args: Any, **kwargs: Any) -> Any:
        frame = sys._getframe(1)
        site = files.find_site(frame) if files.is_user(frame.f_code.co_filename) else None
        if site is None:
            return function(*args, **kwargs)
        return drawn(site, name, lambda: function(*args, **kwargs))

    return told


def _generators() -> list[ModuleType]:
    numpy = sys.modules.get("numpy.random")
    return [random, numpy] if numpy else [random]
