"""A record as one JSON object, for programs."""

from __future__ import annotations

import json
from typing import TextIO

from lintorch.report.record_changes import Record


def render(record: Record, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write it in ASCII: a line for each model, trial, finding and part of a file."""
    out.write("{")
    for number, (key, value) in enumerate(record.items()):
        out.write(f"{',' * bool(number)}\n{json.dumps(key)}: ")
        if isinstance(value, list) and value and not isinstance(value[0], str):
            lines = ",\n".join(map(json.dumps, value))
            out.write(f"[\n{lines}\n]")
        else:
            out.write(json.dumps(value))
    out.write("\n}\n")
