"""From an expression to the full dotted name of what it stands for, and back to a spelling."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

import libcst as cst

from lintorch.facts.names.scopes import Binding, Names, bindings, chain, stars
from lintorch.facts.project.files import Home
from lintorch.facts.project.reexports import hides, origin, starred
from lintorch.syntax.tree import Tree

_BUILTINS = frozenset(dir(builtins))


class Lookup:
    """Names of one file."""

    def __init__(self, tree: Tree, home: Home, consulted: set[str]) -> None:
        self._tree = tree
        self._home = home
        self._consulted = consulted
        self._table = bindings(tree, home.package)
        self._stars = list(stars(tree, home.package))
        self._known: dict[cst.CSTNode, str] = {}
        self._origins: dict[str, str] = {}

    def name(self, node: cst.CSTNode, depth: int = 0) -> str:
        """The dotted name, or "" where the expression names nothing known."""
        if node in self._known:
            return self._known[node]
        found = ""
        if isinstance(node, cst.Name):
            found = self._name(node, depth)
        elif isinstance(node, cst.Attribute) and (head := self.name(node.value, depth)):
            found = self._origin(f"{head}.{node.attr.value}")
        self._known[node] = found
        return found

    def bound(self, node: cst.Name) -> list[Binding]:
        """All bindings of the name in the scope it is looked up in."""
        for scope in chain(node, self._tree):
            if found := self._names_of(scope).get(node.value):
                return found
        return []

    def spell(self, dotted: str, at: cst.CSTNode) -> str:
        """The shortest way to write `dotted` at a node through imports that have surely run there."""
        best = ""
        for local, found in self._names_of(self._tree.module).items():
            one = found[0].dotted if len(found) == 1 and found[0].kind == "import" else ""
            base = self._origin(one)
            if base and (dotted == base or dotted.startswith(f"{base}.")):
                spelled = local + dotted[len(base) :]
                seen = self._visible(local, at) and self._has_run(found[0].node, at)
                best = spelled if seen and (not best or len(spelled) < len(best)) else best
        return best

    def _has_run(self, alias: cst.CSTNode, at: cst.CSTNode) -> bool:
        """Whether an import stands above a node, in no branch that the node is not in as well."""
        if self._tree.order[alias] > self._tree.order[at]:
            return False
        around = {at, *self._above(at)}
        blocks = (outer for outer in self._above(alias) if isinstance(outer, cst.BaseSuite))
        return all(block in around for block in blocks)

    def _above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        while (outer := self._tree.parents.get(node)) is not None:
            yield outer
            node = outer

    def taken(self, name: str, at: cst.CSTNode) -> bool:
        """Whether a plain name stands for something at a node, or would for the whole file."""
        scopes = [self._tree.module, *chain(at, self._tree)]
        return any(name in self._names_of(scope) for scope in scopes)

    def _visible(self, local: str, at: cst.CSTNode) -> bool:
        """Whether nothing between the node and the module shadows the name."""
        scope = next((s for s in chain(at, self._tree) if local in self._names_of(s)), None)
        return scope is self._tree.module

    def _names_of(self, scope: cst.CSTNode) -> Names:
        return self._table.get(scope) or {}

    def _name(self, node: cst.Name, depth: int) -> str:
        found = self.bound(node)
        if not found:
            return self._unbound(node.value)
        imports = [b for b in found if b.kind == "import"]
        rest = [b for b in found if b.kind != "import" and not _is_none(b)]
        if imports and not rest:
            return self._origin(imports[0].dotted)
        if len(found) > 1 or depth > 6:
            return ""
        return self._single(node, found[0], depth)

    def _origin(self, dotted: str) -> str:
        if dotted not in self._origins:
            self._origins[dotted] = origin(dotted, self._home, self._consulted)
        return self._origins[dotted]

    def _unbound(self, name: str) -> str:
        """A built-in, or what a star import brought."""
        if name in _BUILTINS:
            return "" if hides(name, self._stars) else name
        return starred(name, self._stars, self._home, self._consulted) if self._stars else ""

    def _single(self, node: cst.Name, binding: Binding, depth: int) -> str:
        if binding.kind in ("class", "function"):
            return f"{self._home.module}.{node.value}"
        alias = binding.kind == "assign" and isinstance(binding.node, (cst.Name, cst.Attribute))
        return self.name(binding.node, depth + 1) if alias else ""


def _is_none(binding: Binding) -> bool:
    value = binding.node
    return binding.kind == "assign" and isinstance(value, cst.Name) and value.value == "None"
