"""What the server's own processes do: one job after the other, each answered by one message."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from lintorch.core.dispatch import describe_defect
from lintorch.machine.stopping import Stopped, stop_at_signals
from lintorch.run.request import CheckRequest
from lintorch.server.jobs import FixJob, LookJob, ModelsJob, PageJob, RunJob


@dataclass(frozen=True)
class Step:
    """What a job is about to do, in words."""

    line: str


@dataclass(frozen=True)
class Answer:
    """What a job came to; `defect` says why it came to nothing."""

    value: Any = None
    defect: str = ""


def do_jobs(pipe: Connection, request: CheckRequest) -> None:
    """Do what comes through a pipe until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all: the server decides
    os.environ.pop("PYTHONINSPECT", None)
    try:
        with stop_at_signals():
            _answer_jobs(pipe, request)
    except (EOFError, OSError, Stopped):
        return


def _answer_jobs(pipe: Connection, request: CheckRequest) -> None:
    do = _choose_work(request)
    while True:
        job = pipe.recv()
        try:
            answer = Answer(do(job, lambda line: pipe.send(Step(line))))
        except Exception as error:  # whatever goes wrong with one job, the next ones are done
            answer = Answer(defect=describe_defect(error))
        pipe.send(answer)


def _choose_work(request: CheckRequest) -> Callable[[object, Callable[[str], None]], Any]:
    from lintorch.server.open_files import OpenFiles
    from lintorch.server.run_model import run_model

    files = OpenFiles(request)

    def do(job: object, tell: Callable[[str], None]) -> Any:
        if isinstance(job, LookJob):
            return files.look(job)
        if isinstance(job, FixJob):
            return files.fix(job)
        if isinstance(job, ModelsJob):
            return files.list_models(job)
        if isinstance(job, PageJob):
            return files.write_page(job)
        assert isinstance(job, RunJob)
        return run_model(job, request, tell)

    return do
