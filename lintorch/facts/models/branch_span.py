"""Where a branch stands in the text of a file."""

from __future__ import annotations

import ast

from lintorch.syntax.positions import Spans


def find_branch_span(
    branch: ast.If | ast.IfExp | ast.Assert | ast.For | ast.Assign,
    last: ast.stmt | None,
    text: str,
    spans: Spans,
) -> tuple[int, int] | None:
    """Where a branch begins and ends, with a last statement behind it; None where a comment stands in it."""
    end = last or branch
    start, finish = find_span(branch, text, spans)[0], find_span(end, text, spans)[1]
    inside = text[start:finish]
    return None if "#" in inside or inside.startswith("elif") else (start, finish)


def find_span(node: ast.expr | ast.stmt, text: str, spans: Spans) -> tuple[int, int]:
    """Where an expression or statement begins and ends in the text of a file."""
    start = _find_offset(node.lineno, node.col_offset, text, spans)
    return start, _find_offset(
        node.end_lineno or node.lineno, node.end_col_offset or 0, text, spans
    )


def find_lines(node: ast.stmt, text: str, spans: Spans) -> tuple[int, int] | None:
    """Where the lines of a statement begin and end; None where another stands in them."""
    start, end = find_span(node, text, spans)
    begin, stop = spans.offset(node.lineno, 1), text.find("\n", end) + 1 or len(text)
    beside = text[end:stop].strip()
    alone = not text[begin:start].strip() and (not beside or beside.startswith("#"))
    return (begin, stop) if alone else None


def _find_offset(row: int, column: int, text: str, spans: Spans) -> int:
    """In the text, of a place whose column counts bytes of UTF-8."""
    begin = spans.offset(row, 1)
    return begin + len(text[begin : begin + column].encode()[:column].decode())
