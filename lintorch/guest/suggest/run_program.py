"""A suggested program, run by a Python of its own as it is pasted, and what it exported held against the model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.exporters import onnx_runtime
from lintorch.guest.export.write_program import COPYING, TENSORS, write_comparison, write_inputs
from lintorch.guest.process.deadline import INTERVAL, Deadline
from lintorch.guest.suggest.write_arguments import write_plain
from lintorch.guest.suggest.write_call import CallText

_HELPERS = """

import copy
import dataclasses
import os
from collections.abc import Mapping

torch.set_num_threads(1)


"""
_ALONE = """
alone = exported


def exported(*given):
    return alone(*tensors(given))

"""
_MOST_LETTERS = 300


def run_program(call: CallText, sizes: Sequence[NamedSizes], project: str, seconds: float) -> str:
    """What goes wrong with a program, run in the project's folder; "" where it gives eager's numbers.

    `sizes` are those of the example first, then the others to compare at.
    """
    text = call.write() + _write_check(call, sizes)
    try:
        process = subprocess.Popen(
            [sys.executable, "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            cwd=project,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )
    except OSError as error:
        return f"it could not be started: {error}"
    told = _await_end(process, text, max(1.0, seconds))
    if told is None:
        return f"it did not end within {seconds:.0f} s"
    if process.returncode == 0:
        return ""
    lines = [line.rstrip() for line in told.splitlines() if line.strip()]
    return pick_error(lines) or f"it ended with exit status {process.returncode}"


def _await_end(process: subprocess.Popen[str], text: str, seconds: float) -> str | None:
    """What a program writes to standard error; None where its time is up, and it is ended."""
    deadline, given = Deadline(process.pid, seconds), text
    with process:
        while True:
            try:
                return process.communicate(given, timeout=INTERVAL)[1]
            except subprocess.TimeoutExpired:
                given = ""  # what was given before is still being written
            if deadline.is_met():
                process.kill()
                return None


def pick_error(lines: Sequence[str]) -> str:
    """The line that a traceback ends with, or the last one where there is none; its frames are indented."""
    starts = [n for n, line in enumerate(lines) if line.startswith("Traceback")]
    after = lines[starts[-1] + 1 :] if starts else lines[-1:]
    after = [line for line in after if not line[0].isspace()] or after
    named = [line for line in after if line.partition(":")[0].rpartition(".")[2].isidentifier()]
    told = [line for line in named if not line.startswith("File ")] or list(after[-1:])
    return told[0].strip()[:_MOST_LETTERS] if told else ""


def _write_check(call: CallText, sizes: Sequence[NamedSizes]) -> str:
    running = _write_running(call)
    inputs = "\n".join(write_inputs(call.job.inputs, sizes[0]))
    alone = _ALONE if call.wraps and not call.exporter.startswith("onnx") else ""
    eager = write_plain(call.job.module, call.job.inputs, call.spelled, "eager")
    whole = _HELPERS + TENSORS + COPYING + inputs + eager + running + alone
    return whole + write_comparison(sizes)


def _write_running(call: CallText) -> str:
    """The statements that set `exported`."""
    if call.exporter == "torch.export":
        return "exported = program.module()\n"
    if call.exporter.startswith("onnx"):
        return f"path = {call.path!r}\n" + onnx_runtime.write_running(call.job)
    return "exported = traced\n"
