"""LT457: an output that an autograd Function keeps on its context."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT457",
    summary="an output kept on the context of an autograd Function",
    why="""
        `ctx.y = y` of what forward returns makes a circle: the output holds the node of its graph, the node holds
        the context, and that the output. It stays in memory until Python's collector happens to run, with all
        that hangs on the graph, on the GPU too; a write to it in place is not noticed in backward. What was saved
        by `ctx.save_for_backward(y)` is freed with the graph, and checked. Measured on torch 2.13.
    """,
    bad="""
        import torch


        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                ctx.y = y
                return y

            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.y
    """,
    good="""
        import torch


        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x.exp()
                ctx.save_for_backward(y)
                return y

            @staticmethod
            def backward(ctx, gradient):
                (y,) = ctx.saved_tensors
                return gradient * y
    """,
    remedy="write ctx.save_for_backward(y), and take it from ctx.saved_tensors in backward",
    proof="""
        import gc
        import weakref

        gc.disable()
        y = Exp.apply(torch.ones(3, requires_grad=True))
        held = weakref.ref(y.grad_fn)
        del y
        assert held() is None, "the graph outlives its output"
    """,
)


@rule.source(cst.Assign, needs=("Function", "ctx"))
def in_forward(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    target, value = assign.targets[0].target, assign.value
    function = source.enclosing(assign, cst.FunctionDef)
    owner = source.enclosing(assign, cst.ClassDef)
    if not isinstance(target, cst.Attribute) or not isinstance(value, cst.Name) or owner is None:
        return
    if function is None or function.name.value != "forward" or not function.params.params:
        return
    derived = any(source.name(b.value) == "torch.autograd.Function" for b in owner.bases)
    context = function.params.params[0].name.value
    if derived and source.code(target.value) == context and is_returned(value, function, source):
        said = f"{value.value} is an output: its graph, the context and it hold one another"
        yield Hit(assign, said)


def is_returned(value: cst.Name, function: cst.FunctionDef, source: Source) -> bool:
    """Whether forward gives it back, by itself or among others."""
    given = {p.name.value for p in function.params.params}
    for each in source.nodes(cst.Return):
        if source.enclosing(each, cst.FunctionDef) is not function or each.value is None:
            continue
        parts = (
            [e.value for e in each.value.elements]
            if isinstance(each.value, cst.Tuple)
            else [each.value]
        )
        if any(isinstance(part, cst.Name) and part.value == value.value for part in parts):
            return value.value not in given
    return False
