"""What the layers of a model take and give, call by call, and the user's line of each call."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from lintorch.guest.export.module_state import copy_module
from lintorch.guest.watch.make_tensors import find_tensors, flatten_output
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.sites import Site

_MOST_BYTES = 2**30


@dataclass(frozen=True)
class LayerCall:
    """One call of a module that holds no other that ran in it, or of one that does.

    `takes` are the numbers of earlier calls whose outputs it is given as they are; -1 for others.
    """

    name: str
    module: nn.Module
    number: int
    outputs: tuple[torch.Tensor, ...]
    inputs: tuple[torch.Tensor, ...]
    leaf: bool
    takes: tuple[int, ...]
    called: Site | None


@dataclass
class _Recorder:
    """Calls in the order in which they end."""

    files: UserLines | None
    keep: bool
    calls: list[LayerCall] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    running: list[list[int]] = field(default_factory=list)
    makers: dict[int, int] = field(default_factory=dict)
    held: list[torch.Tensor] = field(default_factory=list)
    size: int = 0

    def enter_call(self) -> None:
        self.running.append([])

    def leave_call(self, name: str, module: nn.Module, args: Any, kwargs: Any, out: Any) -> None:
        inner = self.running.pop() if self.running else []
        number = self.counts[name] = self.counts.get(name, 0) + 1
        given = [*find_tensors(args), *find_tensors([*kwargs.values()])]
        takes = tuple(self.makers.get(id(tensor), -1) for tensor in given)
        tensors = flatten_output(out)
        for tensor in tensors:
            if id(tensor) not in self.makers:
                self.makers[id(tensor)] = len(self.calls)
                self.held.append(tensor)  # an id may be another's once it is gone
        kept = self.keep and self.size < _MOST_BYTES
        copies = tuple(t.detach().clone() for t in tensors) if kept else ()
        kept = kept or isinstance(module, nn.Embedding)  # rows of its weight, small beside it
        taken = tuple(t.detach().clone() for t in given[:1]) if kept else ()
        self.size += sum(t.numel() * t.element_size() for t in (*copies, *taken))
        site = self.files.find_site(sys._getframe(2)) if self.files else None
        self.calls.append(LayerCall(name, module, number, copies, taken, not inner, takes, site))
        if self.running:
            self.running[-1].append(len(self.calls) - 1)


def record_calls(
    module: nn.Module,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    files: UserLines | None = None,
    keep: bool = True,
) -> list[LayerCall]:
    """Run a copy of a model in eval mode; what its layers gave, without numbers unless `keep`.

    Raises what the model raises.
    """
    recorder = _Recorder(files, keep)
    with copy_module(module) as copied, torch.no_grad():
        handles = []
        for name, part in copied.named_modules():
            if not name or isinstance(part, torch.jit.ScriptModule):
                continue

            def leave(part: Any, args: Any, kwargs: Any, out: Any, name: str = name) -> None:
                recorder.leave_call(name, part, args, kwargs, out)

            def enter(*_: Any) -> None:
                recorder.enter_call()

            handles.append(part.register_forward_pre_hook(enter))
            handles.append(part.register_forward_hook(leave, with_kwargs=True))
        try:
            copied(*arguments, **keywords)
        finally:
            for handle in handles:
                handle.remove()
    return recorder.calls
