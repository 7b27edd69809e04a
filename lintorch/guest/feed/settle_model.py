"""A model that sets its weights by the first samples it meets has met some, as one that is exported has."""

from __future__ import annotations

import torch
from torch import nn

from lintorch.guest.export.module_state import copy_module
from lintorch.guest.feed.varying_sizes import Fed
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.attribute_writes import is_same_value


def settle_model(module: nn.Module, fed: Fed) -> bool:
    """Run a module once where that changes its weights, and no further run does; whether it was.

    What it only keeps for later, in buffers and attributes, is left as it was built. Of a model that
    no run has moved so far nothing is to be expected.
    """
    if not fed.moving or make_tensors.is_weightless(module):
        return False
    given = make_tensors.make_arguments(module, fed.inputs, fed.sizes)
    with copy_module(module) as tried, torch.no_grad():
        if tried is module:
            return False
        try:
            tried(*given)
            if _has_same_weights(tried, module):
                return False
            with copy_module(tried) as again:
                again(*given)
                settled = _has_same_weights(again, tried)
        except Exception:  # a run more than was tried before
            return False
    if settled:
        with torch.no_grad():
            module(*given)
    return settled


def sum_weights(module: nn.Module) -> tuple[float, ...]:
    """The sum of each parameter: what tells, without a copy, whether runs change any. () without values."""
    if make_tensors.is_weightless(module):
        return ()
    try:
        with torch.no_grad():
            return tuple(abs(p).sum(dtype=torch.float64).item() for p in module.parameters())
    except Exception:  # lazy ones, and tensors of the user's own kinds
        return (float("nan"),)  # which differs from itself


def _has_same_weights(one: nn.Module, other: nn.Module) -> bool:
    return all(
        is_same_value(mine, its)
        for mine, its in zip(one.parameters(), other.parameters(), strict=True)
    )
