"""LT134: indices drawn without replacement, which ONNX draws with it."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import FALSE, UNKNOWN, size_in
from lintorch.evidence import OperatorCall, Trace
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT134",
    summary="indices drawn without replacement",
    why="""
        `torch.multinomial(p, n)` draws n different indices. The new ONNX exporter writes it as
        ONNX's Multinomial, which draws each anew: the same index comes twice, and nothing says so.
        The legacy exporter refuses. With one index, or `replacement=True`, both are right;
        torch.export and TorchScript keep the operator. Measured on torch 2.13.

        Take the largest of perturbed logits (`(logits - noise.exponential_().log()).topk(n)`),
        which draws without replacement too, or sample outside of the model.
    """,
    bad="""
        import torch
        from torch import nn


        class Choose(nn.Module):
            def forward(self, logits):
                return torch.multinomial(logits.softmax(-1), 4)
    """,
    good="""
        import torch
        from torch import nn


        class Choose(nn.Module):
            def forward(self, logits):
                noise = torch.rand_like(logits).log().neg().log().neg()
                return torch.topk(logits + noise, 4).indices
    """,
    remedy="write torch.topk(logits + noise, k).indices, noise = -(-torch.rand_like(logits).log()).log()",
    proof="""
        import warnings

        import torch

        warnings.simplefilter("ignore")
        logits = torch.zeros(64, 4)
        program = torch.onnx.export(Choose(), (logits,), dynamo=True, verbose=False)
        (chosen,) = program(logits)
        assert all(len(set(row)) == 4 for row in chosen.tolist())
    """,
)

HARM = {"onnx": Harm.SILENT, "onnx-legacy": Harm.REFUSED}
NAMES = ("torch.multinomial", "torch.Tensor.multinomial")


@rule.event(*NAMES)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    given = event.arguments
    count = size_in(given.get("num_samples", UNKNOWN))
    several = isinstance(count, int) and count > 1
    if event.way.forward and several and given.get("replacement") == FALSE:
        yield Hit(event, describe(count), harm=HARM)


@rule.trace(*NAMES)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    count = event.outputs[0][-1] if event.outputs and event.outputs[0] else 1
    replaced = event.args.get("replacement", event.args.get("argument2", False))
    if count > 1 and replaced is False:
        yield Hit(event, describe(count), harm=HARM)


def describe(count: Dim | None) -> str:
    return f"{count} indices are drawn without replacement"
