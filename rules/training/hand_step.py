"""LT454: a step that is written out, of gradients that are never cleared."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT454",
    summary="a step by hand along gradients that are never cleared",
    why="""
        backward() adds to the gradients that are there. A loop that writes its step out, `w -= rate * w.grad`,
        and never clears them steps along the sum of all gradients so far: three times the gradient after three
        equal batches, measured on torch 2.13, without a word. Clear each after its step, or let an optimizer
        of torch.optim step, and clear, for you. missing-zero-grad tells of loops with an optimizer.
    """,
    bad="""
        import torch


        def fit(w, batches, rate=0.1):
            for x, y in batches:
                loss = (x @ w - y).square().mean()
                loss.backward()
                with torch.no_grad():
                    w -= rate * w.grad
    """,
    good="""
        import torch


        def fit(w, batches, rate=0.1):
            for x, y in batches:
                loss = (x @ w - y).square().mean()
                loss.backward()
                with torch.no_grad():
                    w -= rate * w.grad
                    w.grad = None
    """,
    remedy="clear it after the step: w.grad = None",
    proof="""
        w, batch = torch.zeros(1, requires_grad=True), (torch.ones(1, 1), torch.ones(1))
        fit(w, [batch] * 3)
        assert torch.allclose(w, torch.tensor(1 - 0.8**3)), "three steps of a fifth of what is left"
    """,
)

Step = cst.AugAssign | cst.Assign | cst.Call
WRITING = frozenset({"sub_", "add_", "copy_"})
FRESH = re.compile(
    r"zero_|\.grad(\.data)?\s*(=|\*=)|fill_\(0|autograd\.grad|requires_grad_|\bVariable\(|\bgrad\(|clear|reset|\bdel .*\.grad\b"
)
"""What clears a gradient, or makes the tensor anew."""


@rule.source(cst.Module, needs=(".grad", "backward("))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    """Steps after which the gradient stays, and the next backward adds to it."""
    if source.is_test:
        return
    nodes: list[Step] = [*source.nodes(cst.AugAssign), *source.nodes(cst.Assign)]
    for node in (*nodes, *source.nodes(cst.Call)):
        written = name_stepped(node, source)
        loop = find_loop(node, source) if written else None
        if loop is not None and not is_cleared(loop, written, source):
            said = "the gradient is cleared nowhere: each step sums up those of all steps before it"
            yield Hit(node, said, remedy=f"clear it after the step: {written}.grad = None")


def name_stepped(node: Step, source: Source) -> str:
    """The tensor that a statement moves along its own gradient, as it is written; "" if it does not."""
    if isinstance(node, cst.Call):
        method = node.func
        if not isinstance(method, cst.Attribute) or method.attr.value not in WRITING:
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


def find_loop(node: cst.CSTNode, source: Source) -> cst.For | cst.While | None:
    """The nearest loop around that runs backward too."""
    for outer in source.ancestors(node):
        if isinstance(outer, (cst.FunctionDef, cst.ClassDef)):
            return None
        if isinstance(outer, (cst.For, cst.While)) and ".backward(" in source.code(outer.body):
            return outer
    return None


def is_cleared(loop: cst.For | cst.While, written: str, source: Source) -> bool:
    text = source.code(loop.body)
    if FRESH.search(text) or re.search(rf"^\s*{re.escape(written)}\s*=[^=]", text, re.MULTILINE):
        return True
    called = (
        source.function(each.func)
        for each in source.nodes(cst.Call)
        if source.is_within(each, loop)
    )
    return any(each is not None and FRESH.search(source.code(each)) for each in called)
