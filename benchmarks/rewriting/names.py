"""What names a program binds, and what dotted names stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node


def list_imports(module: cst.Module) -> dict[str, str]:
    """By name that an import of the module binds: the full name it stands for."""
    found: dict[str, str] = {}
    for statement in module.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for part in statement.body:
                if isinstance(part, cst.Import | cst.ImportFrom):
                    found.update(read_import(part))
    return found


def read_import(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with the full name it stands for."""
    if isinstance(node.names, cst.ImportStar):
        return
    base = ""
    if isinstance(node, cst.ImportFrom) and node.module is not None:
        base = f"{get_full_name_for_node(node.module)}."
    for alias in node.names:
        name = get_full_name_for_node(alias.name) or ""
        if alias.asname is not None:
            yield str(get_full_name_for_node(alias.asname.name)), base + name
        elif base:
            yield name, base + name
        else:
            yield name.partition(".")[0], name.partition(".")[0]


def resolve(node: cst.CSTNode, imports: Mapping[str, str]) -> str:
    """The full name of `nn.Linear` ("torch.nn.Linear"); "" for what is not imported."""
    name = get_full_name_for_node(node) if isinstance(node, cst.Name | cst.Attribute) else None
    if name is None or not is_chain(node):
        return ""
    first, dot, rest = name.partition(".")
    return f"{imports[first]}{dot}{rest}" if first in imports else ""


def is_chain(node: cst.CSTNode) -> bool:
    """Whether a node is `a.b.c`, names alone."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)


class NameReader(cst.CSTVisitor):
    """Collects names that stand for themselves: no attributes, no keywords, no imports."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_Name(self, node: cst.Name) -> None:
        self.names.append(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False


def list_names(*nodes: cst.CSTNode) -> list[str]:
    """The names used in nodes, in order, each once."""
    reader = NameReader()
    for node in nodes:
        node.visit(reader)
    return list(dict.fromkeys(reader.names))


class BoundReader(cst.CSTVisitor):
    """Collects names that are assigned, with those of nested functions."""

    def __init__(self, comprehensions: bool) -> None:
        self.names: list[str] = []
        self._comprehensions = comprehensions

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._take(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._take(node.target)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        self._take(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._take(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        if self._comprehensions:
            self._take(node.target)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._take(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._take(node.name)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def _take(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Name):
            self.names.append(target.value)
        elif isinstance(target, cst.Tuple | cst.List):
            for element in target.elements:
                self._take(element.value)


def list_assigned(*nodes: cst.CSTNode, comprehensions: bool = True) -> list[str]:
    """The names assigned in nodes, in order, each once; those of comprehensions where asked for."""
    reader = BoundReader(comprehensions)
    for node in nodes:
        node.visit(reader)
    return list(dict.fromkeys(reader.names))


def list_parameters(function: cst.FunctionDef) -> list[str]:
    """The names of a function's parameters, but for `*args` and `**kwargs`."""
    given = function.params
    return [p.name.value for p in (*given.posonly_params, *given.params, *given.kwonly_params)]


def list_all_parameters(module: cst.Module) -> set[str]:
    """The names of all parameters in a module, of lambdas too."""
    return {p.name.value for p in m.findall(module, m.Param()) if isinstance(p, cst.Param)}


def list_definitions(module: cst.Module) -> list[str]:
    """The names of the functions and classes that the module defines at its top."""
    return [
        each.name.value for each in module.body if isinstance(each, cst.FunctionDef | cst.ClassDef)
    ]
