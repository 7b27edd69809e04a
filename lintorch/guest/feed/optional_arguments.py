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
from lintorch.guest.feed.shape_forms import choose_form_by_name, list_layer_forms
from lintorch.record.models import Input

_ATTENTION_MASK = re.compile(r"\w*attention_mask|\w*padding_mask")


def add_named_argument(
    module: nn.Module, guess: Guess, message: str, plain: PlainGuesser
) -> Iterator[Guess]:
    """The guess with the first argument that the message names and that is fed no tensor yet.

    What stands before it in the signature keeps its default. Where the message names none but
    speaks of None, it is the next argument that is None by default.
    """
    fed = {given.name for given in guess.inputs}
    every = list_positional_parameters(module)
    unfed = [p for p in every if p.name not in fed and p.name not in plain.known]
    named = (p for p in unfed if re.search(rf"(?<!\w){p.name}(?!\w)", message))
    wanted = next(named, None)
    if wanted is None and "NoneType" in message and unfed and unfed[0].default is None:
        wanted = unfed[0]
    if wanted is not None and guess.inputs:
        yield _add_tensor(guess, wanted, every, module, plain)


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
