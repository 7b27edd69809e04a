"""Builds a model: makes up missing arguments, and remembers which line constructed each module."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from torch import nn

from lintorch.models.candidates import Candidate, required
from lintorch.models.fill import fill, shown
from lintorch.models.load import load
from lintorch.models.retry import Arguments, settled
from lintorch.trace.record import Site
from lintorch.trace.site import Files
from lintorch.worker import surroundings

_PATIENCE = 12.0
"""Seconds after which no other arguments are tried."""


@dataclass(frozen=True)
class Built:
    """A model that could be built. `sites` says, per dotted path, which line made that module."""

    module: nn.Module
    arguments: Mapping[str, Any]
    sites: Mapping[str, Site]


class NotAModelError(Exception):
    """A factory gave back something that is no nn.Module."""


def build(candidate: Candidate, files: Files) -> Built:
    """Build by the first way that works. Raises the error of the best way."""
    errors: list[Exception] = []
    for factory, call in candidate.ways:
        try:
            return _call(call, {}, {"factory": factory} if factory else {}, files)
        except Exception as error:
            errors.append(error)
    raise errors[0]


def configured(setting: Mapping[str, Any], project: Path, files: Files) -> Built:
    """Build what `factory` names ("nets.seg:build" or "path.py:Class") with `args`."""
    where, _, name = str(setting["factory"]).rpartition(":")
    if where.endswith(".py"):
        holder = load(project / where, project)
    else:
        sys.path[:0] = [str(project), str(project / "src")]
        holder = importlib.import_module(where)
    return _call(getattr(holder, name), dict(setting.get("args", {})), {}, files)


def _call(
    call: Callable[..., Any], arguments: dict[str, Any], said: dict[str, Any], files: Files
) -> Built:
    needed = [p for p in _required(call) if p.name not in arguments]
    by_position = [p.name for p in needed if p.kind is p.POSITIONAL_ONLY]

    def make(made_up: Arguments) -> tuple[nn.Module, dict[int, Site]]:
        named = {name: value for name, value in made_up.items() if name not in by_position}
        surroundings.seed()
        with _watched(files) as sites:
            made = call(*(made_up[name] for name in by_position), **named, **arguments)
        return _module(made), sites

    late = time.monotonic() + _PATIENCE
    first = fill(call, needed)
    (module, sites), made_up = settled(make, call, first, lambda: time.monotonic() < late)
    by_path = {path: sites[id(part)] for path, part in module.named_modules() if id(part) in sites}
    return Built(module, {**said, **shown(made_up), **shown(arguments)}, by_path)


def _module(made: Any) -> nn.Module:
    if isinstance(made, (tuple, list)) and made and isinstance(made[0], nn.Module):
        made = made[0]
    if not isinstance(made, nn.Module):
        raise NotAModelError(f"it gives back {type(made).__name__}, not an nn.Module")
    return made


def _required(call: Callable[..., Any]) -> list[inspect.Parameter]:
    try:
        return required(call)
    except (ValueError, TypeError):
        return []


@contextmanager
def _watched(files: Files) -> Iterator[dict[int, Site]]:
    """Within, the line that constructs each module, by the module's id."""
    sites: dict[int, Site] = {}
    kept: list[nn.Module] = []
    original = nn.Module.__init__

    def watched(self: nn.Module, *args: Any, **kwargs: Any) -> None:
        if id(self) not in sites and (site := files.site(_maker(sys._getframe(1), self))):
            sites[id(self)] = site
            kept.append(self)  # an id may only be forgotten together with its module
        original(self, *args, **kwargs)

    nn.Module.__init__ = watched
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
