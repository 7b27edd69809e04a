"""The output formats: what each is called, and the modules of this package that write it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, TextIO, cast

if TYPE_CHECKING:
    from lintorch.report.matrix import Matrix
    from lintorch.report.record_changes import Record
    from lintorch.report.result import Result


@dataclass(frozen=True)
class OutputFormat:
    """The modules that write what `check` and what `export` came to; "" where a command lacks it.

    `has_summary` tells that a report of `check` ends in a line for people, `tells_rules` that it
    describes the rules of its findings.
    """

    check: str = ""
    export: str = ""
    has_summary: bool = False
    tells_rules: bool = False


FORMATS: Mapping[str, OutputFormat] = {
    "full": OutputFormat(check="full", export="record_table", has_summary=True),
    "concise": OutputFormat(check="concise", has_summary=True),
    "grouped": OutputFormat(check="grouped", has_summary=True),
    "json": OutputFormat(check="json", export="record_json"),
    "json-lines": OutputFormat(check="json_lines"),
    "junit": OutputFormat(check="junit"),
    "github": OutputFormat(check="github"),
    "gitlab": OutputFormat(check="gitlab"),
    "azure": OutputFormat(check="azure"),
    "pylint": OutputFormat(check="pylint"),
    "rdjson": OutputFormat(check="rdjson"),
    "sarif": OutputFormat(check="sarif", tells_rules=True),
    "html": OutputFormat(export="record_html"),
    "markdown": OutputFormat("markdown", "record_markdown", has_summary=True, tells_rules=True),
}
"""By name. The first is the default; of the modules only the one asked for is loaded."""
CHECK_FORMATS = tuple(name for name, each in FORMATS.items() if each.check)
EXPORT_FORMATS = tuple(name for name, each in FORMATS.items() if each.export)


class ResultWriter(Protocol):
    """A module that writes a Result; `width` is in columns, None where there is no terminal."""

    def render(self, report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
        """Write the whole report."""


class RecordWriter(Protocol):
    """A module that writes what `export` came to; `width` is in columns, None where there is no terminal."""

    def render(self, record: Record, out: TextIO, *, color: bool, width: int | None) -> None:
        """Write the whole record."""


def write_result(
    name: str, report: Result, out: TextIO, *, color: bool = False, width: int | None = None
) -> None:
    """Write what `check` came to. Raises ValueError for a name that is not in `CHECK_FORMATS`."""
    if name not in CHECK_FORMATS:
        raise ValueError(_refuse_name(name, CHECK_FORMATS))
    writer = cast(ResultWriter, import_module(f"lintorch.report.{FORMATS[name].check}"))
    writer.render(report, out, color=color, width=width)


def write_matrix(
    name: str, matrix: Matrix, out: TextIO, *, color: bool = False, width: int | None = None
) -> None:
    """Write what `export` came to. Raises ValueError for a name that is not in `EXPORT_FORMATS`."""
    from lintorch.report.matrix_record import make_record

    write_record(name, make_record(matrix), out, color=color, width=width)


def write_record(
    name: str, record: Record, out: TextIO, *, color: bool = False, width: int | None = None
) -> None:
    """The same of a record. Raises ValueError for a name that is not in `EXPORT_FORMATS`."""
    if name not in EXPORT_FORMATS:
        raise ValueError(_refuse_name(name, EXPORT_FORMATS))
    writer = cast(RecordWriter, import_module(f"lintorch.report.{FORMATS[name].export}"))
    writer.render(record, out, color=color, width=width)


def write_suggestions(name: str, matrix: Matrix, out: TextIO) -> None:
    """Write the calls that `export --suggest` came to: as text, or as JSON with all else."""
    if name == "json":
        write_matrix(name, matrix, out)
        return
    from lintorch.report import suggestions

    suggestions.render(matrix, out, color=False, width=None)


def _refuse_name(name: str, known: tuple[str, ...]) -> str:
    return f"there is no output format {name!r}; choose from {', '.join(known)}"
