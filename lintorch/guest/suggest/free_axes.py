"""Sizes of further inputs that were fed as numbers, and may vary as those of their kin do."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from torch import nn

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Input, Model

_SECONDS = 10.0
_LEAST = 2
_BATCH = "batch"


def free_axes(
    module: nn.Module, model: Model, others: Sequence[NamedSizes]
) -> tuple[Model, tuple[NamedSizes, ...]]:
    """The model with names for them, and the sizes to compare at, in which they vary as well.

    Of a list of feature maps `[2, 4, 32, 32]` and `[2, 8, 16, 16]` the first one gives heights and
    widths their names; those of the second are tried at twice the size. What settings say stays.
    """
    sizes = tuple(others)
    for place, given in enumerate(model.inputs if not model.configured else ()):
        own = _name_axes(given, model) if isinstance(given, Input) else {}
        if own and isinstance(given, Input):
            named = _put_names(model, place, given, own)
            varied = {name: 2 * n if name in own.values() else n for name, n in named.sizes.items()}
            if _runs_at(Eager(module, named), varied):
                new = {name: named.sizes[name] for name in own.values()}
                model, sizes = named, (*({**at, **new} for at in sizes), varied)
    return model, sizes


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
