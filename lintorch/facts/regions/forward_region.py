"""The forward region: what runs, and is seen by an exporter, when a model of the file runs forward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import libcst as cst

from lintorch.facts.classes.classes import Classes, ClassInfo, is_self
from lintorch.facts.names.lookup import Lookup
from lintorch.facts.regions import guards, other_runtimes
from lintorch.facts.regions.file_purpose import FilePurpose
from lintorch.syntax.parsed_file import ParsedFile

_APART = frozenset({"inference", "infer"})
"""Methods by which a model is run, where its forward is for training."""
_BRANCHES = (cst.If, cst.IfExp, cst.Try)
_UNSEEN = ("torch.jit.unused", "torch.jit.ignore", "torch.jit.export")


class Regions:
    """`forward` of every nn.Module and what it calls in the class and the file.

    `entered` names the functions of the file that forward passes of other files call.
    """

    def __init__(
        self,
        file: ParsedFile,
        names: Lookup,
        classes: Classes,
        purpose: FilePurpose,
        entered: frozenset[str],
    ) -> None:
        self._file = file
        self._names = names
        self._classes = classes
        self._purpose = purpose
        self._entered = entered
        self._deployable: dict[cst.ClassDef, bool] = {}
        self._skipped: dict[cst.CSTNode, bool] = {}

    def _within(self, node: cst.CSTNode, functions: frozenset[cst.FunctionDef]) -> bool:
        parents = self._file.tree.parents
        inner, outer = node, parents.get(node)
        while outer is not None:
            if self._is_skipped(outer, inner):
                return False
            if isinstance(outer, cst.FunctionDef) and inner is outer.body and outer in functions:
                return True
            if isinstance(outer, cst.ClassDef):
                return False
            inner, outer = outer, parents.get(outer)
        return False

    def _is_skipped(self, outer: cst.CSTNode, inner: cst.CSTNode) -> bool:
        """Whether `inner`, a child of `outer`, is no part of what an exporter is shown."""
        if inner not in self._skipped:
            elsewhere = other_runtimes.is_runtime_branch(outer, inner, self._file.tree.parents)
            self._skipped[inner] = elsewhere or guards.is_skipped(outer, inner, self._names)
        return self._skipped[inner]

    def is_left_out(self, node: cst.CSTNode) -> bool:
        """Whether a node stands where its function does not come while a model is exported."""
        parents = self._file.tree.parents
        inner, outer = node, parents.get(node)
        while outer is not None and not isinstance(inner, cst.FunctionDef):
            if self._is_skipped(outer, inner):
                return True
            inner, outer = outer, parents.get(outer)
        return False

    def is_traced(self, node: cst.CSTNode) -> bool:
        """Whether a node runs when a model is traced: in a forward that is not a loss's."""
        if not self._purpose.is_deployable:
            return False
        parents = self._file.tree.parents
        inner, outer = node, parents.get(node)
        while outer is not None:
            if guards.scripted_only(outer, inner, self._names):
                return False
            if isinstance(outer, cst.FunctionDef) and outer in self._kept:
                return False
            if isinstance(outer, cst.ClassDef):
                if not self._is_deployed(outer):
                    return False
                break
            inner, outer = outer, parents.get(outer)
        return self._within(node, self._deployed)

    def _is_deployed(self, owner: cst.ClassDef) -> bool:
        """Whether neither a class nor its forward says that it is a loss, or for training only."""
        if owner not in self._deployable:
            self._deployable[owner] = self._looks_deployed(owner)
        return self._deployable[owner]

    def _looks_deployed(self, owner: cst.ClassDef) -> bool:
        methods = self._classes.all[owner].methods
        forward = methods.get("forward")
        apart = not _APART.isdisjoint(methods)
        trains = apart or (forward is not None and not guards.returns_or_raises(forward))
        aside = guards.is_left_out(owner) or other_runtimes.is_backend_name(owner.name.value)
        aside = aside or forward in self._kept or owner in self._dispatching
        return not (trains or aside)

    @cached_property
    def _dispatching(self) -> frozenset[cst.ClassDef]:
        """The classes that hand work to another runtime or process, read what to work on, or train."""
        found: set[cst.ClassDef] = set()
        for function, calls in self._calls.items():
            info = self._classes.around(function)
            if info is None or info.node in found:
                continue
            if any(self._leads_out(call, function, info) for call in calls):
                found.add(info.node)
        return frozenset(found | set(self._list_gathering()))

    def _list_gathering(self) -> Iterator[cst.ClassDef]:
        """Classes whose forward reaches a collective, be it in a class they derive from, or a function of the file."""
        asking = {
            function
            for function, calls in self._calls.items()
            if any(
                other_runtimes.is_collective(call, self._names) and self._is_sure(call, function)
                for call in calls
            )
        }
        for info in self._classes.all.values() if asking else ():
            forward = self._classes.method(info, "forward")
            if forward is not None and not asking.isdisjoint(self._follow([forward], frozenset())):
                yield info.node

    def _is_sure(self, node: cst.CSTNode, function: cst.FunctionDef) -> bool:
        """Whether a node runs whenever its function does: in no branch, and behind none that may return."""
        inner = node
        while inner is not function:
            outer = self._file.tree.parents[inner]
            lines = outer.body if isinstance(outer, cst.IndentedBlock) else ()
            earlier = lines[: lines.index(inner)] if inner in lines else ()
            if isinstance(outer, _BRANCHES) or any(isinstance(e, cst.If) for e in earlier):
                return False
            inner = outer
        return True

    def _leads_out(self, call: cst.Call, function: cst.FunctionDef, info: ClassInfo) -> bool:
        handed = other_runtimes.is_handed_over(call, self._names)
        asks = other_runtimes.reads_files(call, self._names) or other_runtimes.is_collective(
            call, self._names
        )
        asks = asks or _clears_gradients(call)
        if not handed and not asks:
            return False
        built = handed and function.name.value == "__init__"
        return built or function in self._reached([info], frozenset())

    @cached_property
    def _kept(self) -> frozenset[cst.CSTNode]:
        """Functions that are no part of a deployed model, by what they are called, take or give."""
        return frozenset(filter(guards.is_left_out, self._file.nodes(cst.FunctionDef)))

    def is_settled(self, test: cst.BaseExpression) -> bool:
        """Whether a test has one outcome whenever a model is exported: training, tracing."""
        return guards.deployed_outcome(test, self._names) is not None

    @cached_property
    def functions(self) -> frozenset[cst.FunctionDef]:
        """The functions of the region."""
        return self._reached(self._classes.all.values(), frozenset())

    @cached_property
    def _deployed(self) -> frozenset[cst.FunctionDef]:
        """Those of them that more than losses, metrics and the like call."""
        owners = [c for c in self._classes.all.values() if self._is_deployed(c.node)]
        return self._reached(owners, self._kept)

    def _reached(
        self, owners: Iterable[ClassInfo], without: frozenset[cst.CSTNode]
    ) -> frozenset[cst.FunctionDef]:
        """The forwards of these classes, what other files enter, and all that they call."""
        waiting = [c.methods["forward"] for c in owners if c.is_module and "forward" in c.methods]
        waiting += [f for f in self._functions if f.name.value in self._entered]
        return self._follow(waiting, without)

    def _follow(
        self, waiting: list[cst.FunctionDef], without: frozenset[cst.CSTNode]
    ) -> frozenset[cst.FunctionDef]:
        """These functions, and all of the file that they call."""
        found: set[cst.FunctionDef] = set()
        while waiting:
            function = waiting.pop()
            if function not in found and function not in without and not self._unseen(function):
                found.add(function)
                waiting += self._called(function)
        return frozenset(found)

    @property
    def _functions(self) -> Iterator[cst.FunctionDef]:
        """The functions at the top of the file."""
        return filter(self._is_top, self._file.nodes(cst.FunctionDef))

    def _is_top(self, node: cst.CSTNode) -> bool:
        outer = self._file.parent(node)
        while isinstance(outer, (cst.If, cst.Else, cst.IndentedBlock, cst.Try)):
            outer = self._file.parent(outer)
        return isinstance(outer, cst.Module)

    @property
    def functions_inside(self) -> frozenset[str]:
        """The names of the functions at the top of the file that belong to the region."""
        return frozenset(f.name.value for f in self._functions if f in self.functions)

    def calls_outside(self) -> Iterator[cst.BaseExpression]:
        """What the region calls that is no function or method of the file."""
        for function in self._deployed:
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
        for call in self._file.nodes(cst.Call):
            function = self._file.enclosing(call, cst.FunctionDef)
            while function is not None:
                table.setdefault(function, []).append(call)
                function = self._file.enclosing(function, cst.FunctionDef)
        return table

    def _target(self, call: cst.Call, function: cst.FunctionDef) -> cst.FunctionDef | None:
        func = call.func
        if isinstance(func, cst.Attribute) and is_self(func.value):
            info = self._classes.around(function)
            return self._classes.method(info, func.attr.value) if info else None
        return self._classes.function(func)

    def _in_skipped(self, node: cst.CSTNode, function: cst.FunctionDef) -> bool:
        inner = node
        while inner is not function:
            outer = self._file.tree.parents[inner]
            if self._is_skipped(outer, inner):
                return True
            inner = outer
        return False


def _clears_gradients(call: cst.Call) -> bool:
    """`self.optimizer.zero_grad()`: a forward that calls it is a step of training."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == "zero_grad"
