"""Which rows of the original have to run so that a fix is tried."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from lintorch.core.finding import Edit
from lintorch.core.text_rows import split_rows
from lintorch.fix.apply_edits import apply_edits
from lintorch.fix.used_names import parse_quietly

Rows = frozenset[int]
_FUNCTIONS = ast.FunctionDef, ast.AsyncFunctionDef
_IMPORTS = ast.Import, ast.ImportFrom


def list_fixed_rows(before: str, text: str, edits: Sequence[Edit]) -> tuple[Rows, ...]:
    """A set of rows for each statement that edits change: one of them has to run.

    The edits are of `text`, which earlier fixes have made of `before`, whose rows are told. Imports
    that a fix needs run with the file, and are told only where there is nothing else. Of a function
    whose head is changed a row inside has to run.
    """
    tree = parse_quietly(before)
    if tree is None:
        return ()
    ordinary: list[Rows] = []
    imports: list[Rows] = []
    rows = {row: None for edit in edits for row in _rows_of_edit(text, edit)}
    for row in rows if text == before else _map_rows(text, before, [*rows]):
        statement = _find_statement(tree, row)
        if statement is not None:
            kind = imports if isinstance(statement, _IMPORTS) else ordinary
            kind.append(_rows_to_run(statement))
    inserted = [*map(_is_import, edits)]
    if inserted and all(inserted) and not imports:
        imports = ordinary
    return tuple(dict.fromkeys(ordinary or imports))


def is_same_code(text: str, edits: Sequence[Edit]) -> bool:
    """Whether edits leave the code as it is, and change comments or spaces alone."""
    before, after = parse_quietly(text), parse_quietly(apply_edits(text, edits))
    return before is not None and after is not None and ast.dump(before) == ast.dump(after)


def stands_alone(text: str, rows: Rows) -> bool:
    """Whether rows of a text lie in no function, class or loop."""
    tree = parse_quietly(text)
    blocks = (*_FUNCTIONS, ast.ClassDef, ast.For, ast.While)
    inner = [n for n in ast.walk(tree) if isinstance(n, blocks)] if tree is not None else []
    return tree is not None and not any(
        _first_row(node) <= row <= (node.end_lineno or row) for node in inner for row in rows
    )


def _is_import(edit: Edit) -> bool:
    return edit.start == edit.end and edit.content.lstrip().startswith(("import ", "from "))


def _rows_of_edit(text: str, edit: Edit) -> Iterator[int]:
    if _is_import(edit):
        return
    first = text.count("\n", 0, edit.start) + 1
    last = first + text.count("\n", edit.start, max(edit.start, edit.end - 1))
    yield from range(first, last + 1)


def _map_rows(text: str, before: str, rows: Sequence[int]) -> list[int]:
    """The rows of the original that rows of a later text were made of."""
    old, new = split_rows(before).lines, split_rows(text).lines
    found: dict[int, None] = {}
    for _, first, last, begin, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for row in rows:
            if begin < row <= end:
                same = last - first == end - begin
                found |= dict.fromkeys(
                    [first + row - begin] if same else range(first + 1, max(first + 1, last) + 1)
                )
    return [*found]


def _find_statement(tree: ast.Module, row: int) -> ast.stmt | None:
    """The innermost statement that a row is in; of a row between statements, the next one."""
    found: ast.stmt | None = None
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for node in statements:
        first = _first_row(node)
        if first <= row <= (node.end_lineno or first) and (
            found is None or first >= _first_row(found)
        ):
            found = node
    if found is None or _is_between(found, row):
        later = [node for node in statements if _first_row(node) > row]
        found = min(later, key=_first_row, default=found)
    return found


def _is_between(statement: ast.stmt, row: int) -> bool:
    """Whether a row is inside a block, and none of its statements."""
    body = _body_of(statement)
    return bool(body) and row >= _first_row(body[0])


def _rows_to_run(statement: ast.stmt) -> Rows:
    if isinstance(statement, ast.ClassDef):
        inner = [n for n in ast.walk(statement) if isinstance(n, _FUNCTIONS)]
        return frozenset(row for each in inner for row in _rows_to_run(each))
    if isinstance(statement, _FUNCTIONS):
        last = statement.end_lineno or statement.lineno
        return frozenset(range(_first_row(statement.body[0]), last + 1))
    body = _body_of(statement)
    last = _first_row(body[0]) - 1 if body else statement.end_lineno or statement.lineno
    return frozenset(range(statement.lineno, max(last, statement.lineno) + 1))


def _first_row(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(each.lineno for each in decorators)])


def _body_of(statement: ast.stmt) -> list[ast.stmt]:
    body: list[ast.stmt] = getattr(statement, "body", [])
    return body
