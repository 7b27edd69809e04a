"""Small edits of calls that keep the layout they find."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from lintorch.core.finding import Edit

if TYPE_CHECKING:
    from lintorch.source import Source

_REST = re.compile(r"[^\r\n]*(\r\n|\n|\r|\Z)")
_FREE = (cst.Arg, cst.Element, cst.Assign, cst.Index, cst.Slice, cst.Return)


def insert_argument(source: Source, call: cst.Call, content: str) -> Edit:
    """Add `content` after the last argument; a trailing comma and its line break stay the last."""
    if not call.args:
        close = source.spans.offset(*source.spans.of(call)[1]) - 1
        return Edit(close, close, content)
    end = source.spans.offset(*source.spans.of(call.args[-1])[1])
    return Edit(end, end, f", {content}")


def above(source: Source, statement: cst.CSTNode, content: str) -> Edit:
    """A line of its own above a statement, in its indentation."""
    start = _block(source, statement)[0]
    row = source.text[_line_start(source, statement) :]
    indent = row[: len(row) - len(row.lstrip(" \t"))]
    return Edit(start, start, f"{indent}{content}\n")


def exchange(source: Source, first: cst.CSTNode, second: cst.CSTNode) -> Edit:
    """The lines of two statements, the second of which stands below, the other way round."""
    text, (start, end), (later, last) = source.text, _block(source, first), _block(source, second)
    lower = text[later:last]
    ended = lower if lower.endswith(("\n", "\r")) else lower + "\n"
    return Edit(start, last, ended + text[end:later] + text[start:end])


def _block(source: Source, statement: cst.CSTNode) -> tuple[int, int]:
    """The lines of a statement with those of the comments right above, the last line end included."""
    row, start = source.spans.of(_first(statement))[0][0], _line_start(source, statement)
    indent = source.text[start : source.spans.offset(*source.spans.of(_first(statement))[0])]
    while row > 1 and source.text.startswith(f"{indent}#", source.spans.offset(row - 1, 1)):
        row -= 1
    end = source.spans.offset(*source.spans.of(statement)[1])
    rest = _REST.match(source.text, end)
    return source.spans.offset(row, 1), rest.end() if rest else end


def _line_start(source: Source, statement: cst.CSTNode) -> int:
    return source.spans.offset(source.spans.of(_first(statement))[0][0], 1)


def _first(statement: cst.CSTNode) -> cst.CSTNode:
    """What a line begins with: its own position may be that of the comments above."""
    return statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else statement


def fitted(text: str, place: cst.CSTNode, source: Source) -> str:
    """An operation as it may stand in the place of a node: in brackets where it needs them."""
    free = isinstance(source.parent(place), _FREE) and "\n" not in text
    return text if free else f"({text})"
