"""One class or factory is called, with arguments that are given and others that are made up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct.arguments_by_error import Arguments
from lintorch.guest.construct.conventional_values import SIDES
from lintorch.guest.construct.fill_arguments import (
    fill,
    is_known,
    shown,
    smaller,
)
from lintorch.guest.construct.parameters import required
from lintorch.guest.construct.recipe import Recipe
from lintorch.guest.construct.retry_arguments import settled
from lintorch.guest.process import surroundings, tampering
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.watch.module_construction import Construction, watched
from lintorch.guest.watch.unregistered_layers import Outside
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.trace import Input, Site

_PATIENCE = 12.0
"""Seconds after which no other arguments are tried."""
_SMALL = 128


@dataclass(frozen=True)
class Built:
    """A model that could be built. `sites` says, per dotted path, which line made that module.

    `fed` holds what the file itself calls the model on, with the names of keyword arguments;
    `smaller` builds it for smaller images, where it says how big its own are.
    """

    module: nn.Module
    arguments: Mapping[str, Any]
    sites: Mapping[str, Site]
    recipe: Recipe
    outside: Outside
    fed: tuple[tuple[str, Input], ...] = ()
    smaller: Callable[[], Built] | None = None


class NotAModelError(Exception):
    """A factory gave back something that is no nn.Module."""


@dataclass(frozen=True)
class Making:
    """One class or factory with some arguments; the others that it needs are made up."""

    call: Callable[..., Any]
    arguments: Mapping[str, Any]
    said: Mapping[str, Any]
    files: UserLines
    fed: tuple[tuple[str, Input], ...] = ()

    def needed(self) -> list[inspect.Parameter]:
        """What has to be made up."""
        return [p for p in _required(self.call) if p.name not in self.arguments]

    def is_common(self) -> bool:
        """Whether all that is needed has a conventional name."""
        return all(is_known(self.call, parameter) for parameter in self.needed())

    def noting(self, failed: list[Making]) -> Iterator[Callable[[], Built]]:
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
        late = clock() + _PATIENCE
        first = fill(self.call, self.needed())
        made, made_up = settled(self._make, self.call, first, lambda: clock() < late)
        return self._built(made, made_up)

    def smaller(self) -> Built:
        """The model with small sides in place of big defaults. Raises ValueError where none is big."""
        given = smaller(self.call)
        if not given:
            raise ValueError("no default is big")
        return replace(self, arguments={**given, **self.arguments}).settled()

    def _make(self, made_up: Arguments) -> tuple[nn.Module, Construction]:
        recipe = self._recipe(made_up)
        surroundings.seed()
        with watched(self.files) as seen:
            try:
                made = self.call(*recipe.args, **recipe.kwargs)
            except (MemoryError, RuntimeError) as error:
                if not is_of_memory(error):
                    raise
                with torch.device("meta"):  # sizes and operators are known without the weights
                    made = self.call(*recipe.args, **recipe.kwargs)
            finally:
                tampering.restored()
        return _module(made), seen

    def _recipe(self, made_up: Mapping[str, Any]) -> Recipe:
        by_position = [p.name for p in self.needed() if p.kind is p.POSITIONAL_ONLY]
        named = {name: value for name, value in made_up.items() if name not in by_position}
        args = tuple(made_up[name] for name in by_position)
        return Recipe(self.call, args, {**self.arguments, **named})

    def _built(self, made: tuple[nn.Module, Construction], made_up: Arguments) -> Built:
        module, seen = made
        sites, outside = seen.sites, seen.outside(module)
        paths = {
            path: sites[id(part)] for path, part in module.named_modules() if id(part) in sites
        }
        arguments = {**self.said, **shown(made_up), **shown(self.arguments)}
        recipe = self._recipe(made_up)
        return Built(module, arguments, paths, recipe, outside, self.fed, self._shrunk(module))

    def _shrunk(self, module: nn.Module) -> Callable[[], Built] | None:
        """Builds for smaller sides what passes keywords on and keeps big sides as an attribute."""
        given = {name: side for name in SIDES if (side := _small(getattr(module, name, None)))}
        if not given or not _passes_on(self.call) or given.keys() & self.arguments.keys():
            return None
        return lambda: replace(self, arguments={**self.arguments, **given}).settled()


def _small(side: Any) -> Any:
    """A smaller value for a side, or a pair of them; None where it is not big."""
    several = isinstance(side, (tuple, list)) and all(type(part) is int for part in side)
    if several and side and max(side) > _SMALL:
        return (_SMALL,) * len(side)
    return _SMALL if type(side) is int and side > _SMALL else None


def _passes_on(call: Callable[..., Any]) -> bool:
    """Whether a call takes `**kwargs`."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


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
