"""What the server's own processes do: one job after the other, each answered by one message."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any, BinaryIO

from lintorch.core.dispatch import describe_defect
from lintorch.machine.stopping import Stopped, stop_at_signals
from lintorch.run.request import CheckRequest
from lintorch.server.jobs import FixJob, LookJob, ModelsJob, PageJob, RunJob
from lintorch.server.own_streams import take_streams


@dataclass(frozen=True)
class Step:
    """What a job is about to do, in words."""

    line: str


@dataclass(frozen=True)
class Answer:
    """What a job came to; `defect` says why it came to nothing."""

    value: Any = None
    defect: str = ""


def do_jobs() -> None:
    """Do what comes through standard input until it ends; first comes the request of the server."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all: the server decides
    jobs, answers = take_streams()
    try:
        with stop_at_signals():
            _answer_jobs(jobs, answers)
    except (EOFError, OSError, Stopped):
        return


def send(message: object, stream: IO[bytes]) -> None:
    """Write one message. Raises OSError."""
    pickle.dump(message, stream)
    stream.flush()


def _answer_jobs(jobs: BinaryIO, answers: BinaryIO) -> None:
    do = _choose_work(pickle.load(jobs))
    while True:
        job = pickle.load(jobs)
        try:
            answer = Answer(do(job, lambda line: send(Step(line), answers)))
        except Exception as error:  # whatever goes wrong with one job, the next ones are done
            answer = Answer(defect=describe_defect(error))
        send(answer, answers)


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
