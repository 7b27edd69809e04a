"""Builds a model: makes up missing arguments, and remembers which line constructed each module."""

from __future__ import annotations

import importlib
import inspect
import sys
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
from lintorch.trace.record import Site
from lintorch.trace.site import Files
from lintorch.worker import surroundings


@dataclass(frozen=True)
class Built:
    """A model that could be built. `sites` says, per dotted path, which line made that module."""

    module: nn.Module
    arguments: Mapping[str, Any]
    sites: Mapping[str, Site]


class NotAModelError(Exception):
    """A factory gave back something that is no nn.Module."""


def build(candidate: Candidate, files: Files) -> Built:
    """Build by the first way that works. Raises the error of the class itself, or of the last way."""
    errors: list[Exception] = []
    for factory, call in candidate.ways:
        try:
            return _call(call, {}, {"factory": factory} if factory else {}, files)
        except Exception as error:
            errors.append(error)
    alone = [number for number, (factory, _) in enumerate(candidate.ways) if not factory]
    raise errors[alone[0] if alone else -1]


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
    made_up = fill(call, needed)
    positional = [made_up[p.name] for p in needed if p.kind is p.POSITIONAL_ONLY]
    named = {p.name: made_up[p.name] for p in needed if p.kind is not p.POSITIONAL_ONLY}
    surroundings.seed()
    with _watched(files) as sites:
        module = call(*positional, **named, **arguments)
    if isinstance(module, (tuple, list)) and module and isinstance(module[0], nn.Module):
        module = module[0]
    if not isinstance(module, nn.Module):
        raise NotAModelError(f"it gives back {type(module).__name__}, not an nn.Module")
    by_path = {path: sites[id(part)] for path, part in module.named_modules() if id(part) in sites}
    return Built(module, {**said, **shown(made_up), **shown(arguments)}, by_path)


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

    nn.Module.__init__ = watched  # type: ignore[method-assign]
    try:
        yield sites
    finally:
        nn.Module.__init__ = original  # type: ignore[method-assign]


def _maker(frame: FrameType | None, module: nn.Module) -> FrameType | None:
    """The first frame that is not inside a constructor of the module itself."""
    while frame is not None:
        code = frame.f_code
        if not code.co_argcount or frame.f_locals.get(code.co_varnames[0]) is not module:
            return frame
        frame = frame.f_back
    return None
