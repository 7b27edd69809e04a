"""The largest or smallest of several sizes: `max(h, w)` in the user's files tells which one was kept."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from lintorch.trace.sized import Sized, SizedFloat, listening, tell


def _picking(name: str) -> Callable[..., Any]:
    """`max` or `min`, of which `size.max` tells with the sizes and the index of the one kept."""
    function = getattr(builtins, name)

    def pick(*given: Any, **options: Any) -> Any:
        among = given[0] if len(given) == 1 else given
        if options or not isinstance(among, (tuple, list)) or not any(map(_reports, among)):
            return function(*given, **options)
        with listening(None):
            answer = function(among)
            chosen = next(index for index, each in enumerate(among) if each is answer)
        return tell(f"size.{name}", answer, chosen, among=tuple(among))

    return pick


def _reports(value: Any) -> bool:
    return isinstance(value, (Sized, SizedFloat))


PICKS = {name: _picking(name) for name in ("max", "min")}
