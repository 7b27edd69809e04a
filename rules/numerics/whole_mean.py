"""LT813: a mean of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import NONE, Tensor
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT813",
    summary="a mean of whole numbers",
    why="""
        `(guess == y).mean()` raises "mean(): could not infer output dtype": torch takes no mean, std, var,
        norm or softmax of a mask or of integers. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def measure(logits, y):
            guess = torch.argmax(logits, dim=1)
            return (guess == y).mean()


        print(measure(torch.randn(4, 3), torch.zeros(4)))
    """,
    good="""
        import torch


        def measure(logits, y):
            guess = torch.argmax(logits, dim=1)
            return (guess == y).float().mean()


        print(measure(torch.randn(4, 3), torch.zeros(4)))
    """,
    remedy="write .float() ahead of it",
    proof="""
        measure(torch.randn(4, 3), torch.zeros(4))
    """,
    severity=Severity.ERROR,
)

NAMES = ("mean", "std", "var", "norm", "softmax", "log_softmax")
HOMES = ("torch", "torch.Tensor", "torch.nn.functional")


@rule.event(*(f"{home}.{name}" for home in HOMES for name in NAMES))
@rule.event("torch.nn.Softmax.forward", "torch.nn.LogSoftmax.forward")
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    layer = event.name.endswith(".forward")
    given = (*event.positional[layer:], *event.keyword.values())
    first = given[0] if given else None
    told = event.open or event.keyword.get("dtype", NONE) != NONE
    if told or not isinstance(first, Tensor) or not first.sure or first.origin == "input":
        return
    kind = first.dtype or ""
    if kind == "bool" or kind.startswith(("int", "uint")):
        what = "a mask, which is bool" if kind == "bool" else kind
        yield Hit(event, f"{name_operation(event)} of {what} raises")
