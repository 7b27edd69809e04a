"""The classes of a file: which are nn.Modules, their methods, and what their attributes were built from."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import libcst as cst

from lintorch.facts.classes.model_classes import is_module_class, is_subclass
from lintorch.facts.names.lookup import HasNames, Lookup
from lintorch.facts.project.module_homes import Project
from lintorch.syntax.parsed_file import ParsedFile


@dataclass(frozen=True, eq=False)
class ClassInfo:
    """One class statement."""

    node: cst.ClassDef
    name: str
    is_module: bool
    bases: tuple[str, ...]
    methods: dict[str, cst.FunctionDef] = field(default_factory=dict)
    attributes: dict[str, list[cst.BaseExpression]] = field(default_factory=dict)
    """What is assigned to `self.x` anywhere in the class."""


class HasClasses(HasNames, Protocol):
    """What knows the names and the classes of a file."""

    @property
    def classes(self) -> Classes:
        """Which of them are nn.Modules, their methods and attributes."""


class Classes:
    """All classes of one file."""

    def __init__(self, file: ParsedFile, names: Lookup, project: Project) -> None:
        self._file = file
        self._names = names
        self._project = project

    @cached_property
    def all(self) -> dict[cst.ClassDef, ClassInfo]:
        """Each class of the file, in document order."""
        found: dict[cst.ClassDef, ClassInfo] = {}
        local: dict[str, ClassInfo] = {}
        for node in self._file.nodes(cst.ClassDef):
            info = self._class(node, local)
            found[node] = local[self._names.full_name(info.node)] = info
        return found

    def around(self, node: cst.CSTNode) -> ClassInfo | None:
        """The innermost class around a node."""
        outer = self._file.enclosing(node, cst.ClassDef)
        return self.all[outer] if outer is not None else None

    def lineage(self, info: ClassInfo) -> Iterator[ClassInfo]:
        """The class and its bases in this file, each once, nearest first."""
        waiting, met = [info], {info}
        while waiting:
            each = waiting.pop()
            yield each
            above = [c for base in each.bases if (c := self._by_name.get(base)) and c not in met]
            met.update(above)
            waiting += reversed(above)

    @cached_property
    def _by_name(self) -> dict[str, ClassInfo]:
        return {self._names.full_name(info.node): info for info in self.all.values()}

    def named(self, dotted: str) -> ClassInfo | None:
        """The class of this file with this full name."""
        return self._first_by_name.get(dotted)

    @cached_property
    def _first_by_name(self) -> dict[str, ClassInfo]:
        return {self._names.full_name(info.node): info for info in reversed(self.all.values())}

    def is_module_class(self, dotted: str) -> bool:
        """Whether a full name is that of a subclass of nn.Module, of the project or a library."""
        return is_module_class(dotted, self._project)

    def is_subclass(self, dotted: str, bases: Collection[str]) -> bool:
        """Whether a full name is one of these classes, or of one derived from them."""
        return is_subclass(dotted, bases, self._project)

    def function(self, expression: cst.CSTNode) -> cst.FunctionDef | None:
        """The function or own method of this file that an expression stands for, if it is one."""
        if isinstance(expression, cst.Attribute) and is_self(expression.value):
            info = self.around(expression)
            return self.method(info, expression.attr.value) if info else None
        bound = self._names.bound(expression) if isinstance(expression, cst.Name) else []
        node = bound[0].node if len(bound) == 1 else None
        return node if isinstance(node, cst.FunctionDef) else None

    def method(self, info: ClassInfo, name: str) -> cst.FunctionDef | None:
        """A method of the class or of a base in this file."""
        return next((c.methods[name] for c in self.lineage(info) if name in c.methods), None)

    def assigned(self, expression: cst.CSTNode) -> list[cst.BaseExpression]:
        """The expressions that `self.x` or a local name was assigned from; [] where unknown."""
        if isinstance(expression, cst.Attribute) and is_self(expression.value):
            info = self.around(expression)
            classes = self.lineage(info) if info else ()
            name = expression.attr.value
            return next((c.attributes[name] for c in classes if name in c.attributes), [])
        if isinstance(expression, cst.Name):
            bound = self._names.bound(expression)
            if bound and all(b.kind == "assign" for b in bound):
                return [b.node for b in bound if isinstance(b.node, cst.BaseExpression)]
        return []

    def built(self, expression: cst.CSTNode) -> tuple[cst.Call, ...]:
        """The calls an expression stands for, itself one or assigned from some; () if any is not."""
        if isinstance(expression, cst.Call):
            return (expression,)
        calls: list[cst.Call] = []
        for value in self.assigned(expression):
            branches = _branches(value)
            if not all(isinstance(branch, cst.Call) for branch in branches):
                return ()
            calls += [branch for branch in branches if isinstance(branch, cst.Call)]
        return tuple(calls)

    def _class(self, node: cst.ClassDef, local: dict[str, ClassInfo]) -> ClassInfo:
        bases = tuple(self._names.name(_class_of(base.value)) for base in node.bases)
        is_module = any(
            local[b].is_module if b in local else self.is_module_class(b) for b in bases
        )
        info = ClassInfo(node, node.name.value, is_module, bases)
        for item in node.body.body:
            if isinstance(item, cst.FunctionDef):
                info.methods[item.name.value] = item
        return replace(info, attributes=self._attributes.get(node, {}))

    @cached_property
    def _attributes(self) -> dict[cst.ClassDef | None, dict[str, list[cst.BaseExpression]]]:
        """For each class, and for what is in none, what is assigned to each attribute of `self`."""
        table: dict[cst.ClassDef | None, dict[str, list[cst.BaseExpression]]] = {}
        for target, value in self._assignments():
            if isinstance(target, cst.Attribute) and is_self(target.value):
                owner = table.setdefault(self._file.enclosing(target, cst.ClassDef), {})
                owner.setdefault(target.attr.value, []).append(value)
        return table

    def _assignments(self) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
        for assign in self._file.nodes(cst.Assign):
            for target in assign.targets:
                yield target.target, assign.value
        for annotated in self._file.nodes(cst.AnnAssign):
            if annotated.value is not None:
                yield annotated.target, annotated.value


def _class_of(base: cst.BaseExpression) -> cst.BaseExpression:
    """`Dataset` of `Dataset[Sample]`."""
    return base.value if isinstance(base, cst.Subscript) else base


def is_self(node: cst.CSTNode) -> bool:
    """Whether an expression is the name `self`."""
    return isinstance(node, cst.Name) and node.value == "self"


def _branches(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(value, cst.IfExp):
        return _branches(value.body) + _branches(value.orelse)
    return [value]
