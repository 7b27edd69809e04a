"""Runs of lintorch whose processes are watched, and that signals are sent to."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from running import CHECKOUT

PATIENCE = 600
"""Seconds that a process which will end may take, on a machine that has much else to do."""


class Run:
    """lintorch at work in a folder, with a temporary folder that its processes can be told by."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        stdout: int | IO[str] = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        preexec_fn: Callable[[], None] | None = None,
    ) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir(exist_ok=True)
        self.mark = f"LINTORCH_RUN={folder}"
        environment = {"PYTHONPATH": str(CHECKOUT), "TMPDIR": str(self.temporary)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lintorch", *arguments],
            cwd=folder,
            env={**os.environ, **environment, "LINTORCH_RUN": str(folder)},
            text=True,
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            preexec_fn=preexec_fn or hear,
        )

    def others(self) -> list[str]:
        """The command lines of its living processes but the first, by the environment they were started with."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                marked = self.mark.encode() in (folder / "environ").read_bytes().split(b"\0")
                if marked and int(folder.name) != self.process.pid:
                    found.append((folder / "cmdline").read_text().replace("\0", " ").strip())
            except OSError:
                continue
        return found

    def until(self, ready: Callable[[], object]) -> None:
        wait_for(lambda: ready() or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()

    def end(self, number: int) -> tuple[int, str, str]:
        """Send a signal; the exit status, and what was printed, once no process is left."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        wait_for(lambda: not self.others())
        return self.process.returncode, out, err


def hear() -> None:
    """A run that is started in the background ignores some, and so does all that it starts."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def wait_for(ready: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not ready():
        assert time.monotonic() < deadline
        signal.sigtimedwait([], 0.02)


def listens(process: subprocess.Popen[str], number: int) -> bool:
    """Whether a process has a handler for a signal."""
    caught = Path(f"/proc/{process.pid}/status").read_text().partition("SigCgt:\t")[2]
    return bool(int(caught.split()[0], 16) >> (number - 1) & 1)
