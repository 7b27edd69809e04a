"""LT209: an __init__ of a module that does not run the one of nn.Module, or runs it too late."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.classes.classes import ClassInfo, is_self
from lintorch.facts.nets.layer_classes import layer_made
from lintorch.facts.project.parts_elsewhere import is_written_around
from lintorch.source import Source
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT209",
    summary="a missing, late or wrong super().__init__()",
    why="""
        nn.Module.__init__ makes the tables that layers, parameters and hooks are kept in. Without
        it the first layer assigned raises, and so does the first call of a module that has none.
        The same happens to a layer that is assigned before super().__init__() has run.

        Sampler is the other way round: since torch 2.10 its __init__ takes no data_source, and
        super().__init__(data_source) raises. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, classes):
                self.classes = classes
                self.linear = nn.Linear(512, classes)

            def forward(self, x):
                return self.linear(x)
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, classes):
                super().__init__()
                self.classes = classes
                self.linear = nn.Linear(512, classes)

            def forward(self, x):
                return self.linear(x)
    """,
    remedy="call super().__init__() in the first line of __init__",
    proof="""
        Head(10)(torch.ones(1, 512))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

PARAMETER, _SAMPLER = "torch.nn.Parameter", "torch.utils.data.Sampler"
_UNUSUAL = frozenset({"__setattr__", "__getattr__", "__new__", "__call__", "__setstate__"})
_OTHER_WAYS = frozenset({"__init__", "__dict__", "__setstate__", "__class__", "super"})
"""Names by which the tables may be made."""


@rule.source(cst.ClassDef, needs=("__init__",))
def in_source(node: cst.ClassDef, source: Source) -> Iterator[Hit]:
    info = source.classes.all[node]
    init = info.methods.get("__init__")
    if init is None or not isinstance(init.body, cst.IndentedBlock):
        return
    if info.is_module and not _UNUSUAL & info.methods.keys() and not node.decorators:
        if not _makes_tables(init.body):
            yield from _missing(info, init, source)
        else:
            yield from _late(info, init, source)
    elif source.profile.torch >= (2, 10):
        yield from _of_sampler(node, init, source)


