"""LT458: a backward that gives fewer gradients than forward has inputs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT458",
    summary="an autograd Function that gives too few gradients",
    why="""
        backward of an autograd Function owes a gradient, or None, for each input of forward after the context.
        With fewer the backward pass raises "function ExpBackward returned an incorrect number of gradients
        (expected 2, got 1)". None stands for what has no gradient, a number or a flag. Further ones are let pass
        where they are None. Measured on torch 2.13.
    """,
    bad="""
        import torch


        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor

            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.factor
    """,
    good="""
        import torch


        class Scale(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x * factor

            @staticmethod
            def backward(ctx, gradient):
                return gradient * ctx.factor, None
    """,
    remedy="return one for each input, None for those without",
    proof="""
        Scale.apply(torch.ones(2, requires_grad=True), 3.0).sum().backward()
    """,
    severity=Severity.ERROR,
)

SINGLE = (cst.BinaryOperation, cst.UnaryOperation)


@rule.source(cst.FunctionDef, needs=("Function", "backward"))
def in_backward(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    info = source.classes.around(function)
    if function.name.value != "backward" or info is None:
        return
    derived = any(source.name(b.value) == "torch.autograd.Function" for b in info.node.bases)
    wanted = count_inputs(info.methods.get("forward"), "setup_context" in info.methods)
    for each in source.nodes(cst.Return) if derived and wanted > 1 else ():
        own = source.enclosing(each, cst.FunctionDef, cst.Lambda) is function
        given = count_given(each.value) if own else 0
        if 0 < given < wanted:
            said = f"forward has {wanted} inputs, and backward gives {given} of {wanted} gradients"
            yield Hit(each, said)


def count_inputs(forward: cst.FunctionDef | None, apart: bool) -> int:
    """The inputs that forward cannot do without, after its context, which `setup_context` takes out; 0 where they are open.

    A default that apply() is not given owes no gradient.
    """
    if forward is None or isinstance(forward.params.star_arg, cst.Param):
        return 0
    return sum(each.default is None for each in forward.params.params) - (not apart)


def count_given(value: cst.BaseExpression | None) -> int:
    """How many gradients are given; 0 where that is not known."""
    if isinstance(value, cst.Tuple):
        return (
            0
            if any(isinstance(e, cst.StarredElement) for e in value.elements)
            else len(value.elements)
        )
    return 1 if isinstance(value, SINGLE) else 0
