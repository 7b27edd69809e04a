"""Shows tracers what a function with a gradient of its own computes, in the place of its call.

    if flag and not torch.jit.is_tracing():
        return CheckpointFunction.apply(run, *inputs)
    else:
        return run(*inputs)

Where no other side does the same, the Function's `forward` is called with a context that nobody
reads. Measured on torch 2.13: both tracers then hold plain operations, and are right at other
batch sizes, heights and widths; torch.export and onnx never take that side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.core.profile import Profile
from lintorch.syntax.edits import indent_below, read_margin
from lintorch.syntax.tree import names_in

N = TypeVar("N", bound=cst.CSTNode)
_TRACING = "torch.jit.is_tracing"
_CONTEXT, _CONTEXT_SINCE = "torch.autograd.function.FunctionCtx", (1, 11)
_WEAK = (cst.IfExp, cst.Lambda, cst.NamedExpr)
_BETWEEN = " \t\\\r\n;"
"""What parts a statement from what stands ahead of it in its line."""
_PLAIN_PLACES = (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg)


class HasCalls(Protocol):
    """A file whose calls can be found and edited."""

    text: str
    profile: Profile

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around this one."""

    def nodes(self, kind: type[N]) -> list[N]:
        """All nodes of a class."""

    def code(self, node: cst.CSTNode) -> str:
        """The node's own text."""

    def replace(self, node: cst.CSTNode, content: str) -> Edit:
        """Put `content` in the place of a node."""

    def reach(self, dotted: str, at: cst.CSTNode) -> tuple[str, tuple[Edit, ...]]:
        """How to write a dotted name at a node, and the import that this needs."""


def take_plain_side(call: cst.Call, source: HasCalls, promise: Applicability) -> Fix | None:
    """For `if flag: return Function.apply(run, x)` where what is returned otherwise is `run(x)`."""
    asked, imports = source.reach(_TRACING, call)
    taken = {source.code(each.value) for each in call.args}
    line = source.parent(call)
    if not asked or not isinstance(line, cst.Return):
        return None
    for branch, negated in _list_branches(line, source):
        other = branch.body if negated else _find_other(branch, source)
        if other is None or _name_called(other, source) not in taken:
            continue
        test, word = branch.test, "or" if negated else "and not"
        loose = isinstance(test, _WEAK) or (not negated and _is_either(test))
        text = f"({source.code(test)})" if loose and not test.lpar else source.code(test)
        edit = source.replace(test, f"{text} {word} {asked}()")
        return Fix("call what it runs while torch.jit traces", (edit, *imports), promise)
    return None


def _list_branches(line: cst.Return, source: HasCalls) -> Iterator[tuple[cst.If, bool]]:
    """The `if` on one side of which the line ends, and whether it is the side of no."""
    statement = source.parent(line)
    one_line = isinstance(statement, cst.SimpleStatementSuite)
    block = statement if one_line or statement is None else source.parent(statement)
    around = source.parent(block) if block is not None else None
    if isinstance(around, cst.If):
        yield around, False
    if isinstance(around, cst.Else) and isinstance(branch := source.parent(around), cst.If):
        yield branch, True
    if isinstance(block, cst.IndentedBlock):
        before = [each for each in block.body[: _index(block, statement)] if isinstance(each, cst.If)]  # fmt: skip
        yield from ((each, True) for each in before[-1:] if each.orelse is None)


def _index(block: cst.IndentedBlock, statement: cst.CSTNode | None) -> int:
    return next(i for i, each in enumerate(block.body) if each is statement)


def _find_other(branch: cst.If, source: HasCalls) -> cst.CSTNode | None:
    """What runs where the test is false: the `else`, or the statement that comes next."""
    if branch.orelse is not None:
        return branch.orelse.body if isinstance(branch.orelse, cst.Else) else None
    block = source.parent(branch)
    if not isinstance(block, cst.IndentedBlock):
        return None
    behind = block.body[_index(block, branch) + 1 :]
    return behind[0] if behind else None


