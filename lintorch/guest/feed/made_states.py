"""The first state of a recurrent model, as its own method makes it: `model.init_hidden(batch_size)`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import nn

from lintorch.guest.feed.own_batch import find_attributes_read, find_own_batch
from lintorch.record.arguments import LeafPlace
from lintorch.record.models import Input

Maker = Callable[[int], Any]
_MAKERS = re.compile(
    r"_?(get_|make_|create_)?(init|initial|initialize|initialise|zero|begin|start)_?(the_)?"
    r"(hidden|states?|hiddens|hidden_states?|rnn_state|lstm_state|hx|carry)s?",
    re.IGNORECASE,
)
_MOST_TENSORS = 32


def find_state_maker(module: nn.Module) -> Maker | None:
    """The method that makes a state for so many samples, if the model has one."""
    for name, method in inspect.getmembers(type(module), inspect.isfunction):
        if not _MAKERS.fullmatch(name):
            continue
        taken = [*inspect.signature(method).parameters.values()][1:]
        kept = find_own_batch(module)
        if not taken and kept and kept in find_attributes_read(method):
            return lambda batch, name=name: _make_for(module, name, kept, batch)  # type: ignore[misc]
        if not taken or taken[0].kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            continue
        needed = [each.name for each in taken[1:] if each.default is each.empty]
        if all(name == "device" for name in needed):
            given = {name: torch.device("cpu") for name in needed}
            return lambda batch, name=name: getattr(module, name)(batch, **given)  # type: ignore[misc]
    return None


def _make_for(module: nn.Module, method: str, kept: str, batch: int) -> Any:
    """What a method makes that reads off the model how many samples there are."""
    own = vars(module)[kept]
    setattr(module, kept, batch)
    try:
        return getattr(module, method)()
    finally:
        setattr(module, kept, own)


def make_own_states(
    make: Maker, wanted: Sequence[Input], batch: int | str, sizes: Mapping[str, int]
) -> dict[str, tuple[Input, ...]]:
    """The tensors of each argument that takes a state; {} where what is made is not for these.

    `batch` is the size that says how many samples there are.
    """
    count = sizes.get(batch, 2) if isinstance(batch, str) else batch
    try:
        made, wider = make(count), make(count + 1)
    except Exception:  # whatever user code raises
        return {}
    if len(wanted) == 1:
        made, wider = (made,), (wider,)
    if not isinstance(made, (tuple, list)) or len(made) != len(wanted):
        return {}
    found = {}
    for given, one, other in zip(wanted, made, wider, strict=True):
        ones, others = [*_list_tensors(one)], [*_list_tensors(other)]
        if not ones or len(ones) != len(others) or len(ones) > _MOST_TENSORS:
            return {}
        pairs = zip(ones, others, strict=True)
        found[given.name] = tuple(_describe(given.name, part, b, batch) for part, (b, *_) in pairs)
    return found


_Part = tuple[torch.Tensor, LeafPlace, tuple[str, ...]]
"""A tensor of a state, where it stands, and of each step there whether it is into a tuple."""


def _list_tensors(
    value: Any, place: LeafPlace = (), records: tuple[str, ...] = ()
) -> Iterator[_Part]:
    if isinstance(value, torch.Tensor):
        yield value, place, records if any(records) else ()
    elif isinstance(value, (tuple, list)):
        kind = "tuple" if isinstance(value, tuple) else ""
        for number, part in enumerate(value):
            yield from _list_tensors(part, (*place, number), (*records, kind))
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _list_tensors(part, (*place, str(key)), (*records, ""))


def _describe(name: str, part: _Part, wider: torch.Tensor, batch: int | str) -> Input:
    """A tensor of a state: the axis that grows with the samples is theirs."""
    one, place, records = part
    pairs = zip(one.shape, wider.shape, strict=False)
    shape = tuple(batch if size != grown else size for size, grown in pairs)
    kind = str(one.dtype).removeprefix("torch.")
    high = 0 if one.is_floating_point() else 2
    return Input(name, kind, shape, 0, high, place, records=records)
