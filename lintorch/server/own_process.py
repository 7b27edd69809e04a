"""A process of the server's own: what is slow, or may crash, is done there and not in the server."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress

from lintorch.run.request import CheckRequest
from lintorch.server.work import Answer, Step, send

_SECONDS_TO_END = 10
_PROGRAM = """import sys
sys.path[:] = {path!r}
from lintorch.server.work import do_jobs
do_jobs()
"""
"""The path is set before anything is imported: in the working directory lies what is checked."""


class ProcessLost(Exception):
    """The process died or was ended while it worked."""


class OwnProcess:
    """Does one job at a time; another process takes the place of one that has died."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = asyncio.Lock()

    async def ask(
        self,
        job: object,
        is_wanted: Callable[[], bool] = lambda: True,
        tell: Callable[[str], None] = lambda line: None,
    ) -> Answer | None:
        """The answer; None where the job was not wanted any more when its turn came.

        Raises ProcessLost. A caller that is cancelled leaves the job to end by itself.
        """
        return await asyncio.shield(asyncio.ensure_future(self._wait_turn(job, is_wanted, tell)))

    async def _wait_turn(
        self, job: object, is_wanted: Callable[[], bool], tell: Callable[[str], None]
    ) -> Answer | None:
        async with self._lock:
            if not is_wanted():
                return None
            loop = asyncio.get_running_loop()

            def step(line: str) -> None:
                loop.call_soon_threadsafe(tell, line)

            try:
                return await asyncio.to_thread(self._ask, job, step)
            except (EOFError, OSError, pickle.UnpicklingError) as error:
                self.end()
                raise ProcessLost("lintorch's own process was lost") from error

    def _ask(self, job: object, tell: Callable[[str], None]) -> Answer:
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        send(job, process.stdin)
        while True:
            message = pickle.load(process.stdout)
            if isinstance(message, Answer):
                return message
            assert isinstance(message, Step)
            tell(message.line)

    def _start(self) -> subprocess.Popen[bytes]:
        program = _PROGRAM.format(path=[each for each in sys.path if each])
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin is not None
        self._process = process
        send(self._request, process.stdin)
        return process

    def end(self) -> None:
        """Ask the process to end, which takes with it what it has started; another one comes when asked."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()

    def end_and_wait(self) -> None:
        """End the process and wait until it is gone, with all that it has started."""
        process = self._process
        self.end()
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_SECONDS_TO_END)
            process.kill()

    def kill(self) -> None:
        """End a process at once that has started no others."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
