"""LT160: attention over tensors of other than four dimensions, which the new ONNX exporter refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.size_changes import may_be_of
from lintorch.evidence.treatment import report_refusal
from lintorch.source import Source
from lintorch.syntax.plain_reads import is_read

rule = Rule(
    __name__,
    code="LT160",
    summary="attention over tensors that have not four dimensions",
    why="""
        F.scaled_dot_product_attention takes queries, keys and values of any rank from two on. The
        new ONNX exporter takes four dimensions alone, batch, heads, steps and channels: of any
        other rank it raises ConversionError, "only 4D query, key, and value are supported". The
        legacy exporter, torch.export and the tracers take all. Measured on torch 2.13 with
        onnxscript 0.7.

        With one axis more in front and without it behind, the same numbers come out, up to
        rounding, at all sizes and with a mask, from all of them.
    """,
    bad="""
        from torch import nn
        from torch.nn import functional as F


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.project = nn.Linear(8, 24)

            def forward(self, words):
                batch, steps, _ = words.shape
                asked, keys, values = self.project(words).view(batch, steps, 24).chunk(3, 2)
                return F.scaled_dot_product_attention(asked, keys, values)
    """,
    good="""
        from torch import nn
        from torch.nn import functional as F


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.project = nn.Linear(8, 24)

            def forward(self, words):
                batch, steps, _ = words.shape
                asked, keys, values = self.project(words).view(batch, steps, 24).chunk(3, 2)
                return F.scaled_dot_product_attention(asked.unsqueeze(0), keys.unsqueeze(0), values.unsqueeze(0)).squeeze(0)
    """,
    proof="""
        warnings.simplefilter("ignore")
        example = (torch.ones(2, 5, 8),)
        torch.onnx.export(Reader().eval(), example, dynamo=True, verbose=False)
    """,
    fix=Applicability.UNSAFE,
    example_profile=("onnx",),
)

ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
NAMES = ("query", "key", "value")
REFUSAL = "only 4D query, key, and value are supported"
HARM = {"onnx": Harm.REFUSED}
IN_FRONT = "write x.unsqueeze(0) for each of the three, and .squeeze(0) behind the call"
FOUR = "give batch, heads, steps and channels"


@rule.event(ATTENTION)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward:
        return
    ranks = [rank_of(event, name) for name in NAMES]
    other = next((rank for rank in ranks if rank not in (None, 4)), None)
    if other is None:
        return
    whole = ranks == [3, 3, 3]
    fix = add_axis(source.call_at(event), source) if whole else None
    message = f"attention over {other} dimensions: the new ONNX exporter takes four alone"
    yield Hit(event, message, harm=HARM, fix=fix, remedy=IN_FRONT if whole else FOUR)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if outcome.exporter != "onnx" or REFUSAL not in outcome.message:
        return
    for event in trial.trace.find_events(ATTENTION):
        if any(len(shape) != 4 for shape in event.inputs[:3]) and may_be_of(outcome, event):
            yield replace(report_refusal(event, outcome, REFUSAL), remedy=FOUR)


def rank_of(event: Called, name: str) -> int | None:
    given = event.arguments.get(name)
    if not isinstance(given, Tensor) or given.shape is None or given.guessed or not given.sure:
        return None
    return len(given.shape)


def add_axis(call: cst.Call | None, source: Source) -> Fix | None:
    """An axis in front of all three that are written in the call, and none of what it gives."""
    given = list_written(call.args) if call is not None else []
    if call is None or len(given) != len(NAMES):
        return None
    edits = [put_behind(each, ".unsqueeze(0)", source) for each in given]
    end = source.replace(call, "").end
    return Fix(
        "put an axis in front", (*edits, Edit(end, end, ".squeeze(0)")), Applicability.UNSAFE
    )


def list_written(args: Sequence[cst.Arg]) -> list[cst.BaseExpression]:
    """The three, by place or name; fewer where a star may hold one."""
    if any(each.star for each in args):
        return []
    named = [each.value for each in args if each.keyword and each.keyword.value in NAMES]
    return [each.value for each in args if each.keyword is None][: len(NAMES)] + named


def put_behind(node: cst.BaseExpression, text: str, source: Source) -> Edit:
    """A method behind a value, in brackets where it needs them."""
    written = source.code(node)
    plain = is_read(node) or isinstance(node, cst.Call) or node.lpar
    return source.replace(node, f"{written}{text}" if plain else f"({written}){text}")
