"""A module that gives back what its parts give, beside its own output; and one with a part's output changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from lintorch.guest.watch.make_tensors import flatten_output

_MOST = 400
"""Parts that are shown at most, the first of the module."""


class PartSlices(dict[str, slice]):
    """Which outputs are whose, as of the last run of a module or of a copy of it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> PartSlices:
        return self


class ShownParts(nn.Module):  # type: ignore[misc]
    """A module whose output is followed by those of its parts' first calls, in the order in which these end.

    With `only`, that part's output alone.
    """

    def __init__(self, module: nn.Module, only: str = "") -> None:
        super().__init__()
        self.module = module
        self.only = only
        self.slices = PartSlices()
        self.train(module.training)

    def forward(self, *inputs: Any) -> tuple[torch.Tensor, ...]:
        """The tensors: of the module first, then of its parts."""
        found: dict[str, list[torch.Tensor]] = {}
        with _hook_parts(self.module, self.only, found):
            own = flatten_output(self.module(*inputs))
        shown = [] if self.only else own
        self.slices.clear()
        for name, tensors in found.items():
            self.slices[name] = slice(len(shown), len(shown) + len(tensors))
            shown = [*shown, *tensors]
        return tuple(shown)


class ChangedPart(nn.Module):  # type: ignore[misc]
    """A module in which one part gives something else: what differs from eager is made so many times larger."""

    def __init__(
        self, module: nn.Module, name: str, given: Sequence[torch.Tensor], louder: float
    ) -> None:
        super().__init__()
        self.module = module
        self._name, self._given, self._louder = name, tuple(given), louder
        self.train(module.training)

    def forward(self, *inputs: Any) -> Any:
        """What the module gives with it."""
        calls: list[None] = []

        def change(_: nn.Module, __: Any, output: Any) -> Any:
            calls.append(None)
            left = iter(self._given)
            return _exchange(output, left, self._louder) if len(calls) == 1 else output

        handle = self.module.get_submodule(self._name).register_forward_hook(change)
        try:
            return self.module(*inputs)
        finally:
            handle.remove()


@contextmanager
def _hook_parts(
    module: nn.Module, only: str, found: dict[str, list[torch.Tensor]]
) -> Iterator[None]:
    handles = []
    for name, part in list(module.named_modules())[1 : _MOST + 1]:
        if only and name != only:
            continue

        def note(_: nn.Module, __: Any, output: Any, name: str = name) -> None:
            if name not in found:
                found[name] = [tensor.clone() for tensor in flatten_output(output)]

        handles.append(part.register_forward_hook(note))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _exchange(value: Any, given: Iterator[torch.Tensor], louder: float) -> Any:
    """The same tuples, lists and dicts with the tensors exchanged, in order."""
    if isinstance(value, torch.Tensor):
        return _exaggerate(value, next(given), louder)
    if type(value) in (tuple, list):
        return type(value)(_exchange(part, given, louder) for part in value)
    if isinstance(value, dict):
        changed = {key: _exchange(part, given, louder) for key, part in value.items()}
        return changed if type(value) is dict else type(value)(**changed)
    return value


def _exaggerate(expected: torch.Tensor, given: torch.Tensor, louder: float) -> torch.Tensor:
    if expected.shape != given.shape or not expected.is_floating_point():
        return given.to(expected.dtype)
    return expected + louder * (given.to(expected) - expected)
