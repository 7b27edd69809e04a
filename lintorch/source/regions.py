"""The forward region: what runs, and is seen by an exporter, when a model of the file runs forward."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import libcst as cst

from lintorch.source import guards
from lintorch.source.classes import Classes, is_self
from lintorch.source.names import Lookup
from lintorch.source.tree import Tree

_UNSEEN = ("torch.jit.unused", "torch.jit.ignore", "torch.jit.export")


class Regions:
    """`forward` of every nn.Module and what it calls in the class and the file."""

    def __init__(
        self, tree: Tree, names: Lookup, classes: Classes, entered: frozenset[str] = frozenset()
    ) -> None:
        self._entered = entered
        self._tree = tree
        self._names = names
        self._classes = classes

    def holds(self, node: cst.CSTNode) -> bool:
        """Whether a node runs in a forward pass, outside branches that only training or eager take."""
        inner, outer = node, self._tree.parents.get(node)
        while outer is not None:
            if guards.skipped(outer, inner, self._names):
                return False
            if (
                isinstance(outer, cst.FunctionDef)
                and inner is outer.body
                and outer in self.functions
            ):
                return True
            if isinstance(outer, cst.ClassDef):
                return False
            inner, outer = outer, self._tree.parents.get(outer)
        return False

    def traced(self, node: cst.CSTNode) -> bool:
        """Whether a node runs when a model is traced: in a forward that is not a loss's."""
        inner, outer, loss = node, self._tree.parents.get(node), False
        while outer is not None:
            if guards.scripted_only(outer, inner, self._names):
                return False
            if isinstance(outer, cst.FunctionDef):
                loss = guards.wants_target(outer) or guards.is_loss(outer)
            if isinstance(outer, cst.ClassDef):
                info = self._classes.all[outer]
                forward = info.methods.get("forward")
                loss = loss or guards.is_loss(outer)
                loss = loss or (forward is not None and guards.wants_target(forward))
                break
            inner, outer = outer, self._tree.parents.get(outer)
        return not loss and self.holds(node)

    def settled(self, test: cst.BaseExpression) -> bool:
        """Whether a test has one outcome whenever a model is exported: training, tracing."""
        return guards.deployed(test, self._names) is not None

    def checks(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether `inner` is directly what an assert, an error or a message is about."""
        return guards.is_check(outer, inner, self._names)

    @cached_property
    def functions(self) -> frozenset[cst.FunctionDef]:
        """The functions of the region."""
        waiting = [
            info.methods["forward"]
            for info in self._classes.all.values()
            if info.is_module and "forward" in info.methods
        ]
        waiting += [f for f in self._functions if f.name.value in self._entered]
        found: set[cst.FunctionDef] = set()
        while waiting:
            function = waiting.pop()
            if function not in found and not self._unseen(function):
                found.add(function)
                waiting += self._called(function)
        return frozenset(found)

    @property
    def _functions(self) -> Iterator[cst.FunctionDef]:
        """The functions at the top of the file."""
        for node in self._tree.nodes.get(cst.FunctionDef, []):
            if isinstance(node, cst.FunctionDef) and self._is_top(node):
                yield node

    def _is_top(self, node: cst.CSTNode) -> bool:
        outer = self._tree.parents[node]
        while isinstance(outer, (cst.If, cst.Else, cst.IndentedBlock, cst.Try)):
            outer = self._tree.parents[outer]
        return isinstance(outer, cst.Module)

    @property
    def inside(self) -> frozenset[str]:
        """The names of the functions at the top of the file that belong to the region."""
        return frozenset(f.name.value for f in self._functions if f in self.functions)

    def outside(self) -> Iterator[cst.BaseExpression]:
        """What the region calls that is no function or method of the file."""
        for function in self.functions:
            for call in self._calls.get(function, []):
                if self._target(call, function) is None and not self._in_skipped(call, function):
                    yield call.func

    def _unseen(self, function: cst.FunctionDef) -> bool:
        return any(self._names.name(d.decorator) in _UNSEEN for d in function.decorators)

    def _called(self, function: cst.FunctionDef) -> Iterator[cst.FunctionDef]:
        """Functions that `function` calls, outside branches that do not count."""
        for call in self._calls.get(function, []):
            target = self._target(call, function)
            if target is not None and not self._in_skipped(call, function):
                yield target

    @cached_property
    def _calls(self) -> dict[cst.FunctionDef, list[cst.Call]]:
        """Calls by the outermost function or method they stand in."""
        table: dict[cst.FunctionDef, list[cst.Call]] = {}
        for call in self._tree.nodes.get(cst.Call, []):
            assert isinstance(call, cst.Call)
            node: cst.CSTNode | None = call
            while (node := self._tree.parents.get(node)) is not None:  # type: ignore[arg-type]
                if isinstance(node, cst.FunctionDef):
                    table.setdefault(node, []).append(call)
        return table

    def _target(self, call: cst.Call, function: cst.FunctionDef) -> cst.FunctionDef | None:
        func = call.func
        if isinstance(func, cst.Attribute) and is_self(func.value):
            info = self._classes.around(function)
            return self._classes.method(info, func.attr.value) if info else None
        if isinstance(func, cst.Name):
            bound = self._names.bound(func)
            if len(bound) == 1 and isinstance(bound[0].node, cst.FunctionDef):
                return bound[0].node
        return None

    def _in_skipped(self, node: cst.CSTNode, function: cst.FunctionDef) -> bool:
        inner = node
        while inner is not function:
            outer = self._tree.parents[inner]
            if guards.skipped(outer, inner, self._names):
                return True
            inner = outer
        return False
