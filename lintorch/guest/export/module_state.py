"""Keeping a module as it was: what runs and exporters do to modes and buffers does not leak."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from lintorch.guest.export.shared_state import find_shared_state


@contextmanager
def copy_module(module: nn.Module, train: bool = False) -> Iterator[nn.Module]:
    """A copy of a module in one mode; where none can be made, the module, put back afterwards.

    What its hooks write to stays that of the module: a copy of it would stay empty.
    """
    try:
        copied = copy.deepcopy(module, find_shared_state(module))
    except Exception:
        with restore_module(module):
            yield module.train(train)
    else:
        yield copied.train(train)


@contextmanager
def restore_module(module: nn.Module) -> Iterator[nn.Module]:
    """The module, whose modes, parameters, gradients and buffers are put back afterwards."""
    gradients = {value: value.grad for value in module.parameters()}
    modes = {part: part.training for part in nn.Module.modules(module)}
    values = {name: value.detach().clone() for name, value in list_tensors(module)}
    try:
        yield module
    finally:
        for part, mode in modes.items():
            part.training = mode
        for value, gradient in gradients.items():
            value.grad = gradient
        with torch.no_grad():
            for name, value in list_tensors(module):
                if name in values and value.shape == values[name].shape:
                    value.copy_(values[name])


def list_tensors(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The parameters and buffers of a module, by name."""
    yield from module.named_parameters()
    yield from module.named_buffers()
