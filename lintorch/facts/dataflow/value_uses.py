"""Where a value goes: into the graph of a model, or only into decisions, checks and messages."""

from __future__ import annotations

from typing import Protocol

import libcst as cst

from lintorch.facts.dataflow.value_flow import Flows, HasFlows
from lintorch.facts.dataflow.values import Kind
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.regions.forward_region import HasRegions, Regions
from lintorch.syntax.parsed_file import ParsedFile
from lintorch.syntax.tree import names_in

_TALK = frozenset({"str", "repr", "isinstance", "type", "id", "hash", "print", "format"})
_MESSAGES = (cst.FormattedString, cst.FormattedStringExpression)
_CHOICES = (cst.If, cst.While, cst.IfExp, cst.Assert)
_Met = tuple[cst.CSTNode, str, bool]
"""A function, a name in it, and whether the name holds sizes."""


class HasUses(HasRegions, HasFlows, Protocol):
    """What knows the values of a file, and where they go."""

    @property
    def uses(self) -> Uses:
        """Which values end in what a model computes."""


class Uses:
    """Follows values through names and tuples of one file."""

    def __init__(self, file: ParsedFile, names: Lookup, regions: Regions, flows: Flows) -> None:
        self._file = file
        self._names = names
        self._regions = regions
        self._flows = flows
        self._loads: dict[cst.FunctionDef, dict[str, list[cst.Name]]] = {}
        self._idle: set[_Met] = set()
        """Names none of which reaches the graph."""

    def in_graph(self, node: cst.CSTNode) -> bool:
        """Whether a value may become part of what a model computes; it does if in doubt."""
        met: set[_Met] = set()
        reaches = self._reaches(node, met)
        if not reaches:
            self._idle |= met
        return reaches

    def _reaches(self, node: cst.CSTNode, met: set[_Met]) -> bool:
        part = None
        while (outer := self._file.parent(node)) is not None:
            if self._ends(outer, node):
                return False
            if isinstance(outer, cst.Assign):
                return any(self._target(t.target, node, part, met) for t in outer.targets)
            if isinstance(outer, (cst.BaseStatement, cst.BaseSmallStatement)):
                return True
            part, node = node, outer
        return False

    def _ends(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether what is around a value only looks at it."""
        if isinstance(outer, (cst.Expr, *_MESSAGES)):
            return True
        if isinstance(outer, _CHOICES) and inner is outer.test:
            return True
        if isinstance(outer, cst.CompIf):
            return True
        if isinstance(outer, cst.Call) and self._names.name(outer.func) in _TALK:
            return True
        return self._regions.is_check(outer, inner)

    def _target(
        self,
        target: cst.CSTNode,
        node: cst.CSTNode,
        part: cst.CSTNode | None,
        met: set[_Met],
    ) -> bool:
        """`part` is the element of the tuple `node` that holds the value."""
        if isinstance(target, cst.Name):
            return self._named(target, met)
        if not isinstance(target, (cst.Tuple, cst.List)):
            return True
        bound = [element.value for element in target.elements]
        if isinstance(node, cst.Tuple) and len(node.elements) == len(bound):
            bound = [b for b, given in zip(bound, node.elements, strict=True) if given is part]
        names = [name for name in bound if isinstance(name, cst.Name)]
        whole = self._flows.value(node).kind is Kind.SHAPE
        return len(names) < len(bound) or any(self._named(n, met, whole) for n in names)

    def _named(self, name: cst.Name, met: set[_Met], sized: bool = False) -> bool:
        """Whether any mention of a name that was given the value reaches the graph, `met` ones apart."""
        function = self._file.enclosing(name, cst.FunctionDef)
        if function is None:
            return True
        key = function, name.value, sized
        if key in met or key in self._idle:
            return False
        met.add(key)
        return any(
            self._reaches(load, met)
            for load in self._loads_of(function).get(name.value, ())
            if not sized or self._flows.value(load).may_vary
        )

    def _loads_of(self, function: cst.FunctionDef) -> dict[str, list[cst.Name]]:
        if function not in self._loads:
            table: dict[str, list[cst.Name]] = {}
            for name in names_in(function.body):
                if self._is_load(name):
                    table.setdefault(name.value, []).append(name)
            self._loads[function] = table
        return self._loads[function]

    def _is_load(self, name: cst.Name) -> bool:
        outer = self._file.parent(name)
        if isinstance(outer, cst.Attribute):
            return name is outer.value
        if isinstance(outer, cst.Arg):
            return name is outer.value
        node: cst.CSTNode | None = name
        while isinstance(node, (cst.Name, cst.Element, cst.Tuple, cst.List)):
            node = self._file.parent(node)
        return not isinstance(node, (cst.AssignTarget, cst.NameItem, cst.Param))
