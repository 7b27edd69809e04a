"""A suggested program, run by a Python of its own as it is pasted, and what it exported held against the model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.exporters import onnx_runtime
from lintorch.guest.export.write_program import COPYING, TENSORS, write_comparison, write_inputs
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
        done = subprocess.run(
            [sys.executable, "-"],
            input=text,
            text=True,
            encoding="utf-8",
            errors="replace",
            capture_output=True,
            cwd=project,
            timeout=max(1.0, seconds),
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {seconds:.0f} s"
    except OSError as error:
        return f"it could not be started: {error}"
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return _pick_error(lines) or f"it ended with exit status {done.returncode}"


def _pick_error(lines: Sequence[str]) -> str:
    """The line that a traceback ends with, or the last one where there is none."""
    starts = [n for n, line in enumerate(lines) if line.startswith("Traceback")]
    after = lines[starts[-1] + 1 :] if starts else lines[-1:]
    named = [line for line in after if line.partition(":")[0].rpartition(".")[2].isidentifier()]
    told = [line for line in named if not line.startswith("File ")] or list(after[-1:])
    return told[0][:_MOST_LETTERS] if told else ""


def _write_check(call: CallText, sizes: Sequence[NamedSizes]) -> str:
    running = _write_running(call)
    inputs = "\n".join(write_inputs(call.job.inputs, sizes[0]))
    alone = _ALONE if call.wraps and not call.exporter.startswith("onnx") else ""
    whole = _HELPERS + TENSORS + COPYING + inputs + "\neager = model\n" + running + alone
    return whole + write_comparison(sizes)


def _write_running(call: CallText) -> str:
    """The statements that set `exported`."""
    if call.exporter == "torch.export":
        return "exported = program.module()\n"
    if call.exporter.startswith("onnx"):
        return f"path = {call.path!r}\n" + onnx_runtime.write_running(call.job)
    return "exported = traced\n"
