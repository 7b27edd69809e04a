"""What `check` found, written in the format asked for; a further format is one file and one name here."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol, TextIO, cast

from lintorch.report.result import Result

__all__ = ["FORMATS", "Format", "Result", "render"]

FORMATS = ("full", "concise", "json", "github")
"""Modules of this package, of which only the one asked for is loaded."""


class Format(Protocol):
    """A module that writes a Result; `width` is in columns, None where there is no terminal."""

    def render(self, report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
        """Write the whole report."""


def render(
    format: str, report: Result, out: TextIO, *, color: bool = False, width: int | None = None
) -> None:
    """Write `report` to `out`; raises ValueError for a format that is not in `FORMATS`."""
    if format not in FORMATS:
        raise ValueError(f"there is no output format {format!r}; choose from {', '.join(FORMATS)}")
    module = cast(Format, import_module(f"lintorch.report.{format}"))
    module.render(report, out, color=color, width=width)
