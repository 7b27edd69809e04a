"""LT224: a list or dictionary of layers that is called as a layer is."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT224",
    summary="a ModuleList that is called",
    why="""
        nn.ModuleList and nn.ModuleDict hold layers and have no forward: a call raises NotImplementedError,
        "Module [ModuleList] is missing the required "forward" function". nn.Sequential runs its layers one after
        the other; a loop over the list does what is to be done between them. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Body(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])

            def forward(self, x):
                return self.layers(x)
    """,
    good="""
        from torch import nn


        class Body(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

            def forward(self, x):
                return self.layers(x)
    """,
    remedy="make it an nn.Sequential, or loop over it",
    proof="""
        import torch

        Body()(torch.ones(1, 4))
    """,
    severity=Severity.ERROR,
)

HOLDERS = {"torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList"}


@rule.source(cst.Call, needs=("ModuleList", "ModuleDict", "ParameterList"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.layers(x)`, of what the class makes a ModuleList wherever it sets it; `layers(x)` of a name."""
    func, info = call.func, source.classes.around(call)
    if isinstance(func, cst.Name):
        made: list[cst.BaseExpression] = [*source.built(func)]
    elif info is not None and isinstance(func, cst.Attribute) and source.code(func.value) == "self":
        made = [] if func.attr.value in info.methods else info.attributes.get(func.attr.value, [])
    else:
        return
    kinds = {source.name(e.func) if isinstance(e, cst.Call) else "" for e in made}
    if kinds and kinds <= HOLDERS:
        kind = min(kinds).removeprefix("torch.")
        yield Hit(call, f"{source.code(func)} is an {kind}, which has no forward: the call raises")
