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
    lines = text.splitlines(keepends=True)[branch.lineno - 1 : end.end_lineno]
    begin = len(lines[0].encode()[: branch.col_offset].decode())
    stop = len(lines[-1].encode()[: end.end_col_offset].decode())
    start = spans.offset(branch.lineno, begin + 1)
    finish = spans.offset(end.end_lineno or end.lineno, stop + 1)
    inside = text[start:finish]
    return None if "#" in inside or lines[0].lstrip().startswith("elif") else (start, finish)
