"""LT458: a backward that gives fewer gradients than forward has inputs."""

from __future__ import annotations

import re
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


@rule.source(cst.FunctionDef, needs=("Function", "backward"))
def in_backward(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    info = source.classes.around(function)
    if function.name.value != "backward" or info is None:
        return
    derived = "torch.autograd.Function" in info.bases
    returns = {
        each: count_given(each.value)
        for each in source.nodes(cst.Return)
        if derived and source.enclosing(each, cst.FunctionDef, cst.Lambda) is function
    }
    if gives_indices(info.methods.get("forward"), source):
        return
    wanted = count_inputs(info.methods.get("forward"), "setup_context" in info.methods)
    for each, given in returns.items():
        if 0 < given < wanted:
            said = f"forward has {wanted} inputs, and backward gives {given} of {wanted} gradients"
            yield Hit(each, said)


def gives_indices(forward: cst.FunctionDef | None, source: Source) -> bool:
    """Whether it gives whole numbers and masks alone, of which no backward is asked."""
    if forward is None:
        return False
    body, given = source.code(forward), list[str]()
    for each in source.nodes(cst.Return):
        if source.enclosing(each, cst.FunctionDef, cst.Lambda) is forward and each.value:
            value = each.value
            items = value.elements if isinstance(value, cst.Tuple) else ()
            given += [source.code(e.value) for e in items] or [source.code(value)]
    return bool(given) and all(
        name.isidentifier() and re.search(rf"^\s*{name} = {_WHOLE}", body, re.M) for name in given
    )


_WHOLE = (
    r"(.*(Int|Long|Bool)Tensor\(|.*dtype=torch\.(int|long|bool)|.*\.(int|long|bool)\(\)$|.* == )"
)


def count_inputs(forward: cst.FunctionDef | None, apart: bool) -> int:
    """The inputs that forward has to be given after its context; none where they are open.

    `setup_context` takes the context out. What has a default and is not given owes no gradient.
    """
    if forward is None or isinstance(forward.params.star_arg, cst.Param):
        return 0
    named = [parameter.default for parameter in forward.params.params]
    of_class = any(getattr(d.decorator, "value", "") == "classmethod" for d in forward.decorators)
    before = (not apart) + of_class
    return named.count(None) - before


def count_given(value: cst.BaseExpression | None) -> int:
    """How many gradients are given; 0 where that is not known."""
    if isinstance(value, cst.Tuple):
        return (
            0
            if any(isinstance(e, cst.StarredElement) for e in value.elements)
            else len(value.elements)
        )
    return int(value is not None and is_single(value))


def is_single(value: cst.BaseExpression) -> bool:
    """Whether arithmetic gives a tensor, and no tuple: `(gradient,) + (None,) * 3`."""
    if isinstance(value, cst.BinaryOperation):
        sides = value.left, value.right
        if isinstance(value.operator, cst.Add):
            return any(map(is_single, sides))
        return not any(isinstance(side, (cst.Tuple, cst.List)) for side in sides)
    return isinstance(value, (cst.UnaryOperation, cst.BaseNumber))
