"""LT113: a random number that Python or NumPy draws in forward, which a graph keeps for ever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import FeltDraw, Trace, UnusedDraw
from lintorch.evidence.host_reads import is_whole_run
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT113",
    summary="a random number drawn by Python or NumPy in forward",
    why="""
        What `random` and `numpy.random` draw while a model is exported becomes a constant: every
        call of the exported model uses the same number, takes the same branch, keeps the same
        order. No exporter warns, and jit.script refuses. `torch.rand` is drawn anew by each call.
        Printing, logging and the clock do no harm: they happen while the model is exported, and
        never again. Measured on torch 2.13. Augmentations, which nobody exports, are not meant.

        Draw with `torch.rand`, or only where `self.training` is set.
    """,
    bad="""
        import random

        from torch import nn


        class Jitter(nn.Module):
            def forward(self, x):
                return x + random.uniform(-0.1, 0.1)
    """,
    good="""
        import torch
        from torch import nn


        class Jitter(nn.Module):
            def forward(self, x):
                return x + torch.rand(1) * 0.2 - 0.1
    """,
    proof="""
        import torch

        x = torch.ones(2, 3)
        program = torch.export.export(Jitter(), (x,)).module()
        assert not torch.equal(program(x), program(x))
    """,
    severity=Severity.ERROR,
)

HARM = {
    **dict.fromkeys(("torch.export", "onnx", "onnx-legacy", "torchscript-trace"), Harm.SILENT),
    "torchscript-script": Harm.REFUSED,
}
DRAWS = frozenset(
    f"{module}{name}"
    for module in ("random.", "numpy.random.")
    for name in (
        "random", "rand", "randn", "randint", "randrange", "uniform", "normal", "gauss", "choice",
        "choices", "sample", "shuffle", "permutation", "betavariate", "beta", "normalvariate",
        "random_sample", "binomial", "poisson",
    )
)  # fmt: skip
AUGMENTS = re.compile(
    r"Aug|Random|Mix(up)?$|Transform|Erasing|Cut(out|mix)|Mask(ing|Generator)", re.I
)


@rule.source(cst.Call, needs=("random",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in DRAWS or not source.in_traced_forward(call) or augments(call, source):
        return
    if name.endswith("shuffle") or source.in_graph(call) or decides(call, source):
        yield Hit(call, f"{source.code(call.func)}() is drawn once, for the example", harm=HARM)


@rule.trace(FeltDraw)
def in_trace(event: FeltDraw, trace: Trace) -> Iterator[Hit]:
    parts = Path(event.site.path).with_suffix("").parts[-2:]
    if not any(AUGMENTS.search(n) for n in (*parts, event.site.function, event.layer_class)):
        drawn = f"{event.function}() is drawn once, for the example"
        yield Hit(event, f"{drawn}; with another draw {event.change}", harm=HARM)


@rule.trace(UnusedDraw)
def in_run(event: UnusedDraw, trace: Trace) -> Iterator[Refuted]:
    if all(map(is_whole_run, trace.runs)):
        yield Refuted(event, "in eval mode nothing looks at the number that is drawn here")


def decides(call: cst.Call, source: Source) -> bool:
    """`if random.random() < 0.5`, where the test is not settled and does more than to check."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp, cst.While)):
            settled = source.regions.is_settled(outer.test) or source.regions.is_check(outer, inner)
            return inner is outer.test and not settled
        if isinstance(outer, cst.BaseStatement):
            return False
        inner = outer
    return False


def augments(call: cst.Call, source: Source) -> bool:
    """Whether the class, function or file is named as one that changes training data."""
    if any(AUGMENTS.search(part) for part in Path(source.path).with_suffix("").parts[-2:]):
        return True
    return any(
        isinstance(outer, (cst.ClassDef, cst.FunctionDef)) and AUGMENTS.search(outer.name.value)
        for outer in source.ancestors(call)
    )
