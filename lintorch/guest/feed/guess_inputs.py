"""What a model is probably fed: from what it says of itself, its signature and its first layers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from torch import nn

from lintorch.guest.construct.parameters import positional
from lintorch.guest.feed import model_attributes, shape_forms
from lintorch.guest.feed.modal_arguments import of_kind
from lintorch.record.input_notation import FIRST_SIZES
from lintorch.record.trace import Input

_BIG = 320
SIDES = (64, 32, 96, 128, 224, 256, 299, 320, 512)
SPATIAL = ("depth", "height", "width")
_TOKENS = re.compile(r"(\w*_)?(input_ids|ids|tokens?|src|tgt|text|seq|idx|words?)")
_MASK = re.compile(r"\w*mask\w*")
_TIME = re.compile(r"t|time|timesteps?|sigma|noise_level|step")
_CONTEXT = re.compile(r"encoder_hidden_states|context|text_emb\w*|prompt_embeds")
_LABELS = re.compile(r"class_(labels?|ids?|idx)|labels")
_TARGET = re.compile(r"(\w*_)?(targets?|labels?|y|gt|y_true|true|truth|mask|masks)")
_PREDICTED = re.compile(
    r"(\w*_)?(pred|preds|predictions?|inputs?|logits?|outputs?|y_pred|scores?|x)\w*"
)


@dataclass(frozen=True)
class Guess:
    """Inputs to try, with the first values of their named sizes."""

    inputs: tuple[Input, ...]
    sizes: dict[str, int]

    def resized(self, **sizes: int) -> Guess:
        """The same inputs, with other first values for the names they have."""
        return replace(self, sizes={k: sizes.get(k, v) for k, v in self.sizes.items()})

    def size(self, given: Input, axis: int) -> int:
        """How big an input is along an axis."""
        size = given.shape[axis]
        return self.sizes[size] if isinstance(size, str) else size

    def with_size(self, number: int, axis: int, size: int) -> Guess:
        """The same, one input having a fixed size along an axis; a batch stays a batch."""
        shape = list(self.inputs[number].shape)
        if shape[axis] != "batch":
            shape[axis] = size
        return self.with_input(number, replace(self.inputs[number], shape=tuple(shape)))

    def with_input(self, number: int, given: Input) -> Guess:
        """The same, with another input at one place."""
        return self.with_inputs((*self.inputs[:number], given, *self.inputs[number + 1 :]))

    def with_inputs(self, inputs: tuple[Input, ...]) -> Guess:
        """Other inputs, at the same sizes where they have the same names."""
        names = dict.fromkeys(n for part in inputs for n in part.shape if isinstance(n, str))
        return Guess(inputs, {name: self.sizes.get(name, FIRST_SIZES[name]) for name in names})

    def channels(self) -> int:
        """The fixed size of the first input that has one."""
        sizes = (n for given in self.inputs for n in given.shape[1:] if isinstance(n, int))
        return next(sizes, 3)

    def elements(self) -> int:
        """Numbers in all inputs together."""
        return sum(prod(self.size(g, axis) for axis in range(len(g.shape))) for g in self.inputs)

    def key(self) -> object:
        """Equal for guesses that feed the same."""
        return self.inputs, tuple(self.sizes.items())


def numbers(match: re.Match[str]) -> list[int]:
    """The whole numbers in what a pattern found."""
    return [int(number) for group in match.groups() for number in re.findall(r"\d+", group or "")]


def parameters(module: nn.Module) -> list[inspect.Parameter]:
    """What `forward` cannot do without; where nothing is, its first parameter."""
    leading = positional(module)
    needed = [p for p in leading if p.default is p.empty]
    signature = inspect.signature(module.forward).parameters.values()
    return needed or leading[:1] or [p for p in signature if p.kind is p.VAR_POSITIONAL]


def guesses(module: nn.Module, arguments: Mapping[str, Any]) -> Iterator[Guess]:
    """Inputs to try, the most likely first; none is known to work."""
    said = model_attributes.inputs(module)
    if said is not None:
        yield Guess(*said)
    named = [p.name for p in parameters(module)]
    if is_loss(named):
        yield from _losses(named)
    by_layers = list(shape_forms.by_layers(module))
    for form in _forms(module, arguments, by_layers):
        yield _combined(named, form, by_layers)
    if len(named) > 1 and not is_loss(named):
        yield from _losses(named)


def is_loss(named: list[str]) -> bool:
    """Whether `forward` takes a prediction and a target."""
    return (
        len(named) == 2
        and bool(_PREDICTED.fullmatch(named[0]))
        and bool(_TARGET.fullmatch(named[1]))
    )


def _losses(named: list[str]) -> Iterator[Guess]:
    sizes = {"batch": 2, "height": 64, "width": 64}
    plane = ("batch", "height", "width")
    logits = Input(named[0], "float32", ("batch", 4, "height", "width"))
    yield Guess((logits, Input(named[1], "int64", plane, 0, 4)), sizes)
    yield Guess((logits, replace(logits, name=named[1])), sizes)
    one = Input(named[0], "float32", ("batch", 1, "height", "width"))
    yield Guess((one, Input(named[1], "int64", ("batch", 1, "height", "width"), 0, 2)), sizes)
    flat = Input(named[0], "float32", ("batch", 10))
    yield Guess((flat, Input(named[1], "int64", ("batch",), 0, 10)), {"batch": 2})
    yield Guess((flat, replace(flat, name=named[1])), {"batch": 2})


def _forms(
    module: nn.Module, arguments: Mapping[str, Any], by_layers: Sequence[shape_forms.Form]
) -> Iterator[shape_forms.Form]:
    """Shapes for the main input: by the first layers, each kind once, then the common ones."""
    sides = model_attributes.sides(module, arguments)
    yielded = set()
    for main, sizes in [
        *by_layers[:2],
        shape_forms.COMMON[0],
        *by_layers[2:],
        *shape_forms.COMMON[1:],
    ]:
        if main not in yielded:
            yielded.add(main)
            said = {k: sides.get(k, v) for k, v in sizes.items()}
            if max(said.values()) > _BIG:
                yield main, {k: _smaller(v) for k, v in said.items()}
            yield main, said


def _smaller(size: int) -> int:
    """A big side at about a quarter, a multiple of 32."""
    return -(-size // 128) * 32 if size > _BIG else size


def _combined(
    named: list[str], form: shape_forms.Form, by_layers: Sequence[shape_forms.Form]
) -> Guess:
    main, sizes = form
    inputs = tuple(
        argument(name, of_kind(name, main, by_layers) if len(named) > 1 else main, number)
        for number, name in enumerate(named)
    )
    further = {n: FIRST_SIZES[n] for part in inputs for n in part.shape if n in FIRST_SIZES}
    return Guess(inputs, {**further, **sizes})


def argument(name: str, main: Input, number: int) -> Input:
    """The input for one parameter, where `main` is the shape of the first."""
    if number and _TIME.fullmatch(name):
        return Input(name, "int64", ("batch",), 0, 100)
    if number and _LABELS.fullmatch(name) and main.dtype != "int64":
        return Input(name, "int64", ("batch",), 0, 2)
    if number and _CONTEXT.fullmatch(name) and len(main.shape) > 3:
        return Input(name, "float32", ("batch", "sequence", 32))
    if number and _CONTEXT.fullmatch(name) and len(main.shape) == 2:
        return Input(name, "float32", ("batch", "sequence", main.shape[1]))
    if number and _MASK.fullmatch(name) and main.dtype == "int64":
        return Input(name, "bool", main.shape)
    if _TOKENS.fullmatch(name) and main.dtype == "int64":
        return replace(main, name=name)
    return replace(main, name=name)
