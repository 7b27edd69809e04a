"""A decoder as it is called: tokens, what stands before them, and what else they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from lintorch.guest.decoding.held_tensors import list_held, take_part
from lintorch.guest.watch.make_tensors import flatten_output, make_inputs
from lintorch.record.arguments import arrange_arguments
from lintorch.record.decoders import BATCH, PAST, DecoderForm
from lintorch.record.models import Input

_CONTEXT = 11
"""What a size of the context is that is not the batch."""


@dataclass(frozen=True)
class Answered:
    """Logits of the last token, (batch, tokens known), and the cache; None where the module keeps it."""

    logits: torch.Tensor
    cache: Any = None


@dataclass(frozen=True)
class EmptyCache:
    """A cache that holds no token, in an argument that has to be given."""

    inputs: tuple[Input, ...]

    def make_cache(self, batch: int) -> Any:
        """Tensors of no token, as the argument holds them."""
        sizes = {BATCH: batch, PAST: 0}
        made = [_make_zeros(given, sizes) for given in self.inputs]
        return arrange_arguments(self.inputs, made)[0]


def _make_zeros(given: Input, sizes: Mapping[str, int]) -> torch.Tensor:
    shape = [sizes[size] if isinstance(size, str) else size for size in given.shape]
    return torch.zeros(shape, dtype=getattr(torch, given.dtype))


@dataclass(frozen=True)
class Decoder:
    """A module and how it is called. `beside` are plain arguments, the same at each step.

    `context` are tensors that are as well: what an encoder reads. `empty` says what stands for an
    empty cache; None where forward makes its own.
    """

    module: nn.Module
    form: DecoderForm
    beside: Mapping[str, Any] = field(default_factory=dict)
    context: tuple[Input, ...] = ()
    empty: EmptyCache | None = None

    def make_nothing(self, batch: int) -> Any:
        """The cache before the prompt."""
        return self.empty.make_cache(batch) if self.empty else None

    def answer(
        self, tokens: torch.Tensor, past: int, cache: Any, given: Mapping[str, torch.Tensor]
    ) -> Answered:
        """What comes next. `past` tokens are before these; `given` are mask and positions by name."""
        form = self.form
        named: dict[str, Any] = {**self.beside, **dict.fromkeys(form.flags, True), **given}
        if form.positions_are == "start":
            named[form.positions] = past
        if form.cache and cache is not None:
            named[form.cache] = cache
        output = self.module(**{form.tokens: tokens}, **named)
        kept = None if form.part is None else take_part(output, form.part)
        return Answered(find_logits(output, kept, tokens.shape[1]), kept)

    def make_beside(self, tokens: torch.Tensor, past: int) -> dict[str, torch.Tensor]:
        """Mask of all ones and positions for tokens with so many before them."""
        form, (batch, length) = self.form, tokens.shape
        made = {}
        if form.mask:
            made[form.mask] = torch.ones(batch, past + length, dtype=torch.int64)
        if form.positions_are in ("batch", "range"):
            places = torch.arange(past, past + length)
            whole = places.expand(batch, -1).contiguous()
            made[form.positions] = whole if form.positions_are == "batch" else places
        sizes = {name: batch if name == BATCH else _CONTEXT for name in _list_names(self.context)}
        fed = make_inputs(self.context, sizes)
        return made | {each.name: value for each, value in zip(self.context, fed, strict=True)}

    def begin(self, tokens: torch.Tensor) -> Answered:
        """A prompt, with nothing before it."""
        return self.answer(
            tokens, 0, self.make_nothing(tokens.shape[0]), self.make_beside(tokens, 0)
        )

    def go_on(self, tokens: torch.Tensor, past: int, cache: Any) -> Answered:
        """More tokens behind a cache."""
        return self.answer(tokens, past, cache, self.make_beside(tokens, past))


def find_logits(output: Any, cache: Any, length: int) -> torch.Tensor:
    """The first tensor of fractions outside of the cache, at its last token. Raises LookupError."""
    kept = {id(tensor) for _, tensor in list_held(cache)}
    for tensor in flatten_output(output):
        if tensor.is_floating_point() and id(tensor) not in kept and tensor.dim() in (2, 3):
            return tensor[:, -1] if tensor.dim() == 3 else tensor
    raise LookupError("forward gives back no logits")


def _list_names(inputs: tuple[Input, ...]) -> list[str]:
    return [size for given in inputs for size in given.shape if isinstance(size, str)]
