"""LT161: a transformer that asks its mask whether it is causal, which exporters cannot know."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lintorch.core.finding import Applicability, Fix, Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import NONE, Tensor
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT161",
    summary="a transformer that asks its mask whether it is causal",
    why="""
        TransformerEncoder, TransformerDecoder and Transformer that are given a mask, and not told
        whether it is causal, compare it with a causal one and branch on the answer.
        `torch.export`, and with it the new ONNX exporter, has no numbers to answer with: "Could
        not guard on data-dependent expression", at every size. The tracers keep the example's
        answer, and are right: after a yes a causal kernel stands for the mask, after a no it is
        used. Measured on torch 2.13.

        `is_causal=False` says to use the mask as it is: the same numbers. A mask that a run has
        left on `self` for one length (LT110) is wrong at others only then: mend both.
    """,
    bad="""
        import torch
        from torch import nn


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
                self.encoder = nn.TransformerEncoder(layer, 2)

            def forward(self, words):
                steps = words.shape[1]
                later = torch.triu(torch.full((steps, steps), float("-inf")), 1)
                return self.encoder(words, mask=later)
    """,
    good="""
        import torch
        from torch import nn


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)
                self.encoder = nn.TransformerEncoder(layer, 2)

            def forward(self, words):
                steps = words.shape[1]
                later = torch.triu(torch.full((steps, steps), float("-inf")), 1)
                return self.encoder(words, mask=later, is_causal=False)
    """,
    remedy="say is_causal=False, with which the mask is used as it is",
    proof="""
        torch.export.export(Reader().eval(), (torch.ones(2, 5, 8),))
    """,
    fix=Applicability.UNSAFE,
)

HARM = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
ASKED = {
    "torch.nn.TransformerEncoder.forward": (("mask", "is_causal"),),
    "torch.nn.TransformerDecoder.forward": (("tgt_mask", "tgt_is_causal"),),
    "torch.nn.Transformer.forward": (
        ("src_mask", "src_is_causal"),
        ("tgt_mask", "tgt_is_causal"),
    ),
}
"""The masks that are looked at, each with the argument that says so beforehand."""


@rule.event(*ASKED)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward:
        return
    untold = [says for mask, says in ASKED[event.name] if is_asked(event, mask, says)]
    if untold:
        name = event.name.removesuffix(".forward").rpartition(".")[2]
        message = f"{name} asks the values of its mask whether it is causal"
        told = ", ".join(f"{says}=False" for says in untold)
        fix = tell_beforehand(event, told, source)
        yield Hit(event, message, fix, HARM, remedy=f"say {told}, with which the mask is used as it is")  # fmt: skip


def is_asked(event: Called, mask: str, says: str) -> bool:
    """Whether a mask of two axes is given, and nothing is said of it."""
    given = event.arguments.get(mask)
    if not isinstance(given, Tensor) or event.arguments.get(says, NONE) != NONE or event.open:
        return False
    return given.sure and (given.shape is None or len(given.shape) == 2)


def tell_beforehand(event: Called, told: str, source: Source) -> Fix | None:
    """`encoder(x, mask=mask, is_causal=False)`: kernels for causal masks may round otherwise."""
    call = source.call_at(event)
    if call is None or any(each.star for each in call.args):
        return None
    edit = source.insert_argument(call, told)
    return Fix(f"say {told}", (edit,), Applicability.UNSAFE)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Of lines of which the source says so: the refusal itself does not tell what was asked."""
    if outcome.exporter in HARM and "data-dependent expression" in outcome.message and outcome.site:
        why = "whether a mask is causal depends on its numbers"
        yield replace(report_refusal(outcome.site, outcome, why), confirms=True)
