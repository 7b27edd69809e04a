"""Optional arguments of `forward` that a model asks for only when it runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess, guess_argument
from lintorch.guest.feed.shape_forms import choose_form_by_name, list_layer_forms
from lintorch.record.models import Input

_ATTENTION_MASK = re.compile(r"\w*attention_mask|\w*padding_mask")


def add_named_argument(module: nn.Module, guess: Guess, message: str) -> Iterator[Guess]:
    """The guess with the first argument that the message names and that is not yet fed.

    What stands before it in the signature has to be fed as well. Where the message names none but
    speaks of None, it is the next argument that is None by default.
    """
    signature = list(inspect.signature(module.forward).parameters.values())
    positional = [p for p in signature if p.kind is p.POSITIONAL_OR_KEYWORD]
    fed = len(guess.inputs)
    for number, parameter in enumerate(positional[fed:], fed):
        if re.search(rf"(?<!\w){parameter.name}(?!\w)", message):
            further = tuple(
                _guess_optional(p.name, guess.inputs[0], module)
                for p in positional[fed : number + 1]
            )
            yield guess.with_inputs((*guess.inputs, *further))
            return
    if "NoneType" in message and fed < len(positional) and positional[fed].default is None:
        yield guess.with_inputs(
            (*guess.inputs, _guess_optional(positional[fed].name, guess.inputs[0], module))
        )


def _guess_optional(name: str, main: Input, module: nn.Module) -> Input:
    if _ATTENTION_MASK.fullmatch(name):
        return Input(name, "int64", main.shape[:2], 1, 2)
    return guess_argument(name, choose_form_by_name(name, main, list(list_layer_forms(module))), 1)