def _name_called(side: cst.CSTNode, source: HasCalls) -> str:
    """`run` of a side that is nothing but `return run(…)`."""
    while isinstance(side, (cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        if len(side.body) != 1:
            return ""
        side = side.body[0]
    value = side.value if isinstance(side, cst.Return) else None
    return source.code(value.func) if isinstance(value, cst.Call) else ""


def _is_either(test: cst.BaseExpression) -> bool:
    return isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or)


def call_forward(call: cst.Call, source: HasCalls) -> Fix | None:
    """For `Function.apply(x)` of a Function of the file: its `forward`, with a context where it takes one."""
    first = _write_first(call, source)
    asked, imports = source.reach(_TRACING, call)
    if first is None or not asked or "\n" in source.code(call):
        return None
    begin, more = first
    given = source.code(call)[len(source.code(call.func)) :].lstrip()[1:]
    own = source.code(call.func).removesuffix("apply") + f"forward({begin}"
    plain = (own if call.args else own.removesuffix(", ")) + given
    edit = _add_side(call, plain, f"{asked}()", source)
    told = "call the Function's forward while torch.jit traces"
    return Fix(told, (edit, *dict.fromkeys((*imports, *more))), Applicability.UNSAFE)


def _add_side(call: cst.Call, plain: str, asked: str, source: HasCalls) -> Edit:
    """Two lines above a `return`, which gets a line of its own; elsewhere `plain if … else call`."""
    line = source.parent(call)
    if isinstance(line, cst.Return) and (begun := _begin_line(line, source)):
        whole, (start, head, margin) = source.replace(line, ""), begun
        told = source.text[whole.start : whole.end]
        text = f"{head}if {asked}:\n{indent_below(margin)}return {plain}\n{margin}{told}"
        return replace(whole, start=start, content=text)
    text = f"{plain} if {asked} else {source.code(call)}"
    return source.replace(call, text if isinstance(line, _PLAIN_PLACES) else f"({text})")


def _begin_line(line: cst.Return, source: HasCalls) -> tuple[int, str, str] | None:
    """Where to write what comes ahead of a statement, what breaks its line there, and the margin.

    None where that takes more than one break, as in `if flag: y = 2 * x; return y`.
    """
    shared = source.parent(line)
    outer = source.parent(shared) if isinstance(shared, cst.SimpleStatementSuite) else shared
    if not isinstance(shared, (cst.SimpleStatementSuite, cst.SimpleStatementLine)) or outer is None:
        return None
    is_first = shared.body[0] is line
    start = source.replace(line, "").start
    if is_first and outer is shared:
        return start, "", read_margin(source.text, start)
    head = outer if outer is not shared else shared.body[0]
    margin = read_margin(source.text, source.replace(head, "").start)
    if margin.strip() or not (is_first or outer is shared):
        return None
    start = len(source.text[:start].rstrip(_BETWEEN))
    margin = indent_below(margin) if is_first else margin
    return start, f"\n{margin}", margin


def _write_first(call: cst.Call, source: HasCalls) -> tuple[str, tuple[Edit, ...]] | None:
    """What stands before the arguments of `forward`, and its import; None where it cannot be called."""
    methods = _list_methods(call.func, source)
    forward = methods.get("forward")
    if forward is None:
        return None
    if "setup_context" in methods:
        return "", ()
    context, imports = source.reach(_CONTEXT, call)
    known = source.profile.torch >= _CONTEXT_SINCE and context
    return (f"{context}(), ", imports) if known and _only_keeps(forward, source) else None


def _list_methods(function: cst.BaseExpression, source: HasCalls) -> dict[str, cst.FunctionDef]:
    """The methods of `Function` in `Function.apply`, a class of this file that is defined once."""
    if not isinstance(function, cst.Attribute) or function.attr.value != "apply":
        return {}
    classes = [each for each in source.nodes(cst.ClassDef) if each.name.value == source.code(function.value)]  # fmt: skip
    body = classes[0].body.body if len(classes) == 1 else ()
    return {each.name.value: each for each in body if isinstance(each, cst.FunctionDef)}


def _only_keeps(forward: cst.FunctionDef, source: HasCalls) -> bool:
    """Whether the context is only told something, or holds what was kept there."""
    named = [each.name.value for each in forward.params.params[:1]]
    uses = [each for each in names_in(forward.body) if each.value in named]
    around = [source.parent(each) for each in uses]
    return bool(named) and all(
        isinstance(each, cst.Attribute) and each.attr.value != "needs_input_grad" for each in around
    )
