"""How a cache is laid out: its tensors, and which of their axes are the batch and the tokens before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintorch.guest.decoding.held_tensors import Place, list_held, put_held
from lintorch.record.decoders import BATCH, PAST
from lintorch.record.models import Input


@dataclass(frozen=True)
class CacheLayout:
    """A cache as eager gave it, and the shape of each of its tensors, with names for what varies."""

    example: Any
    places: tuple[Place, ...]
    shapes: tuple[tuple[int | str, ...], ...]
    dtypes: tuple[str, ...]
    lengths: tuple[Place, ...] = ()
    """Whole numbers in it that are the number of tokens before."""

    def list_tensors(self, cache: Any) -> list[torch.Tensor]:
        """The tensors of a cache of this layout that vary, in order."""
        held = dict(list_held(cache))
        return [held[place] for place in self.places]

    def make_cache(self, tensors: Sequence[torch.Tensor]) -> Any:
        """A cache of the same classes with these tensors."""
        others: dict[Place, Any] = dict(zip(self.places, tensors, strict=True))
        if self.lengths:
            others |= dict.fromkeys(self.lengths, self.measure_past(tensors))
        return put_held(self.example, others)

    def measure_past(self, tensors: Sequence[torch.Tensor]) -> int:
        """How many tokens the cache holds."""
        grown = (
            tensor.shape[shape.index(PAST)]
            for tensor, shape in zip(tensors, self.shapes, strict=True)
            if PAST in shape
        )
        return next(grown)  # type: ignore[no-any-return]

    def list_inputs(self, name: str) -> tuple[Input, ...]:
        """The cache as inputs of one argument."""
        alone = len(self.shapes) == 1
        return tuple(
            Input(name, dtype, shape, at=() if alone else (number,))
            for number, (shape, dtype) in enumerate(zip(self.shapes, self.dtypes, strict=True))
        )


def list_cached(cache: Any) -> list[torch.Tensor]:
    """The tensors of a cache, in order."""
    return [tensor for _, tensor in list_held(cache)]


def read_layout(first: Any, more: Any, longer: Any) -> CacheLayout | None:
    """From caches after one prompt, after a larger batch and after a longer prompt; None where nothing grows.

    The size that a batch or a prompt has is compared as a difference: an axis that has grown by
    as much is that one. What holds the same numbers after a longer prompt is no part of the cache.
    """
    held = [list_held(cache) for cache in (first, more, longer)]
    places = [tuple(place for place, _ in each) for each in held]
    if not places[0] or any(each != places[0] for each in places):
        return None
    varies = [not torch.equal(a, b) for (_, a), (_, b) in zip(held[0], held[2], strict=True)]
    held = [[pair for pair, kept in zip(each, varies, strict=True) if kept] for each in held]
    shapes = []
    for (_, one), (_, wide), (_, long) in zip(*held, strict=True):
        if not one.dim() == wide.dim() == long.dim():
            return None
        shapes.append(tuple(map(_name_size, one.shape, wide.shape, long.shape)))
    if not any(PAST in shape for shape in shapes) or any(_is_odd(shape) for shape in shapes):
        return None
    dtypes = tuple(str(tensor.dtype).removeprefix("torch.") for _, tensor in held[0])
    lengths = _find_lengths(first, longer, shapes, held[0])
    return CacheLayout(first, tuple(place for place, _ in held[0]), tuple(shapes), dtypes, lengths)


def _name_size(one: int, wide: int, long: int) -> int | str:
    if one == wide == long:
        return one
    if one == wide:
        return PAST
    return BATCH if one == long else ""


def _is_odd(shape: tuple[int | str, ...]) -> bool:
    """Whether an axis follows both, or one name stands for two axes."""
    names = [size for size in shape if isinstance(size, str)]
    return "" in names or len(names) != len({*names})


def _find_lengths(
    first: Any, longer: Any, shapes: Sequence[Any], held: Sequence[Any]
) -> tuple[Place, ...]:
    past = next(t.shape[s.index(PAST)] for (_, t), s in zip(held, shapes, strict=True) if PAST in s)
    then = dict(list_held(longer, int))
    return tuple(
        place
        for place, number in list_held(first, int)
        if type(number) is int and number == past and then.get(place) not in (None, number)
    )
