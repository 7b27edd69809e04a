"""A decoder as two modules that take and give tensors alone: the prompt, and one step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from lintorch.guest.decoding.cache_layout import CacheLayout
from lintorch.guest.decoding.decoder import Decoder
from lintorch.record.decoders import BATCH, PAST, PREFILL, STEP, DecoderForm
from lintorch.record.models import FedArgument, Input

SEQUENCE, BEYOND = "sequence", "past_plus_1"
CONTEXT = "context"
FIRST = {BATCH: 2, SEQUENCE: 5, PAST: 6, BEYOND: 7, CONTEXT: 11}
"""Sizes above one, no two alike: an exporter takes one for always one, and equal sizes for one size."""
_OTHERS = (
    {BATCH: 3},
    {CONTEXT: 8},
    {SEQUENCE: 8, PAST: 9, BEYOND: 10},
    {SEQUENCE: 3, PAST: 3, BEYOND: 4},
)


@dataclass(frozen=True)
class Half:
    """One of two modules: what it is fed, and the sizes that it is compared at."""

    name: str
    module: nn.Module
    inputs: tuple[FedArgument, ...]
    sizes: Mapping[str, int]
    varied: tuple[Mapping[str, int], ...]


class _Half(nn.Module):  # type: ignore[misc]
    """What is given beside the tokens is told by `names`; the last of the arguments is the cache."""

    def __init__(
        self, decoder: Decoder, layout: CacheLayout | None, names: tuple[str, ...]
    ) -> None:
        super().__init__()
        self.module = decoder.module
        self.decoder, self.layout, self.names = decoder, layout, names
        self.train(decoder.module.training)
        cached = [f"cache_{number}" for number in range(len(layout.places) if layout else 0)]
        self.lintorch_outputs = ("logits", *cached)

    def call_decoder(self, tokens: torch.Tensor, given: Any, past: int, cache: Any) -> Any:
        """Logits and the tensors of the new cache."""
        decoder = replace(self.decoder, module=self.module)
        found = decoder.answer(tokens, past, cache, dict(zip(self.names, given, strict=True)))
        return (found.logits, *(self.layout.list_tensors(found.cache) if self.layout else ()))


class Prefill(_Half):
    """The prompt alone."""

    def forward(self, tokens: torch.Tensor, *given: torch.Tensor) -> Any:
        """Logits of the last token, and the cache."""
        return self.call_decoder(tokens, given, 0, self.decoder.make_nothing(tokens.shape[0]))


class Step(_Half):
    """One token behind a cache."""

    def __init__(self, *given: Any, kept_past: int = 0) -> None:
        super().__init__(*given)
        self.kept_past = kept_past

    def forward(self, tokens: torch.Tensor, *given: Any) -> Any:
        """Logits, and the cache with the token in it."""
        if self.layout is None:
            return self.call_decoder(tokens, given, self.kept_past, None)
        held = given[-1]
        tensors = [held] if isinstance(held, torch.Tensor) else held
        past = self.layout.measure_past(tensors)
        return self.call_decoder(tokens, given[:-1], past, self.layout.make_cache(tensors))


def make_halves(decoder: Decoder, layout: CacheLayout | None, tokens: Input) -> tuple[Half, Half]:
    """Prompt and step of a decoder; `tokens` says which numbers stand for tokens."""
    given = (*_list_given(decoder.form, SEQUENCE, SEQUENCE), *decoder.context)
    names = tuple(each.name for each in given)
    prompt = replace(tokens, shape=(BATCH, SEQUENCE))
    first = _make_half(PREFILL, Prefill(decoder, layout, names), (prompt, *given))
    given = (*_list_given(decoder.form, 1, BEYOND), *decoder.context)
    kept = layout.list_inputs(decoder.form.cache) if layout else ()
    token = replace(tokens, shape=(BATCH, 1))
    step = Step(decoder, layout, names, kept_past=FIRST[PAST])
    return first, _make_half(STEP, step, (token, *given, *kept))


def _list_given(form: DecoderForm, length: int | str, beyond: str) -> tuple[Input, ...]:
    """Mask and positions. No position is beyond what a model of few positions has."""
    found = []
    if form.mask:
        found.append(Input(form.mask, "int64", (BATCH, beyond), 1, 2))
    if form.positions_are == "batch":
        found.append(Input(form.positions, "int64", (BATCH, length), 0, FIRST[PAST] + 1))
    if form.positions_are == "range":
        found.append(Input(form.positions, "int64", (length,), 0, FIRST[PAST] + 1))
    return tuple(found)


def _make_half(name: str, module: nn.Module, inputs: tuple[Input, ...]) -> Half:
    used = {size for given in inputs for size in given.shape if isinstance(size, str)}
    sizes = {size: FIRST[size] for size in FIRST if size in used}
    varied = []
    for other in _OTHERS:
        at = {size: other.get(size, number) for size, number in sizes.items()}
        varied += [at] if at != sizes and at not in varied else []
    return Half(name, module, inputs, sizes, tuple(varied))
