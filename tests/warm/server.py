"""A process that has imported what runs need, and forks for each: to start anew takes seconds.

`server.py DESCRIPTOR PREPARATION` takes connections from a socket that listens, until its standard
input is closed, and is prepared when the first one comes. A fork goes on as `python ARGUMENTS`
would, in the folder and with the environment of who asked for it.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BECOMES_PARENT_OF_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of <linux/prctl.h>."""
_MODULES = (
    *("torch", "torch._dynamo", "torch.export._trace", "torch.fx.experimental.symbolic_shapes"),
    *("onnx", "onnxscript", "torch.onnx._internal.exporter._core"),
    *("torch.onnx._internal.exporter._torchlib.ops", "onnxscript.function_libs.torch_lib.ops"),
    *("onnxscript.rewriter.onnx_fusions", "sympy.tensor.tensor"),
)
"""None of them starts a thread, which a fork would lack: onnxruntime does, so each fork imports it."""


@dataclass(frozen=True)
class Asked:
    """What a fork is to do."""

    arguments: list[str]
    folder: str
    environment: dict[str, str]


def prepare_models() -> None:
    """Import what models are run and exported with, as far as it is there, and export one.

    What exporters make at their first call, as the table of operators, each fork would make again.
    """
    for name in _MODULES:
        with suppress(ImportError):
            importlib.import_module(name)
    with suppress(ImportError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = importlib.import_module("torch")
        given: dict[str, Any] = {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},)}
        torch.onnx.export(
            torch.nn.ReLU(), (torch.zeros(2, 3),), verbose=False, dynamo=True, **given
        )


def prepare_commands() -> None:
    """Check a file, so that the parser and all rules are loaded."""
    from lintorch.cli import main

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "net.py")
        file.write_text("import torch\n\nx = torch.zeros(3)\n")
        with suppress(SystemExit):
            main(["check", str(file)], standalone_mode=False)


PREPARATIONS: dict[str, Callable[[], None]] = {
    "models": prepare_models,
    "commands": prepare_commands,
}


def wait_until_alone() -> None:
    """Return when no other thread is left: one that has ended is listed a little longer."""
    deadline = time.monotonic() + 10
    while threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1:
        assert time.monotonic() < deadline, threading.enumerate()
        os.sched_yield()


def serve(listener: socket.socket, prepare: Callable[[], None]) -> Asked:
    """Return in one fork for each connection; in this process, never."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forks
    prepared = False
    while True:
        if 0 in select.select([listener.fileno(), 0], [], [])[0]:
            os._exit(0)
        if not prepared:
            prepare()
            wait_until_alone()
            gc.freeze()
            prepared = True
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            return attend(connection)
        connection.close()


def attend(connection: socket.socket) -> Asked:
    """Return in a fork, and tell how it ended; kill it where nobody waits for it any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    ctypes.CDLL(None).prctl(_BECOMES_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    asked, streams = receive(connection)
    child = os.fork()
    if child == 0:
        connection.close()
        os.setsid()
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        return asked
    for stream in streams:
        os.close(stream)
    with suppress(BrokenPipeError):
        wait_for(child, connection)
    os._exit(0)


def receive(connection: socket.socket) -> tuple[Asked, list[int]]:
    first, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as rest:
        return Asked(**json.loads(rest.read(int.from_bytes(first, "big")))), streams


def wait_for(child: int, connection: socket.socket) -> None:
    """Tell the exit status of a child; or kill all, where the connection is closed before."""
    ended = os.pidfd_open(child)
    if ended in select.select([ended, connection.fileno()], [], [])[0]:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.send(bytes([status if status >= 0 else 128 - status]))
        return
    below = Path(f"/proc/self/task/{os.getpid()}/children")
    while children := below.read_text().split():
        for each in map(int, children):
            os.kill(each, signal.SIGKILL)
            os.waitpid(each, 0)


def go_on(asked: Asked, path: list[str]) -> None:
    """What an interpreter that is started anew does with its arguments; `path` is its sys.path."""
    os.chdir(asked.folder)
    os.environ.clear()
    os.environ.update(asked.environment)
    tempfile.tempdir = None
    named = [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]
    program, *rest = asked.arguments
    if program == "-m":
        sys.path[:] = [asked.folder, *named, *path]
        sys.argv[:] = rest
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif program.startswith("-"):
        os.execv(sys.executable, [sys.executable, *asked.arguments])
    else:
        sys.path[:] = [str(Path(program).resolve().parent), *named, *path]
        sys.argv[:] = asked.arguments
        runpy.run_path(program, run_name="__main__")


def main() -> None:
    path = [entry for entry in sys.path[1:] if entry != os.environ.get("PYTHONPATH")]
    listener = socket.socket(fileno=int(sys.argv[1]))
    go_on(serve(listener, PREPARATIONS[sys.argv[2]]), path)


if __name__ == "__main__":
    main()
