"""The parent's side: one worker process of a chosen interpreter, with a temporary home, ended without a trace."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from lintorch.stopping import unbroken
from lintorch.worker import tree

_BOOT = Path(__file__).with_name("boot.py")
_ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS")
_INSIDE = ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "TORCH_HOME", "HF_HOME", "TMPDIR", "TMP")
_FIXED = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONIOENCODING": "utf-8",
}


class WorkerError(Exception):
    """The worker cannot work at all; the message is for the user."""


class Worker:
    """A process of `python` that has imported torch. Use as a context; leaving it ends everything."""

    def __init__(self, python: str = sys.executable, output: str = "") -> None:
        """`output` is a folder that work writes to, and that goes with the worker's own where all is killed."""
        self._python = python
        self._folder = tempfile.TemporaryDirectory(prefix="lintorch-", ignore_cleanup_errors=True)
        self._folders = [self._folder.name, *([output] if output else [])]
        self._process: subprocess.Popen[str] | None = None
        self._unwanted = False
        self.contained: Mapping[str, str] = {}
        """What holds work in on this machine: "network" and so on, in words."""

    def __enter__(self) -> Worker:
        try:
            with unbroken():
                self._process = self._start()
            if self._unwanted:
                self.kill()
            first = self._read()
            if "error" in first:
                raise WorkerError(_no_torch(self._python, first["error"]))
            self.contained = dict(first["contained"])
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def do(
        self,
        work: str,
        arguments: Mapping[str, Any],
        seconds: float,
        memory: int,
        imports: Sequence[str] = (),
        together: int = 0,
        disk: int = 0,
    ) -> Generator[dict[str, Any], None, dict[str, Any]]:
        """Call the function `work` ("module:name") over there; yield what it sends.

        The modules `imports` are loaded once, for this and all later work. The work may hold
        `memory` bytes, and `together` (else the same) with all that it starts; it may write
        `disk` bytes (0: as many as it likes).

        Returns {"cause": "" or why it was stopped, "output": the end of what it printed}.
        """
        request = {"work": work, "arguments": arguments, "seconds": seconds, "memory": memory}
        request |= {"imports": list(imports), "together": together}
        request |= {"disk": disk, "folders": self._folders}
        with suppress(BrokenPipeError):  # that it has ended, and why, is read below
            self._pipe("stdin").write(json.dumps(request) + "\n")
            self._pipe("stdin").flush()
        while "ending" not in (message := self._read()):
            if "allow" not in message:
                yield message
        ending: dict[str, Any] = message["ending"]
        return ending

    def close(self) -> None:
        """Kill the worker and all that runs below it, and remove its folder."""
        with unbroken():
            if (process := self._process) is not None:
                self.kill()
                process.wait()
                with suppress(BrokenPipeError):
                    self._pipe("stdin").close()
                self._pipe("stdout").close()
                self._process = None
            self._folder.cleanup()

    def kill(self) -> None:
        """Kill the worker and all that runs below it, at once or when it has started; from any thread."""
        self._unwanted = True
        if (process := self._process) is not None and process.returncode is None:
            tree.end(process.pid)

    def _start(self) -> subprocess.Popen[str]:
        with open(self._stderr, "w") as stderr:
            try:
                return subprocess.Popen(
                    [self._python, str(_BOOT), *self._folders],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    text=True,
                    encoding="utf-8",
                    cwd=self._folder.name,
                    env=environment(self._folder.name),
                    start_new_session=True,
                )
            except OSError as error:
                raise WorkerError(f"cannot start {self._python}: {error.strerror}") from error

    @property
    def _stderr(self) -> Path:
        return Path(self._folder.name, "worker-errors.txt")

    def _pipe(self, name: str) -> IO[str]:
        pipe: IO[str] = getattr(self._process, name)
        return pipe

    def _read(self) -> dict[str, Any]:
        line = self._pipe("stdout").readline()
        if not line:
            said = self._stderr.read_text(errors="replace").strip().splitlines()
            raise WorkerError(f"{self._python} ended: {said[-1] if said else 'no reason given'}")
        message: dict[str, Any] = json.loads(line)
        return message


def environment(folder: str) -> dict[str, str]:
    """This process's environment, with homes and caches in `folder` and nothing to reach outside."""
    base = {"PYTHONUSERBASE": site.getuserbase()}
    return (
        {**base, **os.environ, **_FIXED}
        | dict.fromkeys(_ONE_THREAD, "1")
        | dict.fromkeys(_INSIDE, folder)
        | {"TEMP": folder}
    )


def _no_torch(python: str, error: str) -> str:
    if "No module named 'torch'" in error:
        return f'{python} has no torch; install it there: pip install "lintorch[export]"'
    return f'{python} cannot import torch ({error}); try pip install "lintorch[export]" there'
