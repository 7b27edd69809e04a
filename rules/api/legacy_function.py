"""LT611: an instance of an autograd Function that is called."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import OF_PROJECT, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Class
from lintorch.facts.api.tentative import is_tentative
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT611",
    summary="an instance of an autograd Function that is called",
    why="""
        Functions with a gradient of their own kept their settings in `self` and were called as
        objects before torch 0.4. torch 1.4 still took that with a warning; since 1.5
        `Reverse(0.1)(x)` raises RuntimeError, "Legacy autograd function with non-static forward
        method is deprecated", also where forward is static. Settings go to forward as arguments
        after the context, and backward gives None for each. Measured on torch 2.13.
    """,
    bad="""
        import torch


        class Reverse(torch.autograd.Function):
            def __init__(self, scale):
                self.scale = scale

            def forward(self, x):
                return x.view_as(x)

            def backward(self, gradient):
                return -self.scale * gradient


        def reverse(x):
            return Reverse(0.1)(x)
    """,
    good="""
        import torch


        class Reverse(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, scale):
                ctx.scale = scale
                return x.view_as(x)

            @staticmethod
            def backward(ctx, gradient):
                return -ctx.scale * gradient, None


        def reverse(x):
            return Reverse.apply(x, 0.1)
    """,
    remedy="make forward and backward static, and call Function.apply(x, setting)",
    proof="""
        x = torch.ones(2, requires_grad=True)
        reverse(x).sum().backward()
        assert torch.allclose(x.grad, torch.full((2,), -0.1))
    """,
    severity=Severity.ERROR,
)


@rule.event("torch.autograd.Function.__call__")
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """The callers of a class have one cause, wherever they are: it is mended there first."""
    if is_tentative(source.call_at(event), source):
        return
    kind = event.result
    cause = f"{OF_PROJECT}{kind.name}" if isinstance(kind, Class) else ""
    said = "an instance of an autograd Function cannot be called: RuntimeError"
    yield Hit(event, said, cause=cause)
