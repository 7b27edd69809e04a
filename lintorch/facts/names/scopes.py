"""What names are bound to: imports, aliases, classes and functions, with shadowing respected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from lintorch.syntax.tree import Tree, offspring

_COMPREHENSIONS = (cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.DictComp)
_SCOPES = (cst.Module, cst.FunctionDef, cst.Lambda, cst.ClassDef, *_COMPREHENSIONS)


@dataclass(frozen=True, eq=False)
class Binding:
    """One place that binds a name.

    `kind`: "import" (`dotted` says of what), "assign" (`node` is the value), "class", "function",
    "param", or "other" (loops, with, except, unpacking: the value is not one expression).
    """

    kind: str
    node: cst.CSTNode
    dotted: str = ""


Names = dict[str, list[Binding]]


def bind_names(tree: Tree, package: str) -> dict[cst.CSTNode, Names]:
    """For each scope of the module, the names bound in it. `package` resolves relative imports."""
    table: dict[cst.CSTNode, Names] = defaultdict(lambda: defaultdict(list))
    for kind, read in _READERS.items():
        for node in tree.nodes.get(kind, ()):
            if isinstance(tree.parents.get(node), cst.ImportAlias):
                continue  # the `as` of an import belongs to the import
            for name, binding in read(node, package):
                table[_owner(node, tree.parents)][name].append(binding)
    return table


def scopes_around(node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
    """The scopes that a name at this node is looked up in, innermost first."""
    inner, first = node, True
    while (outer := tree.parents.get(inner)) is not None:
        if outer.__class__ in _SCOPES and _inside(outer, inner):
            if first or not isinstance(outer, cst.ClassDef):
                yield outer
            first = False
        inner = outer


def _inside(scope: cst.CSTNode, child: cst.CSTNode) -> bool:
    """Defaults, decorators, annotations and bases are looked up outside the scope they head."""
    if isinstance(scope, (cst.FunctionDef, cst.Lambda, cst.ClassDef)):
        return child is scope.body
    return True


def _owner(node: cst.CSTNode, parents: dict[cst.CSTNode, cst.CSTNode]) -> cst.CSTNode:
    walrus = isinstance(node, cst.NamedExpr)
    if isinstance(node, cst.CompFor):
        return _above(node, parents, _COMPREHENSIONS)
    if isinstance(node, cst.Param):
        return _above(node, parents, (cst.FunctionDef, cst.Lambda))
    inner = node
    while (outer := parents.get(inner)) is not None:
        skipped = walrus and outer.__class__ in _COMPREHENSIONS
        if outer.__class__ in _SCOPES and not skipped and _inside(outer, inner):
            return outer
        inner = outer
    return inner


def _above(
    node: cst.CSTNode, parents: dict[cst.CSTNode, cst.CSTNode], kinds: tuple[type, ...]
) -> cst.CSTNode:
    while not isinstance(node, kinds):
        node = parents[node]
    return node


def _import(node: cst.Import, _: str) -> Iterator[tuple[str, Binding]]:
    for alias in node.names:
        dotted = dotted_text(alias.name)
        if alias.asname is None:
            yield dotted.split(".")[0], Binding("import", alias, dotted.split(".")[0])
        elif isinstance(alias.asname.name, cst.Name):
            yield alias.asname.name.value, Binding("import", alias, dotted)


def _import_from(node: cst.ImportFrom, package: str) -> Iterator[tuple[str, Binding]]:
    if isinstance(node.names, cst.ImportStar):
        return
    origin = _origin(node, package)
    for alias in node.names:
        known = alias.asname.name if alias.asname else alias.name
        if isinstance(known, cst.Name):
            yield known.value, Binding("import", alias, f"{origin}.{dotted_text(alias.name)}")


def star_imports(tree: Tree, package: str) -> Iterator[str]:
    """The modules that the file imports everything from, the last first."""
    for node in reversed(tree.nodes.get(cst.ImportFrom, [])):
        assert isinstance(node, cst.ImportFrom)
        if isinstance(node.names, cst.ImportStar):
            yield _origin(node, package)


def _origin(node: cst.ImportFrom, package: str) -> str:
    """The full name of the module that is imported from."""
    origin = dotted_text(node.module) if node.module else ""
    if not node.relative:
        return origin
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - len(node.relative) + 1]
    return ".".join([*kept, *([origin] if origin else [])])


def _assign(node: cst.Assign, _: str) -> Iterator[tuple[str, Binding]]:
    for target in node.targets:
        if isinstance(target.target, cst.Name):
            yield target.target.value, Binding("assign", node.value)
        else:
            yield from _targets(target.target)


def _single(node: cst.CSTNode, _: str) -> Iterator[tuple[str, Binding]]:
    target = getattr(node, "target", None)
    if isinstance(target, cst.Name):
        value = node.value if isinstance(node, (cst.AnnAssign, cst.NamedExpr)) else None
        yield target.value, Binding("assign", value) if value else Binding("other", node)


def _loop(node: cst.CSTNode, _: str) -> Iterator[tuple[str, Binding]]:
    yield from _targets(node.target)  # type: ignore[attr-defined]


def _as_name(node: cst.AsName, _: str) -> Iterator[tuple[str, Binding]]:
    yield from _targets(node.name)


def _param(node: cst.Param, _: str) -> Iterator[tuple[str, Binding]]:
    yield node.name.value, Binding("param", node)


def _definition(node: cst.CSTNode, _: str) -> Iterator[tuple[str, Binding]]:
    kind = "class" if isinstance(node, cst.ClassDef) else "function"
    yield node.name.value, Binding(kind, node)  # type: ignore[attr-defined]


def _targets(target: cst.CSTNode) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, cst.Name):
        yield target.value, Binding("other", target)
    elif isinstance(target, (cst.Tuple, cst.List, cst.Element, cst.StarredElement)):
        for part in offspring(target):
            yield from _targets(part)


def dotted_text(node: cst.CSTNode | None) -> str:
    """`a.b.c` of a chain of names; "" of anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute) and (head := dotted_text(node.value)):
        return f"{head}.{node.attr.value}"
    return ""


def find_first_name(node: cst.CSTNode) -> str:
    """`a` of `a.b(c).d[0]`; "" where it begins with no name."""
    while not isinstance(node, cst.Name):
        if isinstance(node, cst.Call):
            node = node.func
        elif isinstance(node, (cst.Attribute, cst.Subscript)):
            node = node.value
        else:
            return ""
    return node.value


_READERS: dict[type, Callable[[Any, str], Iterator[tuple[str, Binding]]]] = {
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.Assign: _assign,
    cst.AnnAssign: _single,
    cst.AugAssign: _single,
    cst.NamedExpr: _single,
    cst.For: _loop,
    cst.CompFor: _loop,
    cst.AsName: _as_name,
    cst.Param: _param,
    cst.FunctionDef: _definition,
    cst.ClassDef: _definition,
}
