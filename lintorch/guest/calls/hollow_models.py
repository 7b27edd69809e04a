"""Models of one class are made without their layers: what they were called with is kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from torch import nn

_KEPT = "_lintorch_made_with"


@dataclass(frozen=True)
class Making:
    """What a constructor was called with, and per file the outermost row that it was called from."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    rows: Mapping[str, int]


@contextmanager
def make_hollow(kind: type[nn.Module]) -> Iterator[list[nn.Module]]:
    """Within it, models of that very class stay without layers; all that are made, in order."""
    made: list[nn.Module] = []
    own = vars(kind).get("__init__")
    whole = kind.__init__

    def keep_arguments(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        if type(self) is not kind:
            whole(self, *args, **kwargs)
            return
        nn.Module.__init__(self)
        self.__dict__[_KEPT] = Making(args, kwargs, _list_rows())
        made.append(self)

    type.__setattr__(kind, "__init__", keep_arguments)
    try:
        yield made
    finally:
        if own is None:
            type.__delattr__(kind, "__init__")
        else:
            type.__setattr__(kind, "__init__", own)


def _list_rows() -> dict[str, int]:
    rows: dict[str, int] = {}
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        rows[frame.f_code.co_filename] = frame.f_lineno
        frame = frame.f_back
    return rows


def find_making(value: Any) -> Making | None:
    """What a hollow model was made with, also one in a wrapper for several devices or a compiled one."""
    for _ in range(3):
        if not isinstance(value, nn.Module):
            return None
        kept = value.__dict__.get(_KEPT)
        if kept is not None:
            return kept if isinstance(kept, Making) else None
        inner = value.__dict__.get("_modules", {})
        value = inner.get("module") or inner.get("_orig_mod")
    return None
