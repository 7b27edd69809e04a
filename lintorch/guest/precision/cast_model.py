"""A model and what it is fed, in another floating type."""

from __future__ import annotations

import copy
from dataclasses import replace

import torch
from torch import nn

from lintorch.guest.export.shared_state import find_shared_state
from lintorch.record.models import Input, Model


def cast_module(module: nn.Module, precision: str) -> nn.Module:
    """A copy whose floating parameters and buffers are of the type, as `module.half()` makes them.

    Tensors that are plain attributes stay as they are. Raises what copying raises.
    """
    dtype: torch.dtype = getattr(torch, precision)
    copied: nn.Module = copy.deepcopy(module, find_shared_state(module))

    def cast(tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to(dtype) if tensor.is_floating_point() else tensor

    return copied._apply(cast)


def cast_inputs(model: Model, precision: str) -> Model:
    """The same numbers, rounded to the type, where the model is fed floating ones."""
    inputs = (
        replace(each, dtype=precision)
        if isinstance(each, Input) and each.dtype.startswith(("float", "bfloat"))
        else each
        for each in model.inputs
    )
    return replace(model, inputs=tuple(inputs))
