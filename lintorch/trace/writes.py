"""Writes that reach further than their line: to an argument of the model, or to memory that other tensors show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch import nn
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.trace.record import Event, Site

_VIEWS = frozenset(
    [
        "view",
        "view_as",
        "reshape",
        "reshape_as",
        "flatten",
        "unflatten",
        "transpose",
        "swapaxes",
        "swapdims",
        "permute",
        "movedim",
        "moveaxis",
        "chunk",
        "split",
        "tensor_split",
        "hsplit",
        "vsplit",
        "unbind",
        "squeeze",
        "unsqueeze",
        "expand",
        "expand_as",
        "t",
        "__get__",
        "ravel",
        "diagonal",
        "unfold",
        "as_strided",
        "detach",
        "narrow",
        "select",
        "broadcast_to",
    ]
)

_REFUSED = frozenset(["data", "diagonal"])
"""A write through these is no exporter's to follow, whoever reads it."""


@dataclass(frozen=True)
class _Pending:
    """A write through a view that matters if one of `bases` is read later."""

    event: Event
    bases: tuple[ReferenceType[torch.Tensor], ...]


@dataclass(frozen=True)
class _View:
    """How and of what a tensor was made as a view, and as the how-manieth."""

    short: str
    source: ReferenceType[torch.Tensor]
    number: int


@dataclass(frozen=True, eq=False)
class _Write:
    """A write, and the tensor under whose name it was made."""

    event: Event
    target: ReferenceType[torch.Tensor]
    number: int


class Writes:
    """Follows views and in-place operators through one run."""

    def __init__(self, arguments: Iterable[torch.Tensor]) -> None:
        self._arguments = set(map(_memory, arguments))
        self._views: Any = WeakIdKeyDictionary()
        self._pending: list[_Pending] = []
        self._written: dict[int, list[_Write]] = defaultdict(list)
        self._told: set[Site] = set()
        self._number = 0

    def reads(self, short: str, tensors: list[torch.Tensor]) -> Iterator[Event]:
        """The `inplace.view` and `inplace.shared` events of earlier writes that these tensors now show."""
        if self._written and not short.endswith("_like") and not short.startswith("new_"):
            for tensor in tensors[:1] if short.endswith("_as") else tensors:  # only shapes are read
                yield from self._shown(tensor)

    def after(
        self, short: str, event: Event, tensors: list[torch.Tensor], out: Any
    ) -> Iterator[Event]:
        """Take note of one operator (its name without its class); yield `inplace.input`."""
        if not tensors:
            return
        self._number += 1
        if _writes(short, event):
            yield from self._write(tensors[0], event)
        elif short in _VIEWS or short == "__getitem__":
            name = event.name.split(".")[-2] if short == "__get__" else short
            for view in out if isinstance(out, (tuple, list)) else (out,):
                if (
                    isinstance(view, torch.Tensor)
                    and view is not tensors[0]
                    and _memory(view) == _memory(tensors[0])
                ):
                    self._views[view] = _View(name, ref(tensors[0]), self._number)

    def ended(self, module: nn.Module, output: list[torch.Tensor]) -> Iterator[Event]:
        """The same events for what the model gives back, and for what it keeps until the next call."""
        yield from self.reads("", output)
        for memory in set(map(_memory, _kept(module))) & self._written.keys():
            yield from self._share(memory, self._written[memory])

    def _shown(self, tensor: torch.Tensor) -> Iterator[Event]:
        for pending in [p for p in self._pending if any(b() is tensor for b in p.bases)]:
            self._pending.remove(pending)
            yield pending.event
        memory = _memory(tensor)
        if memory in self._written:
            stale = [w for w in self._written[memory] if not self._comes_of(tensor, w)]
            yield from self._share(memory, stale)

    def _share(self, memory: int, writes: list[_Write]) -> Iterator[Event]:
        self._written[memory] = [w for w in self._written[memory] if w not in writes]
        for write in writes:
            if write.event.site not in self._told:
                self._told.add(write.event.site)
                yield _renamed(write.event, "inplace.shared")

    def _comes_of(self, tensor: torch.Tensor, write: _Write) -> bool:
        """Whether a tensor is the one that was written to, or a view of it made since."""
        target = write.target()
        while tensor is not target:
            view = self._views.get(tensor)
            source = view.source() if view is not None and view.number > write.number else None
            if source is None:
                return False
            tensor = source
        return True

    def _write(self, target: torch.Tensor, event: Event) -> Iterator[Event]:
        memory = _memory(target)
        if memory in self._arguments:
            yield _renamed(event, "inplace.input")
        through, bases = self._followed(target)
        write = _Write(event, ref(target), self._number)
        if event.site not in self._told:
            self._written[memory].append(write)
        if not _REFUSED.isdisjoint(through):
            yield from self._share(memory, [write])
        if bases:
            found = replace(_renamed(event, "inplace.view"), args={"through": through})
            self._pending.append(_Pending(found, bases))

    def _followed(
        self, tensor: torch.Tensor | None
    ) -> tuple[tuple[str, ...], tuple[ReferenceType[torch.Tensor], ...]]:
        """The views that lead to a tensor, the last one first; and what they, not an index, are views of."""
        through: list[str] = []
        bases: list[ReferenceType[torch.Tensor]] = []
        while tensor is not None and (view := self._views.get(tensor)) is not None:
            tensor = view.source()
            if view.short != "__getitem__":
                through.append(view.short)
            if through and tensor is not None:
                bases.append(view.source)
        return tuple(through), tuple(bases)


def _writes(short: str, event: Event) -> bool:
    if short == "__setitem__" or event.args.get("inplace") is True:
        return True
    return short.endswith("_") and not short.endswith("__")


def _memory(tensor: torch.Tensor) -> int:
    """A number for the storage, also of tensors without values; one of its own where there is none."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # sparse tensors
        return -id(tensor)


def _kept(module: nn.Module) -> Iterator[torch.Tensor]:
    """The tensors that a model holds."""
    yield from chain(module.parameters(), module.buffers())
    for part in module.modules():
        for value in vars(part).values():
            each = value.values() if isinstance(value, dict) else value
            several = isinstance(value, (tuple, list, dict))
            yield from (t for t in (each if several else (each,)) if isinstance(t, torch.Tensor))


def _renamed(event: Event, name: str) -> Event:
    return Event(name, event.site, event.layer, event.layer_class, event.built, event.inputs)
