"""Converters of ONNX files: each works in a process of its own, and may end that or print why it fails."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lintorch.guest.export.exporter import ONNX_FILE, Explained, Job
from lintorch.guest.export.exporters import onnx
from lintorch.guest.export.onnx_graph import find_node_stack

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class ConverterError(Exception):
    """What a converter printed; `operators` are those of ONNX that it does not know, `node` where it stopped."""

    def __init__(self, printed: str, operators: Iterable[str] = (), node: str = "") -> None:
        super().__init__(printed)
        self.operators = tuple(dict.fromkeys(operators))
        self.node = node


def name_values(path: Path) -> tuple[list[str], list[str]]:
    """What an ONNX file is fed, and what it gives, in order."""
    graph = _load_graph(path)
    weights = {weight.name for weight in graph.initializer}
    given = [each.name for each in graph.input if each.name not in weights]
    return given, [each.name for each in graph.output]


def read_output_sizes(path: Path) -> dict[str, list[int]]:
    """The sizes of what an ONNX file gives, by name; 0 for one that is not known."""
    outputs = _load_graph(path).output
    return {
        each.name: [size.dim_value for size in each.type.tensor_type.shape.dim] for each in outputs
    }


def run_converter(program: str, arguments: Iterable[str], folder: Path) -> str:
    """What a program of this interpreter prints. Raises ConverterError where it fails."""
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    printed = _COLOUR.sub("", f"{done.stdout}\n{done.stderr}").strip()
    if done.returncode:
        raise ConverterError(printed or f"the converter ended with {done.returncode}")
    return printed


def drop_onnx(folder: Path) -> None:
    """Remove the ONNX file, and its weights, that something else was made of."""
    for path in folder.glob(f"{ONNX_FILE}*"):
        path.unlink()


def explain_converter(
    error: BaseException, job: Job, summarise: Callable[[str], str], name: str
) -> Explained:
    """The operators that a converter does not know, at the line of the first; before it, what ONNX says."""
    if not isinstance(error, ConverterError):
        return onnx.explain(error, job)
    path = job.directory / ONNX_FILE
    sought = error.operators or (error.node,)
    where = find_node_stack(_load_graph(path), sought) if path.exists() else ""
    if not error.operators:
        return Explained(where=where, message=summarise(str(error)))
    return Explained(error.operators, where, f"{name} has no {', '.join(error.operators)} of ONNX")


def _load_graph(path: Path) -> Any:
    import onnx

    return onnx.load(str(path), load_external_data=False).graph
