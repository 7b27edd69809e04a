"""What `check` found, written in the format asked for; a further format is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TextIO

from lintorch.report import concise, full, github, json
from lintorch.report.result import Result

__all__ = ["FORMATS", "Format", "Result", "render"]


class Format(Protocol):
    """A module that writes a Result; `width` is in columns, None where there is no terminal."""

    def render(self, report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
        """Write the whole report."""


FORMATS: Mapping[str, Format] = {
    "full": full,
    "concise": concise,
    "json": json,
    "github": github,
}


def render(
    format: str, report: Result, out: TextIO, *, color: bool = False, width: int | None = None
) -> None:
    """Write `report` to `out`; raises ValueError for a format that is not in `FORMATS`."""
    if format not in FORMATS:
        raise ValueError(f"there is no output format {format!r}; choose from {', '.join(FORMATS)}")
    FORMATS[format].render(report, out, color=color, width=width)
