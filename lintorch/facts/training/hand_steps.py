"""Steps that are written out: `w -= rate * w.grad`, in a loop that runs backward and clears no gradient."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.source import Source

Step = cst.AugAssign | cst.Assign | cst.Call
_WRITING = frozenset({"sub_", "add_", "copy_"})
_FRESH = re.compile(
    r"zero_|\.grad(\.data)?\s*(=|\*=)|fill_\(0|autograd\.grad|requires_grad_|\bVariable\(|\bgrad\(|clear"
)
"""What clears a gradient, or makes the tensor anew."""


def list_uncleared_steps(source: Source) -> Iterator[Step]:
    """Steps after which the gradient stays, and the next backward adds to it."""
    nodes: list[Step] = [*source.nodes(cst.AugAssign), *source.nodes(cst.Assign)]
    for node in (*nodes, *source.nodes(cst.Call)):
        written = _name_stepped(node, source)
        loop = _find_loop(node, source) if written else None
        if loop is not None and not _is_cleared(loop, written, source):
            yield node


def _name_stepped(node: Step, source: Source) -> str:
    """The tensor that a statement moves along its own gradient, as it is written; "" if it does not."""
    if isinstance(node, cst.Call):
        method = node.func
        if not isinstance(method, cst.Attribute) or method.attr.value not in _WRITING:
            return ""
        target, value = source.code(method.value), " ".join(source.code(a) for a in node.args)
    elif isinstance(node, cst.Assign):
        target, value = source.code(node.targets[0].target), source.code(node.value)
        if not target.endswith(".data"):
            return ""
    else:
        if not isinstance(node.operator, (cst.AddAssign, cst.SubtractAssign)):
            return ""
        target, value = source.code(node.target), source.code(node.value)
    name = target.removesuffix(".data")
    return name if re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", value) else ""


def _find_loop(node: cst.CSTNode, source: Source) -> cst.For | cst.While | None:
    """The nearest loop around that runs backward too."""
    for outer in source.ancestors(node):
        if isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
            return None
        if isinstance(outer, (cst.For, cst.While)) and ".backward(" in source.code(outer.body):
            return outer
    return None


def _is_cleared(loop: cst.For | cst.While, written: str, source: Source) -> bool:
    text = source.code(loop.body)
    if _FRESH.search(text) or re.search(rf"^\s*{re.escape(written)}\s*=[^=]", text, re.MULTILINE):
        return True
    called = (
        source.function(each.func) for each in source.nodes(cst.Call) if _is_in(each, loop, source)
    )
    return any(each is not None and _FRESH.search(source.code(each)) for each in called)


def _is_in(node: cst.CSTNode, loop: cst.CSTNode, source: Source) -> bool:
    return any(outer is loop for outer in source.ancestors(node))
