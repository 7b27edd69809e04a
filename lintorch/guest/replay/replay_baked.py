"""Whether what leaves the graph on a line depends on the input and reaches the output.

The model runs on other values, while one line sees again what it saw with the first: as a tracer
does that keeps the numbers of its example.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from lintorch.guest.export.compare_numbers import find_difference
from lintorch.guest.replay.run_again import OTHER, Replay, describe_difference
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.events import BakedKind, BakedValue, RunEvent, TensorUse
from lintorch.record.sites import Site

_KINDS = {
    torch.Tensor.data.__get__: BakedKind.DATA,
    torch.Tensor.__array__: BakedKind.ARRAY,
    torch.autograd.grad: BakedKind.GRADIENT,
}
_READS = (
    "torch.Tensor.data.__get__",
    "torch.autograd.grad",
    TensorUse.NUMPY,
    TensorUse.ARRAY,
)
_MOST_LINES = 6
Seen = list[Any]


def replay_baked_values(replay: Replay, events: Sequence[RunEvent]) -> Iterator[BakedValue]:
    """One event per line and kind that so gives another output."""
    sites = list(dict.fromkeys(event.site for event in events if event.key in _READS))
    if not sites:
        return
    watch = _Swap(replay.subject.files)
    replay.run_model(partial(_within, watch))
    other = replay.run_model(values=OTHER)
    for site in sites[:_MOST_LINES]:
        for kind in _KINDS.values():
            seen = watch.seen.get((site, kind), [])
            if not seen or any(map(_was_written, seen)):
                continue
            swap = _Swap(replay.subject.files, {(site, kind): seen})
            outputs = replay.run_model(partial(_within, swap), OTHER)
            if swap.fits and (found := find_difference(other, outputs)):
                yield BakedValue(site, what=kind, change=describe_difference(found))


class _Swap(TorchFunctionMode):  # type: ignore[misc]
    """Notes what some functions gave, by line; where `given` has it, gives that instead."""

    def __init__(
        self, files: UserLines, given: Mapping[tuple[Site, BakedKind], Seen] | None = None
    ) -> None:
        super().__init__()
        self.seen: dict[tuple[Site, BakedKind], Seen] = {}
        self.fits = True
        self._files = files
        self._given = {key: iter(values) for key, values in (given or {}).items()}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        kind = _KINDS.get(func) if getattr(func, "__hash__", None) else None
        site = self._files.find_site(sys._getframe(1)) if kind else None
        if kind is None or site is None:
            return out
        self.seen.setdefault((site, kind), []).append(out)
        if (site, kind) not in self._given:
            return out
        instead = next(self._given[site, kind], None)
        self.fits = self.fits and _shapes(instead) == _shapes(out)
        return instead if self.fits else out


@contextmanager
def _within(swap: _Swap, module: nn.Module) -> Iterator[None]:
    with swap:
        yield


def _was_written(value: Any) -> bool:
    """Whether something was written through `.data`: that is no number that is read."""
    return isinstance(value, torch.Tensor) and value._version > 0


def _shapes(value: Any) -> Any:
    return tuple(map(_shapes, value)) if isinstance(value, tuple) else getattr(value, "shape", None)
