"""The worker's side: imports torch once, then does each requested piece of work in a forked child."""

from __future__ import annotations

import gc
import importlib
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO

from lintorch.guest.process import surroundings
from lintorch.guest.process.isolate import isolate_work
from lintorch.guest.process.streams import keep_private
from lintorch.machine import process_tree, work_folders
from lintorch.record.framing import Message, Parcel, read_line, write_line
from lintorch.record.messages import Ending, WorkerFailed, WorkerReady, WorkRequest


def serve_requests(writable: Sequence[str]) -> None:
    """Answer each `WorkRequest` until there are no more; only the folders `writable` are written to.

    The function that a request names is called with `send` and the arguments; what it sends comes
    back, then an `Ending`.
    """
    requests = _take_private(0, "rb")
    replies = _take_private(1, "wb")

    def reply(message: Message | Parcel) -> None:
        replies.write(write_line(message))
        replies.flush()

    process_tree.adopt_orphans()
    work_folders.settle_in(os.getcwd())
    try:
        surroundings.prepare_worker(writable)
    except Exception as error:  # a broken torch may raise anything
        reply(WorkerFailed(f"{type(error).__name__}: {error}"))
        return
    reply(WorkerReady(surroundings.containment_in_words()))
    for line in requests:
        reply(relay_messages(_do_request(read_line(line).open_as(WorkRequest)), reply))


def relay_messages(
    pieces: Generator[Parcel, None, Ending], send: Callable[[Parcel], None]
) -> Ending:
    """Send on everything that a piece of work yields; its ending."""
    while True:
        try:
            send(next(pieces))
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending


def _do_request(request: WorkRequest) -> Generator[Parcel, None, Ending]:
    for name in request.imports:
        with suppress(Exception):  # what cannot be had is missed where it is needed
            importlib.import_module(name)
    module, _, name = request.function.partition(":")
    function = getattr(importlib.import_module(module), name)
    surroundings.note_loaded()
    gc.freeze()  # a collection in a child would copy all that it looks at
    bounds = replace(request.bounds, watched=request.folders)
    return isolate_work(lambda send: function(send, **request.arguments), bounds)


def _take_private(descriptor: int, mode: str) -> IO[bytes]:
    """A private copy of standard input or output, whose place is taken by nothing or by stderr."""
    kept = keep_private(os.dup(descriptor))
    taken = os.open(os.devnull, os.O_RDONLY) if mode == "rb" else os.dup(2)
    os.dup2(taken, descriptor)
    os.close(taken)
    return open(kept, mode, closefd=True)
