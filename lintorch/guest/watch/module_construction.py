"""Which line of the user's constructs each module, and sets what nn.Module does not register."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from weakref import ref

import torch
from torch import nn

from lintorch.guest.watch.constructor_calls import (
    ConstructorCall,
    read_tried_input,
    watch_constructor_calls,
)
from lintorch.guest.watch.unregistered_layers import KeptAttribute, OutsideParts
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.models import Input
from lintorch.record.sites import Site

_CONTAINERS = (list, tuple, dict)


@dataclass(frozen=True)
class Construction:
    """What was seen while a model was made: the line of each module, by the module's id."""

    sites: dict[int, Site] = field(default_factory=dict)
    modules: list[nn.Module] = field(default_factory=list)
    """Kept, as an id may only be forgotten together with its module."""
    attributes: dict[tuple[int, str, Site], KeptAttribute] = field(default_factory=dict)
    calls: list[ConstructorCall] = field(default_factory=list)

    def find_tried_input(self, root: nn.Module) -> tuple[tuple[str, Input], ...]:
        """What the constructor ran a part of the finished model on, if it did."""
        return read_tried_input(root, self.calls)

    def find_outside_parts(self, root: nn.Module) -> OutsideParts:
        """What the finished model keeps without having it registered."""
        registered = {id(module) for module in nn.Module.modules(root)}
        strays = [module for module in self.modules if id(module) not in registered]
        sites = tuple((ref(module), self.sites[id(module)]) for module in strays)
        return OutsideParts(sites, tuple(self.attributes.values()))


@contextmanager
def watch_construction(files: UserLines) -> Iterator[Construction]:
    """Within, modules that are made and attributes that they are given are taken note of."""
    seen = Construction()
    made, assign = nn.Module.__init__, nn.Module.__setattr__

    def initialized(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        if id(self) not in seen.sites and (site := files.find_site(_maker(sys._getframe(1), self))):
            seen.sites[id(self)] = site
            seen.modules.append(self)
        made(self, *args, **kwargs)

    def assigned(self: nn.Module, name: str, value: Any) -> None:
        if _may_be_outside(value) and (site := _setter(sys._getframe(1), files)):
            tensor = ref(value) if isinstance(value, torch.Tensor) else None
            seen.attributes[id(self), name, site] = KeptAttribute(ref(self), name, site, tensor)
        assign(self, name, value)

    nn.Module.__init__, nn.Module.__setattr__ = initialized, assigned
    try:
        with watch_constructor_calls(seen.calls):
            yield seen
    finally:
        nn.Module.__init__, nn.Module.__setattr__ = made, assign


def _may_be_outside(value: Any) -> bool:
    if isinstance(value, _CONTAINERS):
        return True
    return isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter)


def _setter(frame: FrameType | None, files: UserLines) -> Site | None:
    """The user's line that assigns; None where a library does."""
    while frame is not None and frame.f_code.co_name == "__setattr__":
        frame = frame.f_back
    return files.find_site(frame) if frame and files.is_user(frame.f_code.co_filename) else None


def _maker(frame: FrameType | None, module: nn.Module) -> FrameType | None:
    """The first frame that is not inside a constructor of the module itself."""
    while frame is not None:
        code = frame.f_code
        if not code.co_argcount or frame.f_locals.get(code.co_varnames[0]) is not module:
            return frame
        frame = frame.f_back
    return None
