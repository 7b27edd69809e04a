"""What was worked out of texts, kept as long as the texts together are not too long."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def keep_by_size(
    most: int, measure: Callable[..., int]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Ask a function once for the same arguments, given by position, and forget what was asked for longest ago.

    As a cache of functools that is bounded by what its entries weigh, as `measure` says of their
    arguments, and not by their number: one tree may take a hundred times the memory of another.
    The newest is kept whatever it weighs.
    """

    def decorate(work: Callable[P, R]) -> Callable[P, R]:
        kept: dict[tuple[Any, ...], tuple[int, R]] = {}
        weighs = 0

        @wraps(work)
        def ask(*given: P.args, **named: P.kwargs) -> R:
            nonlocal weighs
            found = kept.pop(given, None)
            if found is None:
                found = measure(*given, **named), work(*given, **named)
                weighs += found[0]
                while kept and weighs > most:
                    weighs -= kept.pop(next(iter(kept)))[0]
            kept[given] = found
            return found[1]

        return ask

    return decorate
