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
    start = _find_offset(branch.lineno, branch.col_offset, text, spans)
    finish = _find_offset(end.end_lineno or end.lineno, end.end_col_offset or 0, text, spans)
    inside = text[start:finish]
    return None if "#" in inside or inside.startswith("elif") else (start, finish)


def _find_offset(row: int, column: int, text: str, spans: Spans) -> int:
    """In the text, of a place whose column counts bytes of UTF-8."""
    begin = spans.offset(row, 1)
    return begin + len(text[begin : begin + column].encode()[:column].decode())
