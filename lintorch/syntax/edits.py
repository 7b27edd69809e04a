"""Small edits of calls that keep the layout they find."""

from __future__ import annotations

import re

import libcst as cst

from lintorch.core.finding import Edit
from lintorch.syntax.positions import Spans

_REST = re.compile(r"[^\r\n]*(\r\n|\n|\r|\Z)")
_FREE = (cst.Arg, cst.Element, cst.Assign, cst.Index, cst.Slice, cst.Return)


def insert_argument(spans: Spans, call: cst.Call, content: str) -> Edit:
    """Add `content` after the last argument; a trailing comma and its line break stay the last."""
    if not call.args:
        close = spans.offset(*spans.of(call)[1]) - 1
        return Edit(close, close, content)
    end = spans.offset(*spans.of(call.args[-1])[1])
    return Edit(end, end, f", {content}")


def remove_argument(spans: Spans, call: cst.Call, arg: cst.Arg) -> Edit:
    """Take an argument out with the comma behind it, or, where it is the last, before it."""
    at = call.args.index(arg)
    start, end = (spans.offset(*place) for place in spans.of(arg))
    if at + 1 < len(call.args):
        return Edit(start, spans.offset(*spans.of(call.args[at + 1])[0]), "")
    if at:
        return Edit(spans.offset(*spans.of(call.args[at - 1])[1]), end, "")
    return Edit(start, end, "")


def read_margin(text: str, start: int) -> str:
    """What stands before an offset in its line: white space alone where a statement begins there."""
    return text[text.rfind("\n", 0, start) + 1 : start]


def indent_below(margin: str) -> str:
    """The margin of a block in a statement with this one."""
    return margin + ("\t" if "\t" in margin else "    ")


def put_line_above(spans: Spans, statement: cst.CSTNode, content: str) -> Edit:
    """A line of its own above a statement, in its indentation."""
    start = _block(spans, statement)[0]
    row = spans.text[_line_start(spans, statement) :]
    indent = row[: len(row) - len(row.lstrip(" \t"))]
    return Edit(start, start, f"{indent}{content}\n")


def put_ahead(spans: Spans, statement: cst.CSTNode, content: str) -> Edit:
    """A statement ahead of another in its line."""
    start = spans.offset(*spans.of(statement)[0])
    return Edit(start, start, f"{content}; ")


def put_line_below(spans: Spans, statement: cst.CSTNode, content: str) -> Edit:
    """A line of its own below a statement that has a line of its own, in its indentation."""
    end = _block(spans, statement)[1]
    row = spans.text[_line_start(spans, statement) :]
    indent = row[: len(row) - len(row.lstrip(" \t"))]
    begin = "" if spans.text[:end].endswith(("\n", "\r")) else "\n"
    return Edit(end, end, f"{begin}{indent}{content}\n")


def put_behind(spans: Spans, statement: cst.CSTNode, content: str) -> Edit:
    """A statement behind another in its line."""
    end = spans.offset(*spans.of(statement)[1])
    return Edit(end, end, f"; {content}")


def exchange_statements(spans: Spans, first: cst.CSTNode, second: cst.CSTNode) -> Edit:
    """The lines of two statements, the second of which stands below, the other way round."""
    text, (start, end), (later, last) = spans.text, _block(spans, first), _block(spans, second)
    lower = text[later:last]
    ended = lower if lower.endswith(("\n", "\r")) else lower + "\n"
    return Edit(start, last, ended + text[end:later] + text[start:end])


def _block(spans: Spans, statement: cst.CSTNode) -> tuple[int, int]:
    """The lines of a statement with those of the comments right above, the last line end included."""
    row, start = spans.of(_first(statement))[0][0], _line_start(spans, statement)
    indent = spans.text[start : spans.offset(*spans.of(_first(statement))[0])]
    while row > 1 and spans.text.startswith(f"{indent}#", spans.offset(row - 1, 1)):
        row -= 1
    end = spans.offset(*spans.of(statement)[1])
    rest = _REST.match(spans.text, end)
    return spans.offset(row, 1), rest.end() if rest else end


def _line_start(spans: Spans, statement: cst.CSTNode) -> int:
    return spans.offset(spans.of(_first(statement))[0][0], 1)


def _first(statement: cst.CSTNode) -> cst.CSTNode:
    """What a line begins with: its own position may be that of the comments above."""
    return statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else statement


def fit_operation(content: str, outer: cst.CSTNode | None, place: cst.CSTNode) -> str:
    """An operation as it may stand in a place with `outer` around it: in brackets where it needs them."""
    joined = _is_sum(outer) or _begins_product(outer, place)
    free = isinstance(outer, _FREE) or (joined and _binds_tighter(content))
    return content if free and "\n" not in content else f"({content})"


def _is_sum(outer: cst.CSTNode | None) -> bool:
    return isinstance(outer, cst.BinaryOperation) and isinstance(
        outer.operator, (cst.Add, cst.Subtract)
    )


def _begins_product(outer: cst.CSTNode | None, place: cst.CSTNode) -> bool:
    """Whether a product or quotient is worked out from it: `h // 2 * 2`."""
    if not isinstance(outer, cst.BinaryOperation) or outer.left is not place:
        return False
    return isinstance(outer.operator, (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo))


def _binds_tighter(content: str) -> bool:
    """Whether it is a product or a quotient, as operands of a sum may be."""
    found = cst.parse_expression(content)
    tighter = (cst.Multiply, cst.Divide, cst.FloorDivide, cst.Modulo, cst.Power)
    return isinstance(found, cst.BinaryOperation) and isinstance(found.operator, tighter)
