"""Writes that reach further than their line: to an argument of the model, or to memory that other tensors show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch import nn

from lintorch.guest.watch.tensor_views import ViewHistory, storage_id
from lintorch.record.events import InputWrite, OperatorCall, RunEvent, SharedWrite, ViewWrite
from lintorch.record.sites import Site

_REFUSED = frozenset(["data", "diagonal"])
"""A write through these is no exporter's to follow, whoever reads it."""


@dataclass(frozen=True)
class _Pending:
    """A write through a view that matters if one of `bases` is read later."""

    event: ViewWrite
    bases: tuple[ReferenceType[torch.Tensor], ...]


@dataclass(frozen=True, eq=False)
class _Write:
    """A write, and the tensor under whose name it was made."""

    call: OperatorCall
    target: ReferenceType[torch.Tensor]
    number: int


class WriteWatch:
    """Follows views and in-place operators through one run."""

    def __init__(self, arguments: Iterable[torch.Tensor]) -> None:
        self._arguments = set(map(storage_id, arguments))
        self._views = ViewHistory()
        self._pending: list[_Pending] = []
        self._written: dict[int, list[_Write]] = defaultdict(list)
        self._told: set[Site] = set()

    def find_shown_writes(
        self, short: str, tensors: list[torch.Tensor]
    ) -> Iterator[ViewWrite | SharedWrite]:
        """The events of earlier writes that these tensors now show."""
        if self._written and not short.endswith("_like") and not short.startswith("new_"):
            for tensor in tensors[:1] if short.endswith("_as") else tensors:  # only shapes are read
                yield from self._shown(tensor)

    def follow_call(
        self, call: OperatorCall, tensors: list[torch.Tensor], out: Any
    ) -> Iterator[RunEvent]:
        """Take note of one operator; yield `InputWrite`, and `SharedWrite` of what is hidden."""
        if not tensors:
            return
        if call.is_write:
            yield from self._write(tensors[0], call)
        else:
            self._views.add_views(call.name, tensors[0], out)

    def find_late_writes(
        self, module: nn.Module, output: list[torch.Tensor]
    ) -> Iterator[ViewWrite | SharedWrite]:
        """The same events for what the model gives back, and for what it keeps until the next call."""
        yield from self.find_shown_writes("", output)
        for place in set(map(storage_id, _kept(module))) & self._written.keys():
            yield from self._share(place, self._written[place])

    def _shown(self, tensor: torch.Tensor) -> Iterator[ViewWrite | SharedWrite]:
        for pending in [p for p in self._pending if any(b() is tensor for b in p.bases)]:
            self._pending.remove(pending)
            yield pending.event
        if type(tensor) is nn.Parameter:
            return  # written or not, the model keeps it
        place = storage_id(tensor)
        if written := self._written.get(place):
            views = self._views
            stale = [w for w in written if not views.comes_of(tensor, w.target(), w.number)]
            yield from self._share(place, stale)

    def _share(self, place: int, writes: list[_Write]) -> Iterator[SharedWrite]:
        self._written[place] = [w for w in self._written[place] if w not in writes]
        for write in writes:
            call = write.call
            if call.site not in self._told:
                self._told.add(call.site)
                yield SharedWrite(*_place(call), inputs=call.inputs)

    def _write(self, target: torch.Tensor, call: OperatorCall) -> Iterator[RunEvent]:
        place = storage_id(target)
        if place in self._arguments:
            yield InputWrite(*_place(call), inputs=call.inputs)
        through, bases = self._views.find_views_behind(target)
        write = _Write(call, ref(target), self._views.next_number())
        if call.site not in self._told:
            self._written[place].append(write)
        if not _REFUSED.isdisjoint(through):
            yield from self._share(place, [write])
        if bases:
            found = ViewWrite(*_place(call), inputs=call.inputs, through=through)
            alive = [p for p in self._pending if any(base() is not None for base in p.bases)]
            self._pending = [*alive, _Pending(found, bases)]


def _kept(module: nn.Module) -> Iterator[torch.Tensor]:
    """The tensors that a model holds."""
    yield from chain(module.parameters(), module.buffers())
    for part in nn.Module.modules(module):
        for value in vars(part).values():
            each = value.values() if isinstance(value, dict) else value
            several = isinstance(value, (tuple, list, dict))
            yield from (t for t in (each if several else (each,)) if isinstance(t, torch.Tensor))


def _place(call: OperatorCall) -> tuple[Site, str, str, Site | None]:
    """Where an operator ran, as other events at that place say it."""
    return call.site, call.layer, call.layer_class, call.built
