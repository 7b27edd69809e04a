"""Pieces of work side by side, as many as memory has room for; their results in the order they were given."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from torch import nn

from lintorch.guest.export.module_state import list_tensors
from lintorch.guest.process.isolate import Send, isolate_in_ticks
from lintorch.machine.free_memory import free_bytes
from lintorch.record.framing import Parcel
from lintorch.record.messages import Ending
from lintorch.record.model_options import ModelLimits
from lintorch.record.work_bounds import bound_trial

_COPIES_OF_WEIGHTS = 5
"""How many times its weights an export holds at its height (of 100 M: 4.5 in onnx, 3.0 in TorchScript)."""
_BASE_BYTES = 2**30
"""What an export may take beside its weights: with torch and onnx loaded, a small one has taken 0.4 GiB."""


@dataclass
class ChildWork:
    """One piece of work: what it sent, and how it ended once it has."""

    work: Callable[[Send], None]
    sent: list[Parcel] = field(default_factory=list)
    ending: Ending | None = None
    seconds: float = 0.0


def count_room(processes: int, module: nn.Module) -> int:
    """How many exports of a module, of so many, fit beside each other into the memory that is free."""
    sizes = (value.numel() * value.element_size() for _, value in list_tensors(module))
    weights = sum(map(int, sizes))
    return max(1, min(processes, free_bytes() // (_BASE_BYTES + _COPIES_OF_WEIGHTS * weights)))


def run_side_by_side(
    works: Sequence[Callable[[Send], None]],
    limits: ModelLimits,
    at_once: int,
    announce: Callable[[int], None],
) -> Iterator[ChildWork]:
    """Do each in a child of its own, at most so many at once; `announce` is told the number of each that begins."""
    pieces = [ChildWork(work) for work in works]
    beside: set[int] = set()
    running: dict[int, Generator[Parcel | None, None, Ending]] = {}
    started: dict[int, float] = {}
    begun = 0
    for number, piece in enumerate(pieces):
        while piece.ending is None:
            while begun < len(pieces) and len(running) < at_once:
                announce(begun)
                started[begun] = time.monotonic()
                bounds = bound_trial(limits)
                running[begun] = isolate_in_ticks(pieces[begun].work, bounds, beside)
                begun += 1
            for active in list(running):
                if _take_message(pieces[active], running[active]):
                    pieces[active].seconds = time.monotonic() - started[active]
                    del running[active]
        yield pieces[number]


def _take_message(piece: ChildWork, running: Generator[Parcel | None, None, Ending]) -> bool:
    """Take what there is; whether that was all."""
    try:
        parcel = next(running)
    except StopIteration as stop:
        piece.ending = stop.value
        return True
    if parcel is not None:
        piece.sent.append(parcel)
    return False
