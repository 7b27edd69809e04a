"""Optional arguments of `forward` that a model asks for only when it runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import replace

from torch import nn

from lintorch.guest.construct.parameters import list_positional_parameters
from lintorch.guest.feed.guess_inputs import Guess, guess_argument
from lintorch.guest.feed.guess_plain import PlainGuesser
from lintorch.guest.feed.model_attributes import list_defaults
from lintorch.guest.feed.said_axes import AxisNamer
from lintorch.guest.feed.said_shapes import read_said_shapes
from lintorch.guest.feed.shape_forms import choose_form_by_name, list_layer_forms
from lintorch.record.models import Input

_OF_NONE = re.compile(r"NoneType|object has no attribute")
_ATTENTION_MASK = re.compile(r"\w*attention_mask|\w*padding_mask")


def add_named_argument(
    module: nn.Module, guess: Guess, message: str, plain: PlainGuesser
) -> Iterator[Guess]:
    """The guess with the first argument that the message names and that is fed no tensor yet.

    What stands before it in the signature keeps its default. Where the message names none but
    speaks of None, or of a part that is only there for a condition (`self.norm if given is None`),
    it is the next argument that is None by default.
    """
    fed = {given.name for given in guess.inputs}
    every = list_positional_parameters(module)
    unfed = [p for p in every if p.name not in fed and p.name not in plain.known]
    named = (p for p in unfed if re.search(rf"(?<!\w){p.name}(?!\w)", message))
    wanted = next(named, None)
    if wanted is None and _OF_NONE.search(message) and unfed and unfed[0].default is None:
        wanted = unfed[0]
    if wanted is not None and guess.inputs:
        usual = _add_tensor(guess, wanted, every, module, plain)
        if told := _take_told(usual, wanted.name, module):
            yield told
        yield usual


def _take_told(guess: Guess, name: str, module: nn.Module) -> Guess | None:
    """The guess with the shape that the model's text tells of an argument, where it has another rank; None where it tells none."""
    axes = read_said_shapes(module).get(name, ())
    number = next(n for n, given in enumerate(guess.inputs) if given.name == name)
    given = guess.inputs[number]
    if len(axes) <= 1 or len(axes) == len(given.shape):
        return None
    namer = AxisNamer(module, list_defaults(module), guess.first_fixed_size())
    shape = namer.name_axes(axes, given.dtype == "int64")
    told = replace(guess, sizes={**namer.sizes, **guess.sizes})
    return told.with_input(number, replace(given, shape=shape))


def _add_tensor(
    guess: Guess,
    wanted: inspect.Parameter,
    every: list[inspect.Parameter],
    module: nn.Module,
    plain: PlainGuesser,
) -> Guess:
    """The guess with a tensor for one parameter, and the defaults of those before it."""
    held = tuple(given for given in guess.plain if given.name != wanted.name)
    fed = {given.name for given in guess.inputs} | {given.name for given in held}
    names = [parameter.name for parameter in every]
    gap = [name for name in names[: names.index(wanted.name)] if name not in fed]
    tensor = _guess_optional(wanted.name, guess.inputs[0], module)
    return plain.fill_gap(replace(guess, plain=held).with_inputs((*guess.inputs, tensor)), gap)


def _guess_optional(name: str, main: Input, module: nn.Module) -> Input:
    if _ATTENTION_MASK.fullmatch(name):
        return Input(name, "int64", main.shape[:2], 1, 2)
    return guess_argument(name, choose_form_by_name(name, main, list(list_layer_forms(module))), 1)
