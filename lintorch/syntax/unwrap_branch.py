"""Taking an `if` away and leaving what stood in one of its sides."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from lintorch.core.finding import Edit
from lintorch.syntax.positions import Spans


def unwrap_branch(spans: Spans, branch: ast.If, kept: Sequence[ast.stmt]) -> Edit | None:
    """The lines of one side in the place of the whole `if`, with the comments in them.

    `branch` is of the text that `spans` are of, `kept` its body, its `orelse`, or () for neither.
    None where other lines hold a comment, but for that of one statement in whose place one is kept, and where a text of several lines would move.
    """
    rows = [*spans.line_starts, len(spans.text)]
    lines = [spans.text[start:end] for start, end in pairwise(rows)]
    whole = range(branch.lineno, (branch.end_lineno or branch.lineno) + 1)
    inside = list_rows(kept, lines, whole)
    indent = lines[branch.lineno - 1][: branch.col_offset]
    inner = lines[kept[0].lineno - 1][: kept[0].col_offset] if kept else ""
    moved = [lines[row - 1] for row in inside]
    chained = lines[branch.lineno - 1].lstrip().startswith("elif")
    if chained or indent.strip() or inner.strip():
        return None
    dropped = [n for n in whole if n not in inside and "#" in lines[n - 1]]
    comment = find_comment_beside(branch, kept, lines) if len(dropped) == 1 else ""
    if dropped and not comment:
        return None
    if comment:
        moved = [f"{moved[0].rstrip()}  {comment}{line_end(moved[0])}"]
    if any(line.strip() and not line.startswith(inner) for line in moved) or has_long_text(kept):
        return None
    content = "".join(indent + each[len(inner) :] if each.strip() else each for each in moved)
    start = spans.offset(branch.lineno, 1)
    return Edit(start, start + sum(len(lines[row - 1]) for row in whole), content)


def find_comment_beside(branch: ast.If, kept: Sequence[ast.stmt], lines: list[str]) -> str:
    """The comment behind the one statement that is dropped, where one without a comment is kept."""
    sides = [side for side in (branch.body, branch.orelse) if side and side[0] not in kept]
    alone = len(kept) == 1 and kept[0].lineno == kept[0].end_lineno
    if not alone or len(sides) != 1 or len(sides[0]) != 1 or "#" in lines[kept[0].lineno - 1]:
        return ""
    dropped = sides[0][0]
    row = lines[(dropped.end_lineno or dropped.lineno) - 1].encode()
    rest = row[dropped.end_col_offset :].decode().strip()
    return rest if rest.startswith("#") else ""


def line_end(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]


def list_rows(kept: Sequence[ast.stmt], lines: list[str], whole: range) -> range:
    """The rows of a side, and those of the comments right above it."""
    if not kept:
        return range(0)
    first, last = kept[0].lineno, kept[-1].end_lineno or kept[-1].lineno
    while first - 1 in whole and lines[first - 2].strip().startswith("#"):
        first -= 1
    return range(first, last + 1)


def has_long_text(statements: Sequence[ast.stmt]) -> bool:
    """Whether a text goes over several lines, whose blanks are a part of it."""
    nodes = (node for each in statements for node in ast.walk(each))
    texts = (node for node in nodes if isinstance(node, (ast.Constant, ast.JoinedStr)))
    return any(each.end_lineno != each.lineno for each in texts)