def _missing(info: ClassInfo, init: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """No word of another __init__, and layers that need it, or a forward that is called."""
    lines = [*_list_lines(init.body)]
    helpers = [name for line in lines for name in _hands_over(line)]
    own = [info.methods[name] for name in helpers if name in info.methods]
    lines += [inner for method in own for inner in _list_lines(method.body)]
    layers = any(_is_layer(_kept(line), source) for line in lines)
    called = (
        any(map(_kept, lines)) and _is_called(info, source) and not _is_run_by_name(info, source)
    )
    followed = len(own) == len(helpers) and not any(map(_leads_on, own))
    if (layers or called) and followed:
        message = f"{info.name}.__init__ does not call super().__init__(): it raises"
        yield Hit(init, message, _fix(info, init, source))


def _list_lines(block: cst.CSTNode) -> Iterator[cst.SimpleStatementLine]:
    """The lines of a block, and of the blocks in it, but for functions and classes."""
    for each in offspring(block):
        if isinstance(each, cst.SimpleStatementLine):
            yield each
        elif not isinstance(each, (cst.FunctionDef, cst.ClassDef, cst.BaseExpression)):
            yield from _list_lines(each)


def _leads_on(method: cst.FunctionDef) -> bool:
    """Whether a method may make the tables, or calls others that may."""
    return _makes_tables(method.body) or any(map(_hands_over, _list_lines(method.body)))


def _makes_tables(node: cst.CSTNode) -> bool:
    """Whether code has any word of another __init__."""
    if isinstance(node, cst.Name):
        return node.value in _OTHER_WAYS
    return any(map(_makes_tables, offspring(node)))


def _is_called(info: ClassInfo, source: Source) -> bool:
    """Whether it has a forward: its own, or that of a layer of torch."""
    of_torch = any(b.startswith("torch.nn.") and b != "torch.nn.Module" for b in info.bases)
    return of_torch or source.classes.method(info, "forward") is not None


def _is_run_by_name(info: ClassInfo, source: Source) -> bool:
    """`criterion.forward(out, y)`: a loss of plain settings, whose forward is a method like any other."""
    if not info.name.lower().endswith(("loss", "criterion")):
        return False
    return is_written_around(_BY_NAME, source.path, source.consulted, if_large=False)


_BY_NAME = re.compile(rb"(?i)\b\w*(loss|criteri(on|a))\w*\.forward\(")


def _kept(statement: cst.CSTNode) -> cst.BaseExpression | None:
    """What a statement `self.x = value` assigns."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Assign):
        own = [t for t in small.targets if _is_own(t.target)]
        return small.value if own else None
    return small.value if isinstance(small, cst.AnnAssign) and _is_own(small.target) else None


def _is_own(target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Attribute) and is_self(target.value)


def _hands_over(statement: cst.SimpleStatementLine) -> tuple[str, ...]:
    """The own method that is called, or "" where `self` is given to another function."""
    small = statement.body[0]
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call):
        return ()
    if isinstance(call.func, cst.Attribute) and is_self(call.func.value):
        return (call.func.attr.value,)
    return ("",) if any(is_self(arg.value) for arg in call.args) else ()


def _is_layer(value: cst.BaseExpression | None, source: Source) -> bool:
    """A layer or a Parameter."""
    if not isinstance(value, cst.Call):
        return False
    return bool(layer_made(value, source)) or source.name(value.func) == PARAMETER


def _late(info: ClassInfo, init: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """Layers among the statements that stand before super().__init__()."""
    if not info.bases[0].startswith("torch.nn."):
        return
    for statement in init.body.body:
        if not isinstance(statement, cst.SimpleStatementLine) or _makes_tables(statement):
            return
        if _is_layer(_kept(statement), source):
            yield Hit(statement.body[0], "assigned before super().__init__() has run: it raises")


def _fix(info: ClassInfo, init: cst.FunctionDef, source: Source) -> Fix | None:
    """At the head of the body, where nn.Module is the only base."""
    if info.bases != ("torch.nn.Module",):
        return None
    lines = [s for s in init.body.body if not _is_docstring(s)]
    first = lines[0].body[0] if isinstance(lines[0], cst.SimpleStatementLine) else lines[0]
    row, column = source.spans.of(first)[0]
    start = source.spans.offset(row, 1)
    indent = source.text[start : source.spans.offset(row, column)]
    if indent.strip():
        return None
    return Fix("call super().__init__() first", (source.above(lines[0], "super().__init__()"),))


def _is_docstring(statement: cst.CSTNode) -> bool:
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString)


def _of_sampler(node: cst.ClassDef, init: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`super().__init__(data_source)` where Sampler is the only base."""
    bases = [b.value.value if isinstance(b.value, cst.Subscript) else b.value for b in node.bases]
    if len(bases) != 1 or source.name(bases[0]) != _SAMPLER:
        return
    for call in source.nodes(cst.Call):
        if source.enclosing(call, cst.FunctionDef) is init and _is_super_init(call) and call.args:
            first, last = source.spans.of(call.args[0])[0], source.spans.of(call.args[-1])[1]
            edit = Edit(source.spans.offset(*first), source.spans.offset(*last), "")
            fix = (
                None
                if call.args[-1].comma != cst.MaybeSentinel.DEFAULT
                else Fix("call it without arguments", (edit,))
            )
            said = "Sampler.__init__ takes no argument since torch 2.10: it raises"
            yield Hit(call, said, fix, remedy="write super().__init__()")


def _is_super_init(call: cst.Call) -> bool:
    func = call.func
    return (
        isinstance(func, cst.Attribute)
        and func.attr.value == "__init__"
        and isinstance(func.value, cst.Call)
        and isinstance(func.value.func, cst.Name)
        and func.value.func.value == "super"
    )
