"""Weights of one model in another whose state_dict may have other keys."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

from lintorch.guest.proof.observe_model import list_state

_MOST_NAMED = 4


def match_keys(
    before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor]
) -> dict[str, str]:
    """Each key of a state_dict with what it is called in the other, where it is there.

    Keys that are gone are those that came, in their order, where both are as many and of the same shapes.
    """
    same = {name: name for name in before if name in after}
    gone = [name for name in before if name not in after]
    came = [name for name in after if name not in before]
    shapes = ([before[name].shape for name in gone], [after[name].shape for name in came])
    renamed = dict(zip(gone, came, strict=True)) if shapes[0] == shapes[1] else {}
    return {**same, **renamed}


def put_weights(
    weights: Mapping[str, torch.Tensor], module: nn.Module, names: Mapping[str, str]
) -> None:
    """Give a module the weights of another, by the names that they have in it; those of other shapes stay."""
    own = dict(list_state(module))
    with torch.no_grad():
        for name, value in weights.items():
            kept = own.get(names.get(name, ""))
            if kept is not None and kept.shape == value.shape:
                kept.copy_(value)


def describe_keys(
    before: Mapping[str, torch.Tensor], after: Mapping[str, torch.Tensor], names: Mapping[str, str]
) -> tuple[str, ...]:
    """What became of keys of the state_dict, in words; nothing where all are as they were."""
    renamed = [f"{old} is now {new}" for old, new in names.items() if old != new]
    gone = [name for name in before if name not in names]
    came = [name for name in after if name not in {*names.values()}]
    told = [_list_some(renamed)] if renamed else []
    told += [f"{_list_some(gone)} {_is_or_are(gone)} gone"] if gone else []
    told += [f"{_list_some(came)} {_is_or_are(came)} added"] if came else []
    return tuple(told)


def _list_some(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _is_or_are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
