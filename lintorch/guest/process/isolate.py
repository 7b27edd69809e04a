"""Runs a piece of work in a forked child: limited in time and memory, its output captured, its leftovers killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass

from lintorch.guest.process import error_text, limits, tampering
from lintorch.guest.process.deadline import Deadline, clock
from lintorch.guest.process.streams import ClosedError, Streams
from lintorch.machine import process_tree, work_folders
from lintorch.record.bounds import SLACK, Bounds
from lintorch.record.framing import CLOSED, ImproperError, Message, Parcel, parcel_of
from lintorch.record.messages import Ending, TimeNeeded, WorkEnded
from lintorch.record.wire import MalformedError

Send = Callable[[Message | Parcel], None]
IsolatedWork = Callable[[Send], None]
_TICK_SECONDS = 0.05
"""Between two looks at limits; messages are met as they come."""
_MOST_LETTERS = 2000
"""Of a cause: it is told in one line."""
_exit = os._exit


def isolate_work(work: IsolatedWork, bounds: Bounds) -> Generator[Parcel, None, Ending]:
    """Yield what `work` sends, as it comes; return how it ended.

    What it sends is bounded and of the kinds that `bounds` names, else it is ended. Its time
    starts anew with a `TimeNeeded`, which is passed on with some slack, so that whatever waits for
    this work waits long enough.
    """
    pieces = isolate_in_ticks(work, bounds)
    while True:
        try:
            message = next(pieces)
        except StopIteration as stop:
            ending: Ending = stop.value
            return ending
        if message is not None:
            yield message


def isolate_in_ticks(
    work: IsolatedWork, bounds: Bounds, beside: set[int] | None = None
) -> Generator[Parcel | None, None, Ending]:
    """As `isolate_work`, yielding None now and then, so that several can be waited for in turn.

    Those that run side by side share `beside`, the processes that are none of each other's business.
    """
    if not hasattr(os, "fork"):
        return (yield from _work_unisolated(work))
    beside = set() if beside is None else beside
    streams, parent = Streams(bounds.most), os.getpid()
    folder = work_folders.make_fresh_folder() if bounds.apart else work_folders.current_folder()
    disk = limits.DiskWatch(bounds.watched, bounds.disk)
    _flush_output()
    pid = os.fork()
    if pid == 0:
        process_tree.die_with(parent)
        limits.limit_files(bounds.disk)
        _run_child(work, streams, bounds, folder)
    streams.keep_reading_ends()
    beside.add(pid)
    try:
        return (yield from _watch_child(pid, streams, bounds, disk, beside))
    finally:
        beside.discard(pid)
        process_tree.kill_tree(pid)
        process_tree.kill_below(os.getpid(), but=beside)
        process_tree.reap_children(pid, but=beside)
        streams.close_reading_ends()
        if bounds.apart:
            work_folders.remove_folder(folder)


def _work_unisolated(work: IsolatedWork) -> Generator[Parcel | None, None, Ending]:
    """Without fork: in this process, without limits."""
    sent: list[Parcel] = []
    cause = ""
    try:
        work(lambda message: sent.append(parcel_of(message)))
    except BaseException as error:  # whatever user code raises, SystemExit too
        cause = error_text.describe_error(error)
    yield from sent
    return Ending(cause, "")


@dataclass
class _WorkState:
    """What a piece of work has said of itself so far."""

    deadline: Deadline
    extended: float = 0.0
    end: str | None = None


def _watch_child(
    pid: int, streams: Streams, bounds: Bounds, disk: limits.DiskWatch, beside: set[int]
) -> Generator[Parcel | None, None, Ending]:
    parent, status = os.getppid(), None
    heard = _WorkState(Deadline(pid, bounds.seconds))
    watch = limits.MemoryWatch(pid, bounds.together or bounds.memory)
    while status is None:
        status = _poll_status(pid)
        if status is not None:  # what it left running could print for ever
            process_tree.kill_tree(pid)
            process_tree.kill_below(os.getpid(), but=beside - {pid})
        yield None
        try:
            for parcel in streams.read_messages(_TICK_SECONDS if status is None else 0):
                yield from _answer_message(parcel, pid, bounds, heard)
        except ImproperError as improper:
            return Ending(str(improper), streams.end_of_output())
        if status is None and heard.deadline.is_met():
            return Ending(bounds.describe_timeout(), streams.end_of_output())
        if watch.is_exceeded():
            return Ending(bounds.describe_overuse(), streams.end_of_output())
        if disk.is_exceeded():
            return Ending(str(disk), streams.end_of_output())
        if os.getppid() != parent:  # nobody waits for this any more
            process_tree.kill_tree(pid)
            os._exit(1)
    output = streams.end_of_output()
    cause = _explain_status(status, output, bounds, disk) if heard.end is None else heard.end
    return Ending(cause, output)


def _answer_message(
    parcel: Parcel, pid: int, bounds: Bounds, heard: _WorkState
) -> Generator[Parcel, None, None]:
    """What is passed on of a message, after what it says of the work itself. Raises ImproperError."""
    if parcel.tag == WorkEnded.tag:
        heard.end = _read_end(parcel, bounds)
    elif parcel.tag == TimeNeeded.tag:
        seconds = bounds.grant_seconds(_seconds_asked(parcel), heard.extended)
        heard.extended += seconds
        heard.deadline = Deadline(pid, seconds)
        yield parcel_of(TimeNeeded(seconds + SLACK))
    else:
        yield bounds.admit(parcel)


def _read_end(parcel: Parcel, bounds: Bounds) -> str:
    """The cause of an ending in words. Raises ImproperError."""
    try:
        told = parcel.open_as(WorkEnded)
    except MalformedError as error:
        raise ImproperError("it told of its end in a way that lintorch does not") from error
    return bounds.describe_overuse() if told.out_of_memory else told.cause[:_MOST_LETTERS]


def _seconds_asked(parcel: Parcel) -> float:
    """For how much more time work asks. Raises ImproperError."""
    try:
        return parcel.open_as(TimeNeeded).seconds
    except MalformedError as error:
        raise ImproperError("it asked for more time in a way that lintorch does not") from error


def _poll_status(pid: int) -> int | None:
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


_OUT_OF_MEMORY = ("std::bad_alloc", "can't allocate memory")
"""What native code says that aborts where it gets no memory."""
_UNFINISHED = "unexpected pos"
"""What torch says that aborts where it cannot finish the file of a model."""
_CUT_SHORT = ", as a limit kept it from writing a file: `trace-memory`, `trace-seconds` and `trace-disk` raise these"


def _explain_status(status: int, output: str, bounds: Bounds, disk: limits.DiskWatch) -> str:
    if status == CLOSED:
        return "it closed or replaced the descriptor on which lintorch reads its results"
    if status >= 0:
        return f"it ended the process itself, with exit status {status}"
    name = signal.Signals(-status).name
    if name == "SIGXFSZ":
        return str(disk)
    aborted = name == "SIGABRT"
    if aborted and any(said in output for said in _OUT_OF_MEMORY):
        return bounds.describe_overuse()
    if aborted and _UNFINISHED in output:
        return f"it was killed by {name}{_CUT_SHORT}"
    crash = " (a crash in native code)" if name in ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE") else ""
    return f"it was killed by {name}{crash}"


def _run_child(work: IsolatedWork, streams: Streams, bounds: Bounds, folder: str) -> None:
    """The child's life; never returns."""
    status = 1
    try:
        os.setsid()
        streams.become_writer()
        process_tree.adopt_orphans()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        work_folders.enter_folder(folder)
        tampering.remember_interpreter()
        clock.restart_clock()
        limits.limit_memory(bounds.memory)
        end = WorkEnded()
        try:
            work(streams.send_message)
        except BaseException as error:  # whatever user code raises, SystemExit too
            limits.lift_memory()
            end = _explain_error(error)
            status = CLOSED if isinstance(error, ClosedError) else status
        tampering.restore_interpreter()
        _flush_output()
        streams.send_message(end)
        status = 0
    except ClosedError:
        status = CLOSED
    finally:
        _exit(status)


def _explain_error(error: BaseException) -> WorkEnded:
    """What is told of an exception that ends a piece of work."""
    lost = tampering.restore_interpreter()
    if error_text.is_of_memory(error):
        return WorkEnded(out_of_memory=True)
    return WorkEnded(
        str(tampering.tampering_error(lost, error)) if lost else error_text.describe_error(error)
    )


def _flush_output() -> None:
    """Write out what was printed, to whatever user code has made of these streams."""
    for name in ("stdout", "stderr"):
        with suppress(BaseException):
            getattr(sys, name).flush()
