"""One class or factory is called, with arguments that are given and others that are made up."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.construct.arguments_by_error import ConstructorArguments
from lintorch.guest.construct.call_examples import NOT_FOLLOWED, CallPlace
from lintorch.guest.construct.conventional_values import SIDE_NAMES
from lintorch.guest.construct.fill_arguments import (
    describe_arguments,
    fill_arguments,
    has_conventional_value,
    shrink_big_sides,
)
from lintorch.guest.construct.parameters import list_required_parameters
from lintorch.guest.construct.partly_made_up import is_partly_made_up
from lintorch.guest.construct.recipe import Recipe
from lintorch.guest.construct.retry_arguments import search_arguments
from lintorch.guest.imports.cpu_for_gpu import name_cpu
from lintorch.guest.imports.kept_settings import KeptSettings
from lintorch.guest.imports.named_devices import helps_to_take_cpu
from lintorch.guest.process import surroundings, tampering
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.watch.module_construction import Construction, watch_construction
from lintorch.guest.watch.unregistered_layers import OutsideParts
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.models import FedArgument
from lintorch.record.sites import Site

_SECONDS_PER_SEARCH = 12.0
"""Seconds after which no other arguments are tried."""
_SMALL_SIDE = 128
"""Pixels that a bigger side is shrunk to."""


@dataclass(frozen=True)
class Built:
    """A model that could be built. `sites` says, per dotted path, which line made that module.

    `example_inputs` holds what the file itself calls the model on, with the names of keyword arguments;
    `build_smaller` builds it for smaller images, where it says how big its own are. `like` is the
    call of the project that it was built and is fed like.
    """

    module: nn.Module
    arguments: Mapping[str, Any]
    sites: Mapping[str, Site]
    recipe: Recipe
    outside: OutsideParts
    example_inputs: tuple[tuple[str, FedArgument], ...] = ()
    build_smaller: Callable[[], Built] | None = None
    like: CallPlace = NOT_FOLLOWED
    made_up: tuple[str, ...] = ()
    """The names of the arguments that nobody gave."""
    tried_input: tuple[tuple[str, FedArgument], ...] = ()
    """What its own constructor ran a part of it on."""


class NotAModelError(Exception):
    """A factory gave back something that is no nn.Module."""


@dataclass(frozen=True)
class ModelMaker:
    """One class or factory with some arguments; the others that it needs are made up."""

    call: Callable[..., Any]
    arguments: Mapping[str, Any]
    origin: Mapping[str, Any]
    files: UserLines
    example_inputs: tuple[tuple[str, FedArgument], ...] = ()
    like: CallPlace = NOT_FOLLOWED

    def list_made_up(self) -> list[inspect.Parameter]:
        """What has to be made up."""
        return [p for p in list_required(self.call) if p.name not in self.arguments]

    def _make_up(self) -> dict[str, Any]:
        """First values for that."""
        return fill_arguments(self.call, self.list_made_up(), given=self.arguments)

    def has_conventional_names(self) -> bool:
        """Whether all that is needed has a conventional name."""
        return all(
            has_conventional_value(self.call, parameter) for parameter in self.list_made_up()
        )

    def attempt_once(self, failed: list[ModelMaker]) -> Iterator[Callable[[], Built]]:
        """One attempt with the first arguments; where it fails, that is noted."""

        def attempt() -> Built:
            made_up = self._make_up()
            try:
                return self._describe_built(self._call_with(made_up), made_up)
            except Exception:
                failed.append(self)
                raise

        yield attempt

    def build_model(self) -> Built:
        """The model with the first arguments that it takes. Raises its first error."""
        late = clock() + _SECONDS_PER_SEARCH
        first = self._make_up()
        made, made_up = search_arguments(self._call_with, self.call, first, lambda: clock() < late)
        return self._describe_built(made, made_up)

    def build_smaller(self) -> Built:
        """The model with small sides in place of big defaults. Raises ValueError where none is big."""
        given = shrink_big_sides(self.call)
        if not given:
            raise ValueError("no default is big")
        return replace(self, arguments={**given, **self.arguments}).build_model()

    def _call_with(self, made_up: ConstructorArguments) -> tuple[nn.Module, Construction]:
        recipe = self._write_recipe(made_up)
        surroundings.seed_generators()
        with watch_construction(self.files) as seen:
            try:
                made = self.call(*recipe.args, **recipe.kwargs)
            except (MemoryError, RuntimeError, AssertionError) as error:
                if helps_to_take_cpu(error, self.files.of_error(error)):
                    return self._call_with(made_up)
                if not is_of_memory(error):
                    raise
                with torch.device("meta"):  # sizes and operators are known without the weights
                    made = self.call(*recipe.args, **recipe.kwargs)
            finally:
                tampering.restore_interpreter()
        return _get_module(made), seen

    def _write_recipe(self, made_up: Mapping[str, Any]) -> Recipe:
        by_position = [p.name for p in self.list_made_up() if p.kind is p.POSITIONAL_ONLY]
        named = {name: value for name, value in made_up.items() if name not in by_position}
        args = tuple(made_up[name] for name in by_position)
        given = {name: name_cpu(value) for name, value in self.arguments.items()}
        return Recipe(self.call, args, {**given, **named})

    def _describe_built(
        self, made: tuple[nn.Module, Construction], made_up: ConstructorArguments
    ) -> Built:
        module, seen = made
        sites, outside = seen.sites, seen.find_outside_parts(module)
        paths = {
            path: sites[id(part)] for path, part in module.named_modules() if id(part) in sites
        }
        arguments = {
            **self.origin,
            **describe_arguments(made_up),
            **describe_arguments(self.arguments),
        }
        recipe = self._write_recipe(made_up)
        return Built(
            module,
            arguments,
            paths,
            recipe,
            outside,
            self.example_inputs,
            self._offer_smaller(module),
            self.like,
            (
                *made_up,
                *(name for name, value in self.arguments.items() if is_partly_made_up(value)),
            ),
            seen.find_tried_input(module),
        )

    def _offer_smaller(self, module: nn.Module) -> Callable[[], Built] | None:
        """Builds for smaller sides what passes keywords on and keeps big sides as an attribute."""
        given = {
            name: side for name in SIDE_NAMES if (side := _shrink_side(getattr(module, name, None)))
        }
        if not given or not _has_var_keyword(self.call) or given.keys() & self.arguments.keys():
            return None
        return lambda: replace(self, arguments={**self.arguments, **given}).build_model()


def _shrink_side(side: Any) -> Any:
    """A smaller value for a side, or a pair of them; None where it is not big."""
    several = isinstance(side, (tuple, list)) and all(type(part) is int for part in side)
    if several and side and max(side) > _SMALL_SIDE:
        return (_SMALL_SIDE,) * len(side)
    return _SMALL_SIDE if type(side) is int and side > _SMALL_SIDE else None


def _has_var_keyword(call: Callable[..., Any]) -> bool:
    """Whether a call takes `**kwargs`."""
    try:
        parameters = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)


def _get_module(made: Any) -> nn.Module:
    if isinstance(made, (tuple, list)) and made and isinstance(made[0], nn.Module):
        made = made[0]
    if isinstance(
        made, KeptSettings
    ):  # a class of a missing package, whose arguments read like settings
        made.refuse()
    if not isinstance(made, nn.Module):
        raise NotAModelError(f"it gives back {type(made).__name__}, not an nn.Module")
    return made


def list_required(call: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that a call cannot do without; none where it has no signature."""
    try:
        return list_required_parameters(call)
    except (ValueError, TypeError):
        return []
