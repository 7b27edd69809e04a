"""What the functions and methods of torch give while a model runs, and the user's line of each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from lintorch.guest.beside.case import Case, Sizes
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.record.sites import Site

_MOST_BYTES = 2**29


@dataclass(frozen=True)
class FunctionCall:
    """One call, with the numbers of the layers that had ended before it."""

    output: torch.Tensor
    site: Site
    after: int


class _Watch(TorchFunctionMode):  # type: ignore[misc]
    """Notes the calls between the ends of two layers."""

    def __init__(self, case: Case, first: int, last: int) -> None:
        super().__init__()
        self._case, self._first, self._last = case, first, last
        self.ended, self.size = 0, 0
        self.calls: list[FunctionCall] = []

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        given = function(*args, **(kwargs or {}))
        wanted = self._first <= self.ended <= self._last and self.size < _MOST_BYTES
        site = self._case.files.find_site(sys._getframe(1)) if wanted else None
        if site is not None:
            self._keep(given, site)
        return given

    def _keep(self, given: Any, site: Site) -> None:
        for tensor in find_tensors(given):
            if tensor.is_floating_point() and tensor.numel() > 1:
                self.size += tensor.numel() * tensor.element_size()
                self.calls.append(FunctionCall(tensor.detach().clone(), site, self.ended))


def record_functions(
    case: Case, sizes: Sizes | None, first: int, last: int
) -> Sequence[FunctionCall]:
    """What is called after so many calls of layers have ended, up to so many. Raises what the model raises."""
    watch = _Watch(case, first, last)
    with copy_module(case.module) as copied, torch.no_grad():

        def count(part: nn.Module, args: Any, output: Any) -> None:
            watch.ended += 1

        hooked = [
            part.register_forward_hook(count)
            for name, part in copied.named_modules()
            if name and not isinstance(part, torch.jit.ScriptModule)
        ]
        try:
            with watch:
                copied(*case.arrange(case.list_tensors(sizes)), **case.extra)
        finally:
            for handle in hooked:
                handle.remove()
    return watch.calls
