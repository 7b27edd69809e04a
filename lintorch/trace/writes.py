"""Writes that reach further than their line: to an argument of the model, or through a view of a tensor read later."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch.utils.weak import WeakIdKeyDictionary

from lintorch.trace.record import Event

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
        "data",
        "detach",
        "ravel",
        "diagonal",
        "unfold",
        "as_strided",
    ]
)


@dataclass(frozen=True)
class _Pending:
    """A write through a view that matters if one of `bases` is read later."""

    event: Event
    bases: tuple[ReferenceType[torch.Tensor], ...]


class Writes:
    """Follows views and in-place operators through one run."""

    def __init__(self, arguments: Iterable[torch.Tensor]) -> None:
        self._arguments = {tensor.untyped_storage().data_ptr() for tensor in arguments}
        self._sources: Any = WeakIdKeyDictionary()
        self._pending: list[_Pending] = []

    def reads(self, tensors: Iterable[torch.Tensor]) -> Iterator[Event]:
        """The `inplace.view` events of earlier writes that these tensors now show."""
        if not self._pending:
            return
        for tensor in tensors:
            for pending in [p for p in self._pending if any(b() is tensor for b in p.bases)]:
                self._pending.remove(pending)
                yield pending.event

    def after(
        self, short: str, event: Event, tensors: list[torch.Tensor], out: Any
    ) -> Iterator[Event]:
        """Take note of one operator (its name without its class); yield `inplace.input`."""
        if not tensors:
            return
        if is_write(short, event):
            yield from self._written(tensors[0], event)
        elif short in _VIEWS or short == "__getitem__":
            for view in out if isinstance(out, (tuple, list)) else (out,):
                if (
                    isinstance(view, torch.Tensor)
                    and view is not tensors[0]
                    and _shares(view, tensors[0])
                ):
                    self._sources[view] = (short, ref(tensors[0]))

    def _written(self, target: torch.Tensor, event: Event) -> Iterator[Event]:
        if target.untyped_storage().data_ptr() in self._arguments:
            yield _renamed(event, "inplace.input")
        bases, views, tensor = [], [], target
        while tensor in self._sources:
            short, source = self._sources[tensor]
            views += [short] if short != "__getitem__" else []
            tensor = source()
            if tensor is None:
                break
            bases.append(source)
        if views and bases:
            written = replace(_renamed(event, "inplace.view"), value=tuple(views))
            self._pending.append(_Pending(written, tuple(bases)))


def is_write(short: str, event: Event) -> bool:
    if short == "__setitem__" or event.args.get("inplace") is True:
        return True
    return short.endswith("_") and not short.endswith("__")


def _shares(view: torch.Tensor, base: torch.Tensor) -> bool:
    return bool(view.untyped_storage().data_ptr() == base.untyped_storage().data_ptr())


def _renamed(event: Event, name: str) -> Event:
    return Event(name, event.site, event.layer, event.layer_class, event.built, event.inputs)
