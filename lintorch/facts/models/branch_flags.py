"""Flags of a function that one branch sets: `odd = False`, `if h % 2: odd = True`."""

from __future__ import annotations

import ast


def find_setting_branch(function: ast.AST, name: str, row: int) -> ast.If | None:
    """The only `if` above a row that gives a name another value than what is written out."""
    nodes = [*ast.walk(function)]
    setting = [
        each
        for each in nodes
        if isinstance(each, ast.If)
        and each.lineno < row
        and any(_sets_name(line, name) for line in each.body)
    ]
    if len(setting) != 1:
        return None
    within = {*ast.walk(setting[0])}
    first = [
        each.value
        for each in nodes
        if isinstance(each, ast.Assign) and each not in within and _sets_name(each, name)
    ]
    return setting[0] if first and all(map(_is_written_out, first)) else None


def _sets_name(line: ast.stmt, name: str) -> bool:
    """`name = …`, `name[0] = …`, also among others."""
    targets = line.targets if isinstance(line, ast.Assign) else []
    parts = (p for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else (t,)))
    roots = (each.value if isinstance(each, ast.Subscript) else each for each in parts)
    return any(isinstance(each, ast.Name) and each.id == name for each in roots)


def _is_written_out(value: ast.expr) -> bool:
    try:
        ast.literal_eval(value)
    except ValueError:
        return False
    return True
