"""From an expression to the full dotted name of what it stands for, and back to a spelling."""

from __future__ import annotations

import builtins
from functools import cached_property
from typing import Protocol

import libcst as cst

from lintorch.facts.names.scopes import Binding, Names, bind_names, scopes_around, star_imports
from lintorch.facts.names.torch_aliases import documented_name
from lintorch.facts.project.module_homes import Project
from lintorch.facts.project.reexports import follow_reexports, follow_star, is_hidden
from lintorch.syntax.parsed_file import HasFile, ParsedFile

_BUILTINS = frozenset(dir(builtins))


class HasNames(HasFile, Protocol):
    """What knows the names of a file."""

    @property
    def names(self) -> Lookup:
        """What its names stand for."""


class Lookup:
    """Names of one file."""

    def __init__(self, file: ParsedFile, project: Project) -> None:
        self._file = file
        self._project = project
        self._known: dict[cst.CSTNode, str] = {}
        self._origins: dict[str, str] = {}

    @cached_property
    def _table(self) -> dict[cst.CSTNode, Names]:
        return bind_names(self._file.tree, self._project.home.package)

    @cached_property
    def _stars(self) -> list[str]:
        return list(star_imports(self._file.tree, self._project.home.package))

    def name(self, expression: cst.CSTNode | None) -> str:
        """The dotted name in torch's own spelling, or "" where nothing known is named.

        A built-in is its own name; a definition of this file is `module.name`.
        """
        return documented_name(self._dotted(expression)) if expression is not None else ""

    def full_name(self, definition: cst.FunctionDef | cst.ClassDef) -> str:
        """The dotted name of a definition at the top of the file."""
        return f"{self._project.home.module}.{definition.name.value}"

    def _dotted(self, node: cst.CSTNode, depth: int = 0) -> str:
        """The name as the imports spell it."""
        known = self._known.get(node)
        if known is not None:
            return known
        found = ""
        if isinstance(node, cst.Name):
            found = self._name(node, depth)
        elif isinstance(node, cst.Attribute) and (head := self._dotted(node.value, depth)):
            found = self._origin(f"{head}.{node.attr.value}")
        self._known[node] = found
        return found

    def bound(self, node: cst.Name) -> list[Binding]:
        """All bindings of the name in the scope it is looked up in; [] of what no scope binds."""
        for scope in scopes_around(node, self._file.tree):
            if found := self._names_of(scope).get(node.value):
                return found
        return []

    def spell(self, dotted: str, at: cst.CSTNode) -> str:
        """The shortest way to write `dotted` at a node through imports that have surely run there."""
        best = ""
        for local, found in self._names_of(self._file.module).items():
            one = found[0].dotted if len(found) == 1 and found[0].kind == "import" else ""
            base = self._origin(one)
            if base and (dotted == base or dotted.startswith(f"{base}.")):
                spelled = local + dotted[len(base) :]
                seen = self._visible(local, at) and self._has_run(found[0].node, at)
                best = spelled if seen and (not best or len(spelled) < len(best)) else best
        return best

    def _has_run(self, alias: cst.CSTNode, at: cst.CSTNode) -> bool:
        """Whether an import stands above a node, in no branch that the node is not in as well."""
        if self._file.precedes(at, alias):
            return False
        around = {at, *self._file.ancestors(at)}
        blocks = (
            outer for outer in self._file.ancestors(alias) if isinstance(outer, cst.BaseSuite)
        )
        return all(block in around for block in blocks)

    def is_taken(self, name: str, at: cst.CSTNode) -> bool:
        """Whether a plain name stands for something at a node, or would for the whole file."""
        scopes = [self._file.module, *scopes_around(at, self._file.tree)]
        return any(name in self._names_of(scope) for scope in scopes)

    def _visible(self, local: str, at: cst.CSTNode) -> bool:
        """Whether nothing between the node and the module shadows the name."""
        scopes = scopes_around(at, self._file.tree)
        return next((s for s in scopes if local in self._names_of(s)), None) is self._file.module

    def _names_of(self, scope: cst.CSTNode) -> Names:
        return self._table.get(scope) or {}

    def _name(self, node: cst.Name, depth: int) -> str:
        found = self.bound(node)
        if not found:
            return self._unbound(node.value)
        imports = [b for b in found if b.kind == "import"]
        rest = [b for b in found if b.kind != "import" and not _is_none(b)]
        if imports and not rest:
            return self._origin(self._choose_import(node, imports).dotted)
        if len(found) > 1 or depth > 6:
            return ""
        return self._single(node, found[0], depth)

    def _choose_import(self, node: cst.Name, imports: list[Binding]) -> Binding:
        """The last import of a name that surely runs ahead of a node, where it stands in no branch; else the first."""
        if len(imports) == 1:
            return imports[0]
        scope = next(iter(scopes_around(imports[0].node, self._file.tree)), None)
        beside = next(iter(scopes_around(node, self._file.tree)), None) is scope
        plain = [each for each in imports if self._is_plain(each.node, scope)]
        run = [each for each in plain if not beside or self._file.precedes(each.node, node)]
        return run[-1] if run and imports[0] in plain else imports[0]

    def _is_plain(self, alias: cst.CSTNode, scope: cst.CSTNode | None) -> bool:
        """Whether an import is a statement of a scope itself, in no branch of it."""
        line = self._file.enclosing(alias, cst.SimpleStatementLine)
        around = self._file.parent(line) if line is not None else None
        return around is scope or (around is not None and self._file.parent(around) is scope)

    def _origin(self, dotted: str) -> str:
        if dotted not in self._origins:
            self._origins[dotted] = follow_reexports(dotted, self._project)
        return self._origins[dotted]

    def _unbound(self, name: str) -> str:
        """A built-in, or what a star import brought."""
        if name in _BUILTINS:
            return "" if is_hidden(name, self._stars) else name
        return follow_star(name, self._stars, self._project) if self._stars else ""

    def _single(self, node: cst.Name, binding: Binding, depth: int) -> str:
        if binding.kind in ("class", "function"):
            return f"{self._project.home.module}.{node.value}"
        alias = binding.kind == "assign" and isinstance(binding.node, (cst.Name, cst.Attribute))
        return self._dotted(binding.node, depth + 1) if alias else ""


def _is_none(binding: Binding) -> bool:
    value = binding.node
    return binding.kind == "assign" and isinstance(value, cst.Name) and value.value == "None"
