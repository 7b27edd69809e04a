"""The parent's side: one worker process of a chosen interpreter, with a temporary home, ended without a trace."""

from __future__ import annotations

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

from lintorch.machine import process_tree
from lintorch.machine.stopping import defer_signals
from lintorch.machine.work_folders import HOMES
from lintorch.record.bounds import Bounds
from lintorch.record.framing import MOST_BYTES, ImproperError, Parcel, read_line, write_line
from lintorch.record.messages import Ending, TimeNeeded, WorkerFailed, WorkerReady, WorkRequest

_BOOT = Path(__file__).parents[1] / "guest" / "process" / "boot.py"
_KEPT = 4096
"""Bytes of the end of what the worker printed: its last line, which says why it ended, is in them."""
_LONGEST = MOST_BYTES + 4096
"""Bytes of a line, at most; one that is cut is no message."""
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TVM_NUM_THREADS",
)
_FIXED = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",
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
        self._process: subprocess.Popen[bytes] | None = None
        self._unwanted = False
        self.contained: Mapping[str, str] = {}
        """What holds work in on this machine: "network" and so on, in words."""

    def __enter__(self) -> Worker:
        try:
            with defer_signals():
                self._process = self._start_process()
            if self._unwanted:
                self.kill_worker()
            first = self._read_message()
            if first.tag == WorkerFailed.tag:
                raise WorkerError(_no_torch(self._python, first.open_as(WorkerFailed).cause))
            self.contained = first.open_as(WorkerReady).contained
        except BaseException:
            self.end_worker()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end_worker()

    def do_work(
        self, work: str, arguments: Mapping[str, Any], bounds: Bounds, imports: Sequence[str] = ()
    ) -> Generator[Parcel, None, Ending]:
        """Call the function `work` ("module:name") over there, within bounds; yield what it sends.

        The modules `imports` are loaded once, for this and all later work. What comes into the
        worker's folders counts as written by the work.

        Returns how it ended. Raises WorkerError where the worker ends, or answers in a way that it
        does not.
        """
        imported, folders = tuple(imports), tuple(self._folders)
        self._write_line(write_line(WorkRequest(work, arguments, bounds, imported, folders)))
        while (parcel := self._read_message()).tag != Ending.tag:
            if parcel.tag != TimeNeeded.tag:
                yield parcel
        return parcel.open_as(Ending)

    def end_worker(self) -> None:
        """Kill the worker and all that runs below it, and remove its folder."""
        with defer_signals():
            if (process := self._process) is not None:
                self.kill_worker()
                process.wait()
                with suppress(BrokenPipeError):
                    self._get_pipe("stdin").close()
                self._get_pipe("stdout").close()
                self._process = None
            self._folder.cleanup()

    def kill_worker(self) -> None:
        """Kill the worker and all that runs below it, at once or when it has started; from any thread."""
        self._unwanted = True
        if (process := self._process) is not None and process.returncode is None:
            process_tree.end_tree(process.pid)

    def _start_process(self) -> subprocess.Popen[bytes]:
        with open(self._stderr_file, "w") as stderr:
            try:
                return subprocess.Popen(
                    [self._python, str(_BOOT), *self._folders],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=stderr,
                    cwd=self._folder.name,
                    env=make_environment(self._folder.name),
                    start_new_session=True,
                )
            except OSError as error:
                raise WorkerError(f"cannot start {self._python}: {error.strerror}") from error

    @property
    def _stderr_file(self) -> Path:
        return Path(self._folder.name, "worker-errors.txt")

    def _get_pipe(self, name: str) -> IO[bytes]:
        pipe: IO[bytes] = getattr(self._process, name)
        return pipe

    def _write_line(self, line: bytes) -> None:
        with suppress(OSError):  # that it has ended, and why, is read from it
            self._get_pipe("stdin").write(line)
            self._get_pipe("stdin").flush()

    def _read_message(self) -> Parcel:
        line = self._get_pipe("stdout").readline(_LONGEST)
        if not line:
            said = self._end_of_stderr().splitlines()
            raise WorkerError(f"{self._python} ended: {said[-1] if said else 'no reason given'}")
        try:
            return read_line(line)
        except ImproperError as improper:
            raise WorkerError(f"{self._python} sent no message: {improper}") from improper

    def _end_of_stderr(self) -> str:
        """The end of what the worker printed."""
        with suppress(OSError), open(self._stderr_file, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _KEPT))
            return file.read(_KEPT).decode(errors="replace").strip()
        return ""


def make_environment(folder: str) -> dict[str, str]:
    """This process's environment, with homes and caches in `folder` and nothing to reach outside."""
    base = {"PYTHONUSERBASE": site.getuserbase()}
    return (
        {**base, **os.environ, **_FIXED}
        | dict.fromkeys(_ONE_THREAD, "1")
        | dict.fromkeys(HOMES, folder)
    )


_INSTALL = "pip install torch onnx onnxscript onnxruntime"
"""What lintorch's own extra brings along, by names that every index has."""


def _no_torch(python: str, error: str) -> str:
    if "No module named 'torch'" in error:
        return f"{python} has no torch; install it there: {_INSTALL}"
    return f"{python} cannot import torch ({error}); try {_INSTALL} there"
