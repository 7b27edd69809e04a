"""What a constructor runs parts of its own model on, to see how wide they come out: `self.conv(torch.zeros(1, 3, 84, 84))`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import ref

import torch
from torch import nn
from torch.nn.modules.module import register_module_forward_pre_hook

from lintorch.record.models import Input

_MOST_CALLS = 64
"""Calls that are kept: the first ones are what counts."""
ConstructorCall = tuple["ref[nn.Module]", tuple[int, ...]]
"""A part, and the shape of what it was run on."""


@contextmanager
def watch_constructor_calls(seen: list[ConstructorCall]) -> Iterator[None]:
    """Within, parts that are run on one tensor of fractions are added to `seen`."""

    def note(part: nn.Module, given: tuple[Any, ...]) -> None:
        tensor = given[0] if len(given) == 1 and isinstance(given[0], torch.Tensor) else None
        if tensor is not None and tensor.is_floating_point() and tensor.dim() > 1:
            seen.append((ref(part), tuple(tensor.shape)))
            del seen[_MOST_CALLS:]

    handle = register_module_forward_pre_hook(note)
    try:
        yield
    finally:
        handle.remove()


def read_tried_input(
    root: nn.Module, calls: Sequence[ConstructorCall]
) -> tuple[tuple[str, Input], ...]:
    """What the first part was run on that is one of the finished model's, as an example of its only input; () where none was."""
    own = {id(part) for part in nn.Module.modules(root)}
    shapes = (shape for held, shape in calls if id(held()) in own)
    shape = next(shapes, ())
    return (("", Input("x", "float32", shape)),) if shape and 0 not in shape else ()
