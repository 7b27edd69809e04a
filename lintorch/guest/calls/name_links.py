"""Which names of a file a value may depend on, told by the text alone: what is not worth running is left out."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from lintorch.guest.calls.code_regions import list_parameters
from lintorch.guest.calls.needed_names import list_stores

ANY_CLASS = frozenset(("__dict__", "getattr", "globals", "import_module", "eval"))
"""Names by which a class is found that the text need not name."""
_MOST_STEPS = 400

_Link = tuple[int, frozenset[str], bool]


class NameLinks:
    """By name, the names that its values depend on, with their rows."""

    def __init__(self, tree: ast.Module) -> None:
        self._links: dict[str, list[_Link]] = defaultdict(list)
        top = {id(node) for node in tree.body}
        functions: dict[str, ast.FunctionDef] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                functions[node.name] = node
            if isinstance(node, ast.stmt) and not isinstance(node, (ast.If, ast.Try, ast.While)):
                final = id(node) in top and isinstance(node, ast.Assign)
                used = _list_used(_value_of(node))
                for name in list_stores(node):
                    self._links[name].append((node.lineno, used, final))
        for name, parameter, used in _list_arguments(tree, functions):
            self._links[parameter].append((functions[name].lineno, used, False))
        for links in self._links.values():
            links.sort(key=lambda link: link[0])

    def reaches(self, node: ast.expr, names: frozenset[str]) -> bool:
        """Whether an expression may depend on one of the names."""
        waiting = [(name, node.lineno) for name in _list_used(node)]
        seen: set[tuple[str, int]] = set()
        while waiting and len(seen) < _MOST_STEPS:
            name, row = waiting.pop()
            if name in names:
                return True
            for at, used, _ in self._find_links(name, row):
                if (name, at) not in seen:
                    seen.add((name, at))
                    waiting += [(other, at) for other in used]
        return False

    def _find_links(self, name: str, row: int) -> list[_Link]:
        """What sets a name before a row: its last statement, where that stands at the top level."""
        links = self._links.get(name, [])
        before = [link for link in links if link[0] < row]
        return before[-1:] if before and before[-1][2] else links


def _value_of(node: ast.stmt) -> ast.AST:
    """What the names that a statement sets depend on."""
    for name in ("value", "iter"):
        if isinstance(found := getattr(node, name, None), ast.AST):
            return found
    return node


def _list_used(node: ast.AST) -> frozenset[str]:
    """The names and attributes that are read."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
            if getattr(part.value, "id", "") == "self":
                found.add(f"self.{part.attr}")
    return frozenset(found)


def _list_arguments(
    tree: ast.Module, functions: dict[str, ast.FunctionDef]
) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The functions of the file, their parameters, and what those are given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
            if called in functions:
                used = frozenset().union(
                    *map(_list_used, node.args), *map(_list_used, node.keywords)
                )
                for parameter in list_parameters(functions[called]):
                    yield called, parameter, used
