"""A process of the server's own: what is slow, or may crash, is done there and not in the server."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from lintorch.run.request import CheckRequest
from lintorch.server.work import Answer, Step, do_jobs

_SPAWN = multiprocessing.get_context("spawn")
_SECONDS_TO_END = 10


class ProcessLost(Exception):
    """The process died or was ended while it worked."""


class OwnProcess:
    """Does one job at a time; another process takes the place of one that has died."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
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
                pipe = self._pipe
                if pipe is None:
                    pipe = await asyncio.to_thread(self._start)
                return await asyncio.to_thread(_ask_pipe, pipe, job, step)
            except (EOFError, OSError) as error:
                self.end()
                raise ProcessLost("lintorch's own process was lost") from error

    def _start(self) -> Connection:
        mine, other = _SPAWN.Pipe()
        process = _SPAWN.Process(target=do_jobs, args=(other, self._request), daemon=True)
        process.start()
        other.close()
        self._process, self._pipe = process, mine
        return mine

    def end(self) -> None:
        """End the process, which takes with it what it has started; another one comes when asked."""
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.terminate()

    def end_and_wait(self) -> None:
        """End the process and wait until it is gone, with all that it has started."""
        process = self._process
        self.end()
        if process is not None:
            process.join(_SECONDS_TO_END)
            process.kill()

    def kill(self) -> None:
        """End a process at once that has started no others."""
        process, self._process, self._pipe = self._process, None, None
        if process is not None:
            process.kill()


def _ask_pipe(pipe: Connection, job: object, tell: Callable[[str], None]) -> Answer:
    pipe.send(job)
    while True:
        message: Any = pipe.recv()
        if isinstance(message, Answer):
            return message
        assert isinstance(message, Step)
        tell(message.line)
