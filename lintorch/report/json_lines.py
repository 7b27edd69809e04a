"""The findings as JSON, one object on each line, for programs that read as they go."""

from __future__ import annotations

import json
from typing import TextIO

from lintorch.report.json import list_values
from lintorch.report.result import Result


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the elements of the `json` format, each on a line of its own, in ASCII."""
    for element in list_values(report):
        out.write(json.dumps(element) + "\n")
