"""`check --watch`: the same check after every change, until Ctrl-C."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Sequence
from typing import TextIO

from lintorch.cli.problems import print_problems
from lintorch.machine.stopping import Stopped, stop_at_signals
from lintorch.report.places import shown_path
from lintorch.report.summary_line import write_count
from lintorch.run.request import CheckRequest
from lintorch.run.watch_files import Stamps, choose_again, list_changed, read_stamps

_PAUSE = 0.3
"""Seconds between two looks."""
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"
_OF_CTRL_C = 128 + signal.SIGINT


def watch_check(request: CheckRequest, out: TextIO, err: TextIO) -> int:
    """Check now and after every change; 0 once Ctrl-C ends it."""
    wanted = request
    try:
        while True:
            before = read_stamps(request)
            if out.isatty():
                out.write(_CLEAR)
                out.flush()
            _check_apart(wanted)
            print_problems(err, ["waiting for changes; Ctrl-C ends this"])
            err.flush()
            changed = _wait_for_change(request, before)
            print_problems(err, [_name_changed(changed)])
            wanted = choose_again(request, changed)
    except Stopped as stop:
        if stop.exit_code != _OF_CTRL_C:
            raise
        return 0


def _wait_for_change(request: CheckRequest, before: Stamps) -> list[str]:
    while not (changed := list_changed(before, read_stamps(request))):
        time.sleep(_PAUSE)
    return changed


def _name_changed(paths: Sequence[str]) -> str:
    first, *others = paths
    more = f" and {write_count(len(others), 'more file')}" if others else ""
    return f"changed: {shown_path(first)}{more}"


def _check_apart(request: CheckRequest) -> None:
    """In a process of its own, which keeps nothing in mind of what files held before."""
    process = multiprocessing.Process(target=_check_once, args=(request,))
    process.start()
    try:
        process.join()
    except BaseException:
        process.terminate()  # it may have heard of no Ctrl-C
        process.join()
        raise


def _check_once(request: CheckRequest) -> None:
    from lintorch.cli.run_check import run_check

    for name in ("SIGINT", "SIGTERM"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        with stop_at_signals():
            run_check(request, sys.stdin, sys.stdout, sys.stderr)
    except Stopped as stop:
        sys.exit(stop.exit_code)
