"""What a model is fed and what it gives back: tensors of its inputs, at first and at other sizes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
from torch import nn

from lintorch.record.arguments import arrange_arguments
from lintorch.record.models import FedArgument, Input
from lintorch.record.plain_values import evaluate_plain

SEED = 20240229


@dataclass(frozen=True)
class Draw:
    """Which numbers are drawn: those of a seed, floating ones without bounds times a factor; lengths a quarter shorter or not."""

    seed: int = SEED
    factor: float = 1.0
    shorter: bool = False


FIRST_DRAW = Draw()


def make_inputs(
    inputs: Sequence[FedArgument], sizes: Mapping[str, int], seed: int = SEED
) -> tuple[Any, ...]:
    """One tensor or plain value per input, the same at every call; names take their value of `sizes`."""
    return draw_inputs(inputs, sizes, Draw(seed))


def draw_inputs(
    inputs: Sequence[FedArgument], sizes: Mapping[str, int], draw: Draw
) -> tuple[Any, ...]:
    """The same of other numbers."""
    generator = torch.Generator().manual_seed(draw.seed)
    return tuple(
        _tensor(given, sizes, generator, draw)
        if isinstance(given, Input)
        else evaluate_plain(given.value, sizes)
        for given in inputs
    )


def make_arguments(
    module: nn.Module, inputs: Sequence[FedArgument], sizes: Mapping[str, int], seed: int = SEED
) -> tuple[Any, ...]:
    """Arguments that a module can take: tensors without values where its weights have none."""
    made = make_inputs(inputs, sizes, seed)
    return arrange_arguments(inputs, move_tensors(made, "meta") if is_weightless(module) else made)


def move_tensors(values: Sequence[Any], device: str) -> list[Any]:
    """The same values, the tensors among them on a device."""
    return [each.to(device) if isinstance(each, torch.Tensor) else each for each in values]


def is_weightless(module: nn.Module) -> bool:
    """Whether a module was built without the values of its weights."""
    return any(weight.is_meta for weight in module.parameters())


def flatten_output(output: Any) -> list[torch.Tensor]:
    """The tensors inside an output, in order, through tuples, lists, mappings, dataclasses and distributions; nested ones have no shape, and are left out."""
    return list(_leaves(output, set()))


def is_scalar(output: Any) -> bool:
    """Whether an output is one number or several, each without a dimension."""
    tensors = flatten_output(output)
    return all(not each.ndim for each in tensors) if tensors else type(output) in (int, float)


def find_tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors in what an operator takes or gives: in tuples and lists, in order.

    A nested one, such as layers of Transformers make of rows and their padding, has no shape, and is left out.
    """
    if isinstance(value, torch.Tensor):
        if not value.is_nested:
            yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from find_tensors(part)


def find_dynamic_names(
    sizes: Mapping[str, int], varied: Sequence[Mapping[str, int]]
) -> frozenset[str]:
    """The names that are another size somewhere."""
    return frozenset(name for each in varied for name in each if each[name] != sizes[name])


def _tensor(
    given: Input, sizes: Mapping[str, int], generator: torch.Generator, draw: Draw
) -> torch.Tensor:
    shape = tuple(sizes[size] if isinstance(size, str) else size for size in given.shape)
    dtype = getattr(torch, given.dtype)
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=generator).bool()
    if dtype.is_floating_point and given.high > given.low:
        span = given.high - 1 - given.low
        return (torch.rand(shape, generator=generator) * span + given.low).to(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        return (torch.randn(shape, generator=generator) * draw.factor).to(dtype)
    if given.longest != "":
        longest = sizes.get(str(given.longest), given.longest)
        return _fall_from(longest, shape, draw.shorter).to(dtype)
    high = given.high if given.high > given.low else given.low + 2
    return torch.randint(given.low, high, shape, generator=generator).to(dtype)


def _fall_from(longest: int | str, shape: tuple[int, ...], shorter: bool) -> torch.Tensor:
    """Whole numbers that fall from one, or what is next, by a quarter of it at a time, and end at 1."""
    if not str(longest).isdigit():
        raise ValueError(f"{longest!r} is a size of no input")
    steps = torch.arange(prod(shape)) + int(shorter)
    return (int(longest) - steps * max(1, int(longest) // 4)).clamp(min=1).reshape(shape)


def _leaves(output: Any, seen: set[int]) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        if not output.is_nested:
            yield output
    elif output is None or isinstance(output, (str, bytes, int, float)) or id(output) in seen:
        return
    else:
        seen.add(id(output))
        if isinstance(output, Mapping):
            parts = list(output.values())
        elif isinstance(output, (tuple, list)):
            parts = list(output)
        elif dataclasses.is_dataclass(output):
            parts = [getattr(output, field.name, None) for field in dataclasses.fields(output)]
        elif isinstance(output, torch.distributions.Distribution):
            parts = list(vars(output).values())  # loc and scale, or the one that it is made of
        else:
            return
        for part in parts:
            yield from _leaves(part, seen)
