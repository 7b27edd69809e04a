"""What TorchScript compiles: functions and models that the file scripts, and all that they call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

import libcst as cst

from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import Class, Function, Held
from lintorch.facts.classes.classes import ClassInfo, HasClasses, is_self
from lintorch.facts.exporting.export_calls import HasProfile
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.names.lookup import HasNames

_SCRIPT = "torch.jit.script"
_LEFT_OUT = frozenset({"torch.jit.unused", "torch.jit.ignore"})
_HOLDERS = frozenset({"torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"})


class HasScripts(HasClasses, HasProfile, Protocol):
    """What knows what happens in a file, and with what its project deploys."""

    @property
    def evaluation(self) -> Evaluation:
        """What happens in the models and scripts of the file."""

    def __hash__(self) -> int:
        """The same as long as the file is checked."""


def find_scripted(source: HasScripts) -> dict[cst.FunctionDef, bool]:
    """The functions that are compiled: True where the file says so, False for other forwards.

    Forwards that the file does not script itself are there only where the project scripts models.
    """
    surely = dict.fromkeys(_reached(_asked(source), source), True)
    if "torchscript-script" not in source.profile.stated:
        return surely
    return dict.fromkeys(_reached(_presumed(source), source), False) | surely


def _presumed(source: HasScripts) -> Iterator[cst.FunctionDef]:
    """The forwards that ran as those of models that may be exported; all such where not all was followed."""
    roots = source.evaluation.reached
    ran: dict[str, bool] = {}
    for event in (each for reached in roots for each in reached.events):
        if event.spot.path == source.file.path and event.way.names:
            name = event.way.names[-1]
            ran[name] = ran.get(name, False) or event.way.forward
    cut = any(each.spent or each.failure is not None for each in roots)
    for info in source.classes.all.values():
        left = cut and source.evaluation.may_be_exported(info.name)
        if info.is_module and "forward" in info.methods and ran.get(f"{info.name}.forward", left):
            yield info.methods["forward"]


def is_compiled(node: cst.CSTNode, source: HasNames) -> bool:
    """Whether a node of a scripted function is not in a branch that only Python takes."""
    inner = node
    for outer in source.file.ancestors(node):
        if isinstance(outer, (cst.If, cst.IfExp)) and inner is not outer.test:
            verdict = _scripting(outer.test, source)
            if verdict is (inner is not outer.body):
                return False
        elif isinstance(outer, cst.IndentedBlock) and _left_before(outer, inner, source):
            return False
        elif isinstance(outer, cst.FunctionDef):
            return True
        inner = outer
    return True


def _asked(source: HasScripts) -> Iterator[cst.FunctionDef]:
    """What the file hands to `torch.jit.script`."""
    for function in source.file.nodes(cst.FunctionDef):
        if any(source.names.name(d.decorator) == _SCRIPT for d in function.decorators):
            yield function
    for _, event in source.evaluation.list_events({_SCRIPT}):
        given = name_given(event).get("obj") if isinstance(event, Called) else None
        kind = given.of if isinstance(given, Held) else None
        if isinstance(given, Function) and given.file.path == source.file.path:
            yield from (f for f in source.file.nodes(cst.FunctionDef) if _is_of(f, given, source))
        elif isinstance(kind, Class) and kind.file.path == source.file.path:
            for info in source.classes.all.values():
                if info.name == kind.name and info.is_module:
                    yield from _entries(info, source)


def _is_of(function: cst.FunctionDef, given: Function, source: HasScripts) -> bool:
    named = function.name.value == given.inmost.name
    return named and source.file.place(function).row == getattr(given.inmost.node, "lineno", 0)


def _reached(roots: Iterable[cst.FunctionDef], source: HasScripts) -> set[cst.FunctionDef]:
    waiting, found = [*roots], set[cst.FunctionDef]()
    calls = _calls(source) if waiting else {}
    while waiting:
        function = waiting.pop()
        if function in found or _is_left_out(function, source):
            continue
        found.add(function)
        for call in calls.get(function, ()):
            called = source.classes.function(call.func)
            nested = (
                called is not None and source.file.enclosing(called, cst.FunctionDef) is not None
            )
            if called is not None and not nested and is_compiled(call, source):
                waiting.append(called)
        if function.name.value == "forward" and (info := source.classes.around(function)):
            for part in _parts(info, source):
                waiting += _entries(part, source)
    return found


def _calls(source: HasScripts) -> dict[cst.CSTNode, list[cst.Call]]:
    """Calls by the function they stand in."""
    table: dict[cst.CSTNode, list[cst.Call]] = {}
    for call in source.file.nodes(cst.Call):
        if (function := source.file.enclosing(call, cst.FunctionDef)) is not None:
            table.setdefault(function, []).append(call)
    return table


def _entries(info: ClassInfo, source: HasScripts) -> Iterator[cst.FunctionDef]:
    """The methods of a module that are compiled without being called: forward and exported ones."""
    for one in source.classes.lineage(info):
        for name, method in one.methods.items():
            exported = any(
                source.names.name(d.decorator) == "torch.jit.export" for d in method.decorators
            )
            first = source.classes.method(info, name) is method
            if first and (name == "forward" or exported):
                yield method


def _parts(info: ClassInfo, source: HasScripts) -> Iterator[ClassInfo]:
    """The modules of the file that a module surely holds: each is compiled, called or not."""
    for one in source.classes.lineage(info):
        for values in one.attributes.values():
            for value in values:
                if len(values) == 1 and not _is_conditional(value, source):
                    yield from _held(value, source)


def _held(value: cst.BaseExpression, source: HasScripts) -> Iterator[ClassInfo]:
    if not isinstance(value, cst.Call):
        return
    info = source.classes.named(source.names.name(value.func))
    if info is not None and info.is_module:
        yield info
    elif source.names.name(value.func) in _HOLDERS:
        for arg in value.args:
            listed = isinstance(arg.value, (cst.List, cst.Tuple))
            for one in (e.value for e in arg.value.elements) if listed else (arg.value,):  # type: ignore[attr-defined]
                yield from _held(one, source)


def _is_conditional(value: cst.BaseExpression, source: HasScripts) -> bool:
    for outer in source.file.ancestors(value):
        if isinstance(outer, (cst.If, cst.IfExp, cst.Try, cst.For, cst.While, cst.Match)):
            return True
        if isinstance(outer, cst.FunctionDef):
            return outer.name.value != "__init__"
    return True


def _is_left_out(function: cst.FunctionDef, source: HasNames) -> bool:
    bare = (d.decorator for d in function.decorators)
    return any(
        source.names.name(d.func if isinstance(d, cst.Call) else d) in _LEFT_OUT for d in bare
    )


def _scripting(test: cst.BaseExpression, source: HasNames) -> bool | None:
    """What a test is where TorchScript compiles: True, False, or None if open."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _scripting(test.expression, source)
        return None if inner is None else not inner
    if isinstance(test, cst.BooleanOperation):
        sides = (_scripting(test.left, source), _scripting(test.right, source))
        decisive = not isinstance(test.operator, cst.And)
        return decisive if decisive in sides else None
    asked = isinstance(test, cst.Call) and source.names.name(test.func) == "torch.jit.is_scripting"
    return True if asked else None


def _left_before(block: cst.IndentedBlock, child: cst.CSTNode, source: HasNames) -> bool:
    """Whether the block returns above where TorchScript compiles."""
    for statement in block.body:
        if statement is child:
            return False
        if isinstance(statement, cst.If) and _scripting(statement.test, source) is True:
            last = statement.body.body[-1]
            small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
            if isinstance(small, (cst.Return, cst.Raise)):
                return True
    return False


def is_self_attribute(attribute: cst.CSTNode) -> bool:
    """`self.x`."""
    return isinstance(attribute, cst.Attribute) and is_self(attribute.value)
