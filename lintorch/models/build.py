"""Builds a model: makes up missing arguments, and remembers which line constructed each module."""

from __future__ import annotations

import importlib
import inspect
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any

from torch import nn

from lintorch.models.bound import bound
from lintorch.models.candidates import Candidate
from lintorch.models.examples import Example
from lintorch.models.fill import fill, is_known, shown, smaller
from lintorch.models.load import load
from lintorch.models.parameters import required
from lintorch.models.retry import Arguments, settled
from lintorch.trace.record import Input, Site
from lintorch.trace.site import Files
from lintorch.worker import surroundings

_PATIENCE = 12.0
"""Seconds after which no other arguments are tried."""
_WAYS = 2
_EXAMPLES = 4


@dataclass(frozen=True)
class Built:
    """A model that could be built. `sites` says, per dotted path, which line made that module.

    `fed` holds what the file itself calls the model on, with the names of keyword arguments.
    """

    module: nn.Module
    arguments: Mapping[str, Any]
    sites: Mapping[str, Site]
    fed: tuple[tuple[str, Input], ...] = ()


class NotAModelError(Exception):
    """A factory gave back something that is no nn.Module."""


def builds(candidate: Candidate, files: Files) -> Iterator[Built]:
    """The model by each way that works, the likeliest first. Raises the first error if none does."""
    errors: list[Exception] = []
    some = False
    for attempt in _attempts(candidate, files):
        try:
            built = attempt()
        except Exception as error:  # whatever user code raises
            errors.append(error)
        else:
            some = True
            yield built
    if not some and errors:
        raise errors[0]


def configured(setting: Mapping[str, Any], project: Path, files: Files) -> Iterator[Built]:
    """Build what `factory` names ("nets.seg:build" or "path.py:Class") with `args`."""
    where, _, name = str(setting["factory"]).rpartition(":")
    if where.endswith(".py"):
        holder = load(project / where, project)
    else:
        sys.path[:0] = [str(project), str(project / "src")]
        holder = importlib.import_module(where)
    made = _Making(getattr(holder, name), dict(setting.get("args", {})), {}, files)
    yield made.settled()


def _attempts(candidate: Candidate, files: Files) -> Iterator[Callable[[], Built]]:
    """Made up arguments where they are common ones, then what the file shows, then all the rest."""
    calls = [
        _Making(call, {}, {"factory": factory} if factory else {}, files)
        for factory, call in candidate.ways
    ]
    common = [making for making in calls if making.is_common()]
    failed: list[_Making] = []
    for making in common[:_WAYS]:
        yield from making.noting(failed)
    for example in candidate.shown[:_EXAMPLES]:
        yield from _like(example, candidate, files)
    for making in calls:
        if making in failed or making not in common:
            yield making.settled
    yield from (making.smaller for making in calls[:_WAYS])


def _like(example: Example, candidate: Candidate, files: Files) -> Iterator[Callable[[], Built]]:
    """A call as the file spells it out, if it gives at least one argument that is needed."""
    call = candidate.scope.get(example.name)
    given = bound(call, example, candidate.scope) if callable(call) else None
    if call is not None and given is not None:
        said = {"factory": example.name} if example.name != candidate.qualname else {}
        yield lambda: _Making(call, given, said, files, example.fed).settled()


@dataclass(frozen=True)
class _Making:
    """One class or factory with some arguments; the others that it needs are made up."""

    call: Callable[..., Any]
    arguments: Mapping[str, Any]
    said: Mapping[str, Any]
    files: Files
    fed: tuple[tuple[str, Input], ...] = ()

    def needed(self) -> list[inspect.Parameter]:
        """What has to be made up."""
        return [p for p in _required(self.call) if p.name not in self.arguments]

    def is_common(self) -> bool:
        """Whether all that is needed has a conventional name."""
        return all(is_known(self.call, parameter) for parameter in self.needed())

    def noting(self, failed: list[_Making]) -> Iterator[Callable[[], Built]]:
        """One attempt with the first arguments; where it fails, that is noted."""

        def attempt() -> Built:
            made_up = fill(self.call, self.needed())
            try:
                return self._built(self._make(made_up), made_up)
            except Exception:
                failed.append(self)
                raise

        yield attempt

    def settled(self) -> Built:
        """The model with the first arguments that it takes. Raises its first error."""
        late = time.monotonic() + _PATIENCE
        first = fill(self.call, self.needed())
        made, made_up = settled(self._make, self.call, first, lambda: time.monotonic() < late)
        return self._built(made, made_up)

    def smaller(self) -> Built:
        """The model with small sides in place of big defaults. Raises ValueError where none is big."""
        given = smaller(self.call)
        if not given:
            raise ValueError("no default is big")
        return replace(self, arguments={**given, **self.arguments}).settled()

    def _make(self, made_up: Arguments) -> tuple[nn.Module, dict[int, Site]]:
        by_position = [p.name for p in self.needed() if p.kind is p.POSITIONAL_ONLY]
        named = {name: value for name, value in made_up.items() if name not in by_position}
        surroundings.seed()
        with _watched(self.files) as sites:
            made = self.call(
                *(made_up[name] for name in by_position), **{**self.arguments, **named}
            )
        return _module(made), sites

    def _built(self, made: tuple[nn.Module, dict[int, Site]], made_up: Arguments) -> Built:
        module, sites = made
        paths = {
            path: sites[id(part)] for path, part in module.named_modules() if id(part) in sites
        }
        arguments = {**self.said, **shown(made_up), **shown(self.arguments)}
        return Built(module, arguments, paths, self.fed)


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
