"""Names that a text uses without having them, or binds more often than it did."""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Iterator

_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def list_unbound(text: str) -> set[str]:
    """Names that are read and bound nowhere; none where everything may be (`import *`)."""
    nodes = list(ast.walk(ast.parse(text)))
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in nodes):
        return set()
    bound = {name for node in nodes for name in _names_bound(node)}
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return read - bound - set(dir(builtins)) - {"__file__", "__name__"}


def list_late(text: str) -> set[str]:
    """Names that the top of a text reads above the first line that binds them."""
    tree = ast.parse(text)
    first: dict[str, int] = {}
    for node in _walk_top(tree):
        for name in _names_bound(node):
            first.setdefault(name, getattr(node, "lineno", 0))
    return {
        node.id
        for node in _walk_top(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        if node.lineno < first.get(node.id, 0)
    }


def list_top(tree: ast.Module) -> set[str]:
    """Names that importing a text binds in its module."""
    return {name for node in _walk_top(tree) for name in _names_bound(node)}


def count_bindings(text: str) -> Counter[tuple[str, str]]:
    """How often each block imports or defines a name, or writes an attribute of `self` or a keyword."""
    found: Counter[tuple[str, str]] = Counter()
    for scope in ast.walk(ast.parse(text)):
        name = getattr(scope, "name", "")
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(scope, field, None)
            for statement in statements if isinstance(statements, list) else ():
                if isinstance(statement, ast.Import | ast.ImportFrom | _SCOPES):
                    found.update((f"{name} {field}", each) for each in _names_bound(statement))
                if isinstance(statement, ast.Expr):
                    written = ast.unparse(statement)
                    found.update([(f"{name} {field}", written)] if "super()" in written else [])
    return found


def _walk_top(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when the text is imported, in their order."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, _SCOPES):
            yield from _walk_top(node)
        else:
            for part in (*getattr(node, "decorator_list", ()), *getattr(node, "bases", ())):
                yield from ast.walk(part)


def _names_bound(node: ast.AST) -> list[str]:
    """The names that a node itself binds, whatever the scope."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    named = node.name if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) else None
    return [named] if named else []
