"""Pieces of work side by side, as many as memory has room for; their results in the order they were given."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field

from torch import nn

from lintorch.guest.export.module_state import tensors_of
from lintorch.guest.model_work import Options
from lintorch.guest.process.isolate import Ending, Send, ticking
from lintorch.machine.free_memory import free
from lintorch.record.messages import Message

_COPIES = 5
"""How many times its weights an export holds at its height (of 100 M: 4.5 in onnx, 3.0 in TorchScript)."""
_BASE = 2**30
_KINDS = ("outcome", "part", "script", "unwritten")


@dataclass
class Piece:
    """One piece of work: what it sent, and how it ended once it has."""

    work: Callable[[Send], None]
    sent: list[Message] = field(default_factory=list)
    ending: Ending | None = None
    seconds: float = 0.0


def room(options: Options, module: nn.Module) -> int:
    """How many exports of a module fit beside each other into the memory that is free."""
    sizes = (value.numel() * value.element_size() for _, value in tensors_of(module))
    weights = sum(map(int, sizes))
    return max(1, min(options.jobs, free() // (_BASE + _COPIES * weights)))


def abreast(
    works: Sequence[Callable[[Send], None]],
    options: Options,
    at_once: int,
    begins: Callable[[int], None],
) -> Iterator[Piece]:
    """Do each in a child of its own, at most so many at once; `begins` is told which begins."""
    pieces = [Piece(work) for work in works]
    beside: set[int] = set()
    running: dict[int, Generator[Message | None, None, Ending]] = {}
    started: dict[int, float] = {}
    begun = 0
    for number, piece in enumerate(pieces):
        while piece.ending is None:
            while begun < len(pieces) and len(running) < at_once:
                begins(begun)
                started[begun] = time.monotonic()
                bounds = options.of_trial(*_KINDS)
                running[begun] = ticking(pieces[begun].work, bounds, beside)
                begun += 1
            for active in list(running):
                if _ended(pieces[active], running[active]):
                    pieces[active].seconds = time.monotonic() - started[active]
                    del running[active]
        yield pieces[number]


def _ended(piece: Piece, running: Generator[Message | None, None, Ending]) -> bool:
    """Take what there is; whether that was all."""
    try:
        message = next(running)
    except StopIteration as stop:
        piece.ending = stop.value
        return True
    if message is not None:
        piece.sent.append(message)
    return False
