"""Which input of a file is which of the model's, and the sizes at which both run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, permutations

import torch

from lintorch.guest.beside.onnx_file import FileInput
from lintorch.guest.beside.run_file import Feed
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import FedArgument, Input

_MOST_ORDERS = 24
_TO_CHANNELS_FIRST = (0, 3, 1, 2)
_TO_CHANNELS_LAST = (0, 2, 3, 1)


@dataclass(frozen=True)
class InputPairs:
    """Each input of the file with the number of the model's tensor that it is fed.

    `channels_last` names those that take the axes of an image in another order than the model.
    """

    pairs: tuple[tuple[FileInput, int], ...]
    extra: tuple[FileInput, ...] = ()
    channels_last: frozenset[str] = frozenset()

    def make_feed(self, tensors: Sequence[torch.Tensor]) -> Feed:
        """The model's tensors as the file takes them, in its types."""
        return {taken.name: self._convert(taken, tensors[number]) for taken, number in self.pairs}

    def list_pruned(self, count: int) -> list[int]:
        """The numbers of the model's tensors, so many in all, that the file does not take."""
        taken = {number for _, number in self.pairs}
        return [number for number in range(count) if number not in taken]

    def _convert(self, taken: FileInput, value: torch.Tensor) -> torch.Tensor:
        if taken.name in self.channels_last:
            value = value.permute(_TO_CHANNELS_LAST)
        return value if taken.dtype in (None, value.dtype) else value.to(taken.dtype)


def pair_inputs(file: Sequence[FileInput], tensors: Sequence[Input]) -> InputPairs:
    """By names where these are the same, else by place where types and ranks fit, else as they fit."""
    labels = [each.label for each in tensors]
    named = {taken.name: labels.index(taken.name) for taken in file if taken.name in labels}
    if len(named) < len(file) == len(tensors):
        orders = (order for order in permutations(range(len(file))) if _fits(file, tensors, order))
        order = next(islice(orders, 1), tuple(range(len(file))))
        return _lay_out([*zip(file, order, strict=True)], (), tensors)
    left = [number for number in range(len(tensors)) if number not in named.values()]
    pairs, extra = [], []
    for taken in file:
        number = named.get(taken.name)
        if number is None:
            number = next((n for n in left if _may_be(taken, tensors[n])), None)
        if number is None:
            extra.append(taken)
            continue
        left = [each for each in left if each != number]
        pairs.append((taken, number))
    return _lay_out(pairs, tuple(extra), tensors)


def take_ranks(file: Sequence[FileInput], inputs: Sequence[FedArgument]) -> tuple[FedArgument, ...]:
    """The model's inputs, with the ranks and types of those that the file has by their names with others.

    A model takes a mask of two axes as well as one of four, and was fed the other kind. An input that
    the file does not have goes on having the shape of another one.
    """
    tensors = {each.label: each for each in pick_tensors(inputs)}
    axes: dict[object, int | str] = {}
    for taken in file:
        own = tensors.get(taken.name)
        if own is not None and taken.dims is not None and len(taken.dims) == len(own.shape):
            axes.update(zip(taken.dims, own.shape, strict=True))
    changed: dict[str, Input] = {}
    named = {taken.name for taken in file}
    for taken in file:
        own, dims = tensors.get(taken.name), taken.dims
        if own is None or dims is None or taken.dtype is None or len(dims) == len(own.shape):
            continue
        shape = tuple(dim if isinstance(dim, int) else axes.get(dim, 2) for dim in dims)
        dtype, real = str(taken.dtype).removeprefix("torch."), taken.dtype.is_floating_point
        low, high = (0, 0) if real else (own.low, own.high or 2)
        changed[own.label] = replace(own, shape=shape, dtype=dtype, low=low, high=high)
        for other in tensors.values():
            if other.shape == own.shape and other.label not in {*changed, *named}:
                changed[other.label] = replace(other, shape=shape)
    return tuple(changed.get(e.label, e) if isinstance(e, Input) else e for e in inputs)


def list_other_orders(pairs: InputPairs, tensors: Sequence[Input]) -> Iterator[InputPairs]:
    """The same inputs of the file, fed in other orders that their types and ranks allow."""
    file = [taken for taken, _ in pairs.pairs]
    numbers = [number for _, number in pairs.pairs]
    orders = permutations(numbers) if len(numbers) <= 6 else iter(())
    for order in islice(orders, 1, _MOST_ORDERS * 30):
        if all(_may_be(t, tensors[n]) for t, n in zip(file, order, strict=True)):
            yield replace(pairs, pairs=tuple(zip(file, order, strict=True)))


def bind_sizes(
    pairs: InputPairs, inputs: Sequence[FedArgument], sizes: Mapping[str, int]
) -> tuple[tuple[FedArgument, ...], dict[str, int], frozenset[str]]:
    """Inputs and sizes at which the file takes them, and the names of sizes that it declares as fixed."""
    bound, fixed = dict(sizes), dict[str, int]()
    shapes: dict[Input, tuple[int | str, ...]] = {}
    tensors = pick_tensors(inputs)
    for taken, number in pairs.pairs:
        given = tensors[number]
        dims = _list_dims(taken, pairs)
        if dims is None or len(dims) != len(given.shape):
            continue
        shape = list(given.shape)
        for axis, dim in enumerate(dims):
            if isinstance(dim, int):
                written = shape[axis]
                if isinstance(written, str):
                    fixed.setdefault(written, dim)
                else:
                    shape[axis] = dim
        shapes[given] = tuple(shape)
    changed = tuple(
        replace(each, shape=shapes[each]) if isinstance(each, Input) and each in shapes else each
        for each in inputs
    )
    return changed, {**bound, **fixed}, frozenset(fixed)


def _list_dims(taken: FileInput, pairs: InputPairs) -> tuple[int | str, ...] | None:
    """The dims in the model's order of axes."""
    if taken.dims is None or taken.name not in pairs.channels_last:
        return taken.dims
    return tuple(taken.dims[axis] for axis in _TO_CHANNELS_FIRST)


def _lay_out(
    pairs: Sequence[tuple[FileInput, int]], extra: tuple[FileInput, ...], tensors: Sequence[Input]
) -> InputPairs:
    last = (taken.name for taken, number in pairs if _is_channels_last(taken, tensors[number]))
    return InputPairs(tuple(pairs), extra, frozenset(last))


def _is_channels_last(taken: FileInput, given: Input) -> bool:
    """Whether only the other order of axes fits what the file declares: 1x224x224x3 for [n, 3, h, w]."""
    dims = taken.dims
    if dims is None or len(dims) != 4 or len(given.shape) != 4 or isinstance(given.shape[1], str):
        return False
    channels = given.shape[1]
    return isinstance(dims[3], int) and dims[3] == channels and dims[1] != channels


def _fits(file: Sequence[FileInput], tensors: Sequence[Input], order: Sequence[int]) -> bool:
    return all(_may_be(taken, tensors[n]) for taken, n in zip(file, order, strict=True))


def _may_be(taken: FileInput, given: Input) -> bool:
    """Whether types are of a kind, and ranks and the sizes that neither leaves open are the same."""
    dtype = getattr(torch, given.dtype)
    if taken.dtype is not None and taken.dtype.is_floating_point != dtype.is_floating_point:
        return False
    return taken.dims is None or len(taken.dims) == len(given.shape)
