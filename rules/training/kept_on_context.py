"""LT457: an output that an autograd Function keeps on its context."""

from __future__ import annotations

import re
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

WHOLE = re.compile(
    r"\b(arg\w+|nonzero|len|int|float|bool|size|numel|dim|long|bincount|searchsorted|randint|item|tolist"
    r"|new_empty|new_zeros|empty|zeros|zeros_like|gt|lt|ge|le|eq|ne|isnan|detach)$"
)
"""What gives whole numbers, or what nothing says is no index."""


@rule.source(cst.Assign, needs=("Function", "ctx"))
def in_forward(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    target, value = assign.targets[0].target, assign.value
    function = source.enclosing(assign, cst.FunctionDef)
    info = source.classes.around(assign)
    if not isinstance(target, cst.Attribute) or not isinstance(value, cst.Name) or info is None:
        return
    if function is None or function.name.value != "forward" or not function.params.params:
        return
    derived = "torch.autograd.Function" in info.bases
    context = function.params.params[0].name.value
    if not derived or source.code(target.value) != context or is_plain(value, function, source):
        return
    if is_returned(value, function, source):
        said = f"{value.value} is an output: its graph, the context and it hold one another"
        yield Hit(assign, said)


def is_plain(value: cst.Name, function: cst.FunctionDef, source: Source) -> bool:
    """Whether it may have no graph: indices, masks, numbers, and what is said to have none."""
    text = source.code(function)
    made = [
        taken
        for each in source.nodes(cst.Assign)
        if source.enclosing(each, cst.FunctionDef) is function
        for taken in take_value(each, value.value)
    ]
    marked = re.search(rf"mark_non_differentiable\([^)]*\b{value.value}\b", text)
    return bool(marked) or len(made) != 1 or not may_have_graph(made[0], source)


def take_value(assign: cst.Assign, name: str) -> Iterator[cst.BaseExpression | None]:
    """What an assignment gives a name; None where that is not its own expression."""
    for each in assign.targets:
        parts, value = each.target, assign.value
        if isinstance(parts, cst.Name) and parts.value == name:
            yield value
        elif isinstance(parts, cst.Tuple):
            row = value.elements if isinstance(value, cst.Tuple) else ()
            for at, part in enumerate(parts.elements):
                if isinstance(part.value, cst.Name) and part.value.value == name:
                    own = row[at].value if len(row) == len(parts.elements) else None
                    yield own if row or at else value


def may_have_graph(value: cst.BaseExpression | None, source: Source) -> bool:
    """Whether it is worked out of tensors, and no comparison, index or size."""
    if isinstance(value, cst.Call):
        return not WHOLE.search(source.code(value.func))
    return isinstance(value, (cst.BinaryOperation, cst.UnaryOperation))


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
