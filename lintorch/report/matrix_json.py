"""The matrix as one JSON object, for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from lintorch.report.matrix import Matrix
from lintorch.report.matrix_record import make_record


def render(matrix: Matrix, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the record in ASCII: a line for each model, trial, finding and part of a file."""
    write_record(make_record(matrix), out)


def write_record(record: Mapping[str, Any], out: TextIO) -> None:
    """Write an object whose longest values are lists: each element has a line of its own."""
    out.write("{")
    for number, (key, value) in enumerate(record.items()):
        out.write(f"{',' * bool(number)}\n{json.dumps(key)}: ")
        if isinstance(value, list) and value and not isinstance(value[0], str):
            lines = ",\n".join(map(json.dumps, value))
            out.write(f"[\n{lines}\n]")
        else:
            out.write(json.dumps(value))
    out.write("\n}\n")
