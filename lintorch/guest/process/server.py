"""The worker's side: imports torch once, then does each requested piece of work in a forked child."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

from lintorch.guest.process import surroundings
from lintorch.guest.process.isolate import Ending, isolate_work
from lintorch.guest.process.streams import keep_private
from lintorch.machine import process_tree, work_folders
from lintorch.record.bounds import Bounds
from lintorch.record.messages import Message


def serve_requests(writable: Sequence[str]) -> None:
    """Answer requests, one JSON object a line, until there are no more; only the folders `writable` are written to.

    A request names a function as "module:name", its arguments, and its limits. The function is
    called with the arguments and `send`; what it sends comes back, then {"ending": {...}}.
    """
    requests = _take_private(0, "r")
    replies = _take_private(1, "w")

    def reply(message: Message) -> None:
        replies.write(json.dumps(message) + "\n")
        replies.flush()

    process_tree.adopt_orphans()
    work_folders.settle_in(os.getcwd())
    try:
        surroundings.prepare_worker(writable)
    except Exception as error:  # a broken torch may raise anything
        reply({"error": f"{type(error).__name__}: {error}"})
        return
    reply({"ready": surroundings.containment_in_words()})
    for line in requests:
        ending = relay_messages(_do_request(json.loads(line)), reply)
        reply({"ending": {"cause": ending.cause, "output": ending.output}})


def relay_messages(
    pieces: Generator[Message, None, Ending], send: Callable[[Message], None]
) -> Ending:
    """Send on everything that a piece of work yields; its ending."""
    while True:
        try:
            send(next(pieces))
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending


def _do_request(request: dict[str, Any]) -> Generator[Message, None, Ending]:
    for name in request["imports"]:
        with suppress(Exception):  # what cannot be had is missed where it is needed
            importlib.import_module(name)
    module, _, name = request["work"].partition(":")
    function = getattr(importlib.import_module(module), name)
    bounds = replace(Bounds.of(request["bounds"]), watched=request["folders"])
    return isolate_work(lambda send: function(send, **request["arguments"]), bounds)


def _take_private(descriptor: int, mode: str) -> IO[str]:
    """A private copy of standard input or output, whose place is taken by nothing or by stderr."""
    kept = keep_private(os.dup(descriptor))
    taken = os.open(os.devnull, os.O_RDONLY) if mode == "r" else os.dup(2)
    os.dup2(taken, descriptor)
    os.close(taken)
    return open(kept, mode, encoding="utf-8", closefd=True)
