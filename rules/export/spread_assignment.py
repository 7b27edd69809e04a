"""LT163: a smaller tensor that an assignment to an index spreads over sizes that vary."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import ItemSet
from lintorch.evaluator.sizes import Dim, varies
from lintorch.evaluator.subscripts import index_shape, split_index
from lintorch.evaluator.values import Tensor
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT163",
    summary="a smaller tensor assigned to items along an axis that varies",
    why="""
        `y[:, 0] = token` spreads a token of shape [width] over the batch. `torch.jit.trace` and the
        legacy ONNX exporter spread it over as many rows as the example has: at any other number the
        exported model raises, "expand" or "Reshape". Under an index that is a tensor, a mask or
        numbers of rows, the legacy exporter's file raises at the example's size already, and the
        tracer is right. Numbers and tensors of one number are fine, and so is `+=`. `torch.export`
        and the new ONNX exporter are right. Measured on torch 2.13.

        `token.expand_as(y[:, 0])` spreads it beforehand, and is right under all of them; for a mask
        of rows write `torch.where(mask[:, None], token, y)`.
    """,
    bad="""
        import torch
        from torch import nn


        class Marked(nn.Module):
            def __init__(self):
                super().__init__()
                self.token = nn.Parameter(torch.zeros(8))

            def forward(self, words: torch.Tensor):
                n, steps, width = words.shape
                marked = words.clone()
                marked[:, 0] = self.token
                return marked
    """,
    good="""
        import torch
        from torch import nn


        class Marked(nn.Module):
            def __init__(self):
                super().__init__()
                self.token = nn.Parameter(torch.zeros(8))

            def forward(self, words: torch.Tensor):
                n, steps, width = words.shape
                marked = words.clone()
                marked[:, 0] = self.token.expand_as(marked[:, 0])
                return marked
    """,
    remedy="spread it beforehand: value.expand_as(y[...])",
    proof="""
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(Marked().eval(), torch.ones(2, 5, 8))
        assert traced(torch.ones(3, 5, 8)).shape == (3, 5, 8)
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    example_profile=("torchscript-trace",),
)

SPREAD = {"onnx-legacy": Harm.FAILS, "torchscript-trace": Harm.FAILS}
CHOSEN = {"onnx-legacy": Harm.FAILS}
BY_MASK = "write torch.where(mask[:, None], value, y), or give as many rows as there are"


@rule.event(ItemSet)
def in_model(event: ItemSet, source: Source) -> Iterator[Hit]:
    held, value = event.held, event.value
    if not event.way.forward or not isinstance(held, Tensor) or not isinstance(value, Tensor):
        return
    parts = split_index(event.index) or ()
    region = index_shape(held.shape, parts) if held.shape is not None and held.sure else None
    if region is None or not value.shape or held.guessed or value.guessed:
        return
    if any(isinstance(each, Tensor) for each in parts):
        if len(value.shape) < len(region):
            said = "a smaller tensor is assigned to rows that a tensor chooses"
            yield Hit(event, said, harm=CHOSEN, remedy=BY_MASK)
    elif source.profile.dynamic and is_spread(region, value.shape, held.shape or ()):
        said = "a smaller tensor is spread over as many rows as the example has"
        yield Hit(event, said, spread_beforehand(event, source), SPREAD)


def is_spread(region: Sequence[Dim], given: Sequence[Dim], whole: Sequence[Dim]) -> bool:
    """Whether a value lacks an axis of the region, or has it once, and an axis varies that is taken whole."""
    fitted = (*(1,) * (len(region) - len(given)), *given[-len(region) :])
    pairs = [*zip(region, fitted, strict=False)]
    spreads = any(mine == 1 and size != 1 for size, mine in pairs)
    return spreads and any(varies(size) is True and size in whole for size in region)


def spread_beforehand(event: ItemSet, source: Source) -> Fix | None:
    """`y[:, 0] = token.expand_as(y[:, 0])`."""
    target = source.node_at(event, cst.Subscript)
    line = source.enclosing(target, cst.Assign) if target is not None else None
    if target is None or line is None or len(line.targets) != 1:
        return None
    if line.targets[0].target is not target or not is_plain(source.code(target)):
        return None
    text = source.code(line.value)
    if not isinstance(line.value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
        text = f"({text})"
    edit = source.replace(line.value, f"{text}.expand_as({source.code(target)})")
    return Fix("spread it beforehand", (edit,))


def is_plain(target: str) -> bool:
    """Whether reading it once more changes nothing."""
    return not any(isinstance(each, ast.Call) for each in ast.walk(ast.parse(target, mode="eval")))
