"""Which tensors are views of which, and through what: one storage under several names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, ref

import torch
from torch.utils.weak import WeakIdKeyDictionary

INDEX = "__getitem__"
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


@dataclass(frozen=True)
class _View:
    """How and of what a tensor was made as a view, and as the how-manieth."""

    short: str
    source: ReferenceType[torch.Tensor]
    number: int


class ViewHistory:
    """The views made in one run, in order."""

    def __init__(self) -> None:
        self._made: Any = WeakIdKeyDictionary()
        self._number = 0

    def next_number(self) -> int:
        """A number above those of the views made so far, and below those to come."""
        self._number += 1
        return self._number

    def add_views(self, name: str, source: torch.Tensor, out: Any) -> None:
        """An operator gave `out` of a tensor."""
        short = name.rpartition(".")[2]
        if short not in _VIEWS and short != INDEX:
            return
        how = name.split(".")[-2] if short == "__get__" else short
        for view in out if isinstance(out, (tuple, list)) else (out,):
            if (
                isinstance(view, torch.Tensor)
                and view is not source
                and storage_id(view) == storage_id(source)
            ):
                self._made[view] = _View(how, ref(source), self.next_number())

    def find_views_behind(
        self, tensor: torch.Tensor | None
    ) -> tuple[tuple[str, ...], tuple[ReferenceType[torch.Tensor], ...]]:
        """The views that lead to a tensor, the last one first; and what they, not an index, are views of."""
        through: list[str] = []
        bases: list[ReferenceType[torch.Tensor]] = []
        while tensor is not None and (view := self._made.get(tensor)) is not None:
            tensor = view.source()
            if view.short != INDEX:
                through.append(view.short)
            if through and tensor is not None:
                bases.append(view.source)
        return tuple(through), tuple(bases)

    def comes_of(self, tensor: torch.Tensor, origin: torch.Tensor | None, since: int) -> bool:
        """Whether a tensor is another one, or a view of it made since."""
        while tensor is not origin:
            view = self._made.get(tensor)
            source = view.source() if view is not None and view.number > since else None
            if source is None:
                return False
            tensor = source
        return True


def storage_id(tensor: torch.Tensor) -> int:
    """A number for the storage, also of tensors without values; one of its own where there is none."""
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):  # sparse tensors
        return -id(tensor)
