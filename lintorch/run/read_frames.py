"""The frames of a traceback, as Python, IPython, notebooks, pytest and rich write them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_CELL = r"(?:Cell|Input) In ?\[\d{1,6}\]|<ipython-input-[\w-]{1,60}>"
_WITH_ROW = (
    re.compile(r'\bFile "(?P<path>[^"]{1,400})", line (?P<row>\d{1,7})'),
    re.compile(r"^File \[?(?P<path>[^\s\"\]][^\"\]]{0,400}?\.pyi?):(?P<row>\d{1,7})[\],]"),
    re.compile(rf"^(?P<path>{_CELL}), line (?P<row>\d{{1,7}})"),
    re.compile(r"^(?P<path>(?:[~/.]|[A-Za-z]:\\)[^│]{1,400}?\.pyi?):(?P<row>\d{1,7}) in(?: |$)"),
)
_OF_PYTEST = re.compile(
    r"^(?P<path>[^\s:'\"(]{1,400}\.pyi?):(?P<row>\d{1,7}): (?:in [\w<]|[A-Z]\w{1,60}$)"
)
_WITHOUT_ROW = re.compile(
    rf"^\[?(?P<path>{_CELL}|(?:[~/.]|[A-Za-z]:\\)\S{{1,400}}?\.pyi?)(?:\]\([^)]{{0,400}}\))?,? in [\w<]"
)
_ARROW = re.compile(r"^(?:-{1,12}>|❱) {0,8}(?P<row>\d{1,7})\b ?│?(?P<source>.*)")
_OF_A_CELL = re.compile(_CELL)


@dataclass(frozen=True)
class TracedFrame:
    """A line that a traceback goes through; `source` is the line as it is shown there, "" where it is not."""

    path: str
    row: int
    source: str = ""

    @property
    def is_cell(self) -> bool:
        """Whether it stands in a cell of a notebook, and `path` is the cell's name."""
        return is_cell(self.path)


def is_cell(path: str) -> bool:
    """Whether this is how IPython calls a cell."""
    return bool(_OF_A_CELL.fullmatch(path))


def read_frames(lines: Sequence[str]) -> list[TracedFrame]:
    """The frames in the order of the lines."""
    return [frame for frame in _read_all(lines) if frame.row]


def _read_all(lines: Sequence[str]) -> Iterator[TracedFrame]:
    open_frame: TracedFrame | None = None
    waits = False
    for line in (each.strip("│ ") for each in lines):
        arrow = _ARROW.match(line)
        begun = None if arrow else _begin_frame(line)
        if begun:
            if open_frame:
                yield open_frame
            open_frame, waits = begun, line.startswith("File ") and " line " in line
        elif open_frame and arrow:
            row = open_frame.row or int(arrow["row"])
            open_frame, waits = replace(open_frame, row=row, source=arrow["source"].strip()), False
        elif open_frame and waits:
            open_frame, waits = replace(open_frame, source=line), False
    if open_frame:
        yield open_frame


def _begin_frame(line: str) -> TracedFrame | None:
    for pattern in (*_WITH_ROW, _OF_PYTEST):
        if match := pattern.search(line):
            return TracedFrame(match["path"], int(match["row"]))
    match = _WITHOUT_ROW.match(line)
    return TracedFrame(match["path"], 0) if match else None
