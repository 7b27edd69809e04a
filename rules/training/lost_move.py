"""LT456: parameters that a loop moves, and nobody keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT456",
    summary="parameters that are moved in a loop, and lost",
    why="""
        `to()`, `cuda()` and arithmetic give another tensor: `p = p.to(device)` in a loop over parameters() gives
        the loop's own name to it, and the model keeps the parameter that it had. Models are moved in place by
        model.to(device), numbers are written by `p.data.copy_(…)` or `p.mul_(…)` under no_grad().
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def widen(model):
            for p in model.parameters():
                p = p.to(torch.float64)
            return model
    """,
    good="""
        import torch


        def widen(model):
            return model.to(torch.float64)
    """,
    remedy="move the model itself, model.to(…), or write in place: p.data.copy_(…)",
    proof="""
        model = widen(torch.nn.Linear(2, 2))
        assert all(p.dtype == torch.float64 for p in model.parameters())
    """,
)

WEIGHTS = re.compile(r"\.(named_)?(parameters|buffers)\(\)")


@rule.source(cst.For, needs=("parameters()", "buffers()"))
def in_loop(loop: cst.For, source: Source) -> Iterator[Hit]:
    if not WEIGHTS.search(source.code(loop.iter)) or not isinstance(loop.body, cst.IndentedBlock):
        return
    name = name_weight(loop.target)
    last = loop.body.body[-1]
    line = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else None
    if not name or not isinstance(line, cst.Assign) or len(line.targets) != 1:
        return
    target = line.targets[0].target
    given = source.code(line.value)
    if isinstance(line.value, cst.Call) and source.code(line.value.func).endswith("_"):
        return  # written in place
    if isinstance(target, cst.Name) and target.value == name and re.search(rf"\b{name}\b", given):
        yield Hit(line, f"{name} is the loop's own name: the model keeps the tensor that it had")


def name_weight(target: cst.BaseExpression) -> str:
    """The parameter of `for p in …` and `for name, p in …`."""
    if isinstance(target, cst.Tuple) and len(target.elements) == 2:
        target = target.elements[1].value
    return target.value if isinstance(target, cst.Name) else ""
