"""Which line of the user's constructs each module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from torch import nn

from lintorch.trace.record import Site
from lintorch.trace.site import Files


@contextmanager
def watched(files: Files) -> Iterator[dict[int, Site]]:
    """Within, the line that constructs each module, by the module's id."""
    sites: dict[int, Site] = {}
    kept: list[nn.Module] = []
    original = nn.Module.__init__

    def initialized(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        if id(self) not in sites and (site := files.site(_maker(sys._getframe(1), self))):
            sites[id(self)] = site
            kept.append(self)  # an id may only be forgotten together with its module
        original(self, *args, **kwargs)

    nn.Module.__init__ = initialized
    try:
        yield sites
    finally:
        nn.Module.__init__ = original


def _maker(frame: FrameType | None, module: nn.Module) -> FrameType | None:
    """The first frame that is not inside a constructor of the module itself."""
    while frame is not None:
        code = frame.f_code
        if not code.co_argcount or frame.f_locals.get(code.co_varnames[0]) is not module:
            return frame
        frame = frame.f_back
    return None
