"""Sizes of further inputs that were fed as numbers, and may vary as those of their kin do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from torch import nn

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.suggest.related_axes import list_relations
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Input, Model

_SECONDS = 10.0
_LEAST = 2
_IMAGE = 4
_BATCH, _LENGTH = "batch", "length"
_OTHERS: tuple[Callable[[int], int], ...] = (lambda size: 2 * size, lambda size: size + size // 2)
"""The sizes that are tried."""


@dataclass(frozen=True)
class _Named:
    """A model with names for more of its axes, and the sizes that these have at first."""

    model: Model
    new: Mapping[str, int]


def free_axes(
    module: nn.Module, model: Model, others: Sequence[NamedSizes]
) -> tuple[Model, tuple[NamedSizes, ...]]:
    """The model with names for them, and the sizes to compare at, in which they vary as well.

    Of a list of feature maps `[2, 4, 32, 32]` and `[2, 8, 16, 16]` the first one gives heights and
    widths their names; those of the second are tried at other sizes. So is a number that
    several inputs have, `[2, 16]` and `[2, 16, 16]`, as one size. What settings say stays.
    """
    sizes = tuple(others)
    if model.configured:
        return model, sizes
    for number in _list_shared_numbers(model):
        model, sizes = _try_names(module, _name_number(model, number), model, sizes)
    for place in range(len(model.inputs)):
        model, sizes = _try_names(module, _name_kin(model, place), model, sizes)
    while (found := _find_related(module, model, sizes)) is not None:
        model, sizes = found
    return model, sizes


def _find_related(
    module: nn.Module, model: Model, others: tuple[NamedSizes, ...]
) -> tuple[Model, tuple[NamedSizes, ...]] | None:
    """With names for two axes, one of which follows the other; None where no two more do."""
    for relation in list_relations(model, others):
        eager, first = Eager(module, relation.model), relation.model.sizes[relation.base]
        tried = [relation.vary(find(first)) for find in _OTHERS]
        if all(_runs_at(eager, at) for at in tried):
            return relation.model, (*({**at, **relation.new} for at in others), *tried)
    return None


def _try_names(
    module: nn.Module, named: _Named | None, model: Model, others: tuple[NamedSizes, ...]
) -> tuple[Model, tuple[NamedSizes, ...]]:
    """With the names where the model runs at two other sizes of these, else as it was."""
    if named is None:
        return model, others
    first, eager = named.model.sizes, Eager(module, named.model)
    tried = [{**first, **{n: find(size) for n, size in named.new.items()}} for find in _OTHERS]
    if not all(_runs_at(eager, at) for at in tried):
        return model, others
    return named.model, (*({**at, **named.new} for at in others), *tried)


def _list_shared_numbers(model: Model) -> list[int]:
    """The sizes that two inputs or more have as numbers; channels of images are not looked at."""
    found: dict[int, set[int]] = {}
    for place, given in enumerate(pick_tensors(model.inputs)):
        for axis, size in enumerate(given.shape):
            if isinstance(size, int) and size >= _LEAST and not _is_channel(given, axis):
                found.setdefault(size, set()).add(place)
    return [size for size, places in found.items() if len(places) > 1]


def _is_channel(given: Input, axis: int) -> bool:
    return axis == 1 and len(given.shape) >= _IMAGE


def _name_number(model: Model, number: int) -> _Named:
    """The model with one name for all axes that are this number."""
    name = next(n for n in (_LENGTH, f"size_{number}") if n not in model.sizes)
    inputs = tuple(
        replace(
            given,
            shape=tuple(
                name if size == number and not _is_channel(given, axis) else size
                for axis, size in enumerate(given.shape)
            ),
        )
        if isinstance(given, Input)
        else given
        for given in model.inputs
    )
    new = {name: number}
    return _Named(replace(model, inputs=inputs, sizes={**model.sizes, **new}), new)


def _name_kin(model: Model, place: int) -> _Named | None:
    """The model with names for the axes of an input that its kin have names for."""
    given = model.inputs[place]
    own = _name_axes(given, model) if isinstance(given, Input) else {}
    if not own or not isinstance(given, Input):
        return None
    named = _put_names(model, place, given, own)
    return _Named(named, {name: named.sizes[name] for name in own.values()})


def _name_axes(given: Input, model: Model) -> dict[int, str]:
    """Names for the axes of an input that are numbers, and named in another one of as many axes."""
    kin = [each for each in pick_tensors(model.inputs) if len(each.shape) == len(given.shape)]
    found: dict[int, str] = {}
    for axis, size in enumerate(given.shape):
        names = (each.shape[axis] for each in kin if isinstance(each.shape[axis], str))
        name = next((str(each) for each in names if each != _BATCH), "")
        if name and isinstance(size, int) and size >= _LEAST:
            found[axis] = re.sub(r"\W", "_", f"{name}_{given.label}")
    return found


def _put_names(model: Model, place: int, given: Input, own: Mapping[int, str]) -> Model:
    shape = tuple(own.get(axis, size) for axis, size in enumerate(given.shape))
    inputs = (*model.inputs[:place], replace(given, shape=shape), *model.inputs[place + 1 :])
    new = {name: size for axis, name in own.items() if isinstance(size := given.shape[axis], int)}
    return replace(model, inputs=inputs, sizes={**model.sizes, **new})


def _runs_at(eager: Eager, sizes: NamedSizes) -> bool:
    try:
        with limit_seconds(_SECONDS):
            return all(tensor.numel() for tensor in eager.list_numbers_at(sizes))
    except (Exception, TooSlow):  # whatever user code raises
        return False
