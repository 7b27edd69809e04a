"""LT444: whole numbers that are to need a gradient."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import FALSE, NONE, TRUE, Tensor
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT444",
    summary="whole numbers that are to need a gradient",
    why="""
        `torch.tensor([2, 3], requires_grad=True)` raises "Only Tensors of floating point and complex
        dtype can require gradients". So does nn.Parameter of whole numbers. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def make():
            return torch.tensor([2, 3], requires_grad=True)


        print(make())
    """,
    good="""
        import torch


        def make():
            return torch.tensor([2.0, 3.0], requires_grad=True)


        print(make())
    """,
    remedy="write the numbers with a point, or give dtype=torch.float32",
    proof="""
        make()
    """,
    severity=Severity.ERROR,
)

MAKERS = ("tensor", "arange", "zeros", "ones", "full", "randint", "eye", "zeros_like", "ones_like")


@rule.event("torch.Tensor.requires_grad_")
def in_method(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.randint(0, 3, (3,)).requires_grad_()`."""
    held, *given = event.positional or (NONE,)
    kind = held.dtype if isinstance(held, Tensor) and held.sure and held.origin != "input" else None
    off = FALSE in (*given, *event.keyword.values())
    if kind is not None and kind.startswith(("int", "uint", "bool")) and not off:
        yield Hit(event, f"{kind} takes no gradient: this raises")


@rule.event(*(f"torch.{name}" for name in MAKERS), "torch.nn.Parameter")
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    parameter = event.name == "torch.nn.Parameter"
    asked = event.keyword.get("requires_grad") == TRUE
    if parameter:
        asked = len(event.positional) == 1 and "requires_grad" not in event.keyword
    kept = event.positional[0] if parameter and event.positional else event.result
    kind = kept.dtype if isinstance(kept, Tensor) and kept.sure and kept.origin != "input" else None
    if asked and not event.open and kind is not None and kind.startswith(("int", "uint", "bool")):
        yield Hit(event, f"{kind} takes no gradient: this raises")
