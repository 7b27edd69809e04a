"""What is asked of the disk and kept while one run lasts: a process that lives on asks again."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")
_forgetting: list[Callable[[], None]] = []


def keep_for_run(function: Callable[P, R]) -> Callable[P, R]:
    """Ask a function once for the same arguments, until a run begins."""
    kept = cache(function)
    _forgetting.append(kept.cache_clear)
    return cast("Callable[P, R]", kept)


def forget_answers() -> None:
    """A run begins: files may have changed since the last one."""
    for forget in _forgetting:
        forget()
