"""LT173: a part of a model that torch.compile compiles, which tracers refuse."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.models.called_parts import find_target, is_called_part
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT173",
    summary="a part of a model that torch.compile compiles",
    why="""
        Where a model runs what `torch.compile` has compiled, a function, a method or a layer,
        `torch.jit.trace` and the legacy ONNX exporter stop: "Detected that you are using FX to
        torch.jit.trace a dynamo-optimized function". `torch.export`, and with it the new ONNX
        exporter, takes the function that was compiled. Measured on torch 2.13.

        Compile the whole model where it is trained or served, `model = torch.compile(model)`, and
        export the one that was compiled.
    """,
    bad="""
        import torch
        from torch import nn


        @torch.compile
        def gate(x):
            return x * torch.sigmoid(x)


        class Gated(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = nn.Linear(4, 4)

            def forward(self, x):
                return gate(self.mix(x))
    """,
    good="""
        import torch
        from torch import nn


        def gate(x):
            return x * torch.sigmoid(x)


        class Gated(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = nn.Linear(4, 4)

            def forward(self, x):
                return gate(self.mix(x))
    """,
    remedy="compile the whole model where it runs, and export the model as it was",
    proof="""
        warnings.simplefilter("ignore")
        torch.jit.trace(Gated().eval(), torch.ones(2, 4))
    """,
    severity=Severity.ERROR,
    example_profile=("torchscript-trace",),
)

HARM = {"onnx-legacy": Harm.REFUSED, "torchscript-trace": Harm.REFUSED}
REFUSAL = "a dynamo-optimized function"
COMPILE = "torch.compile"


@rule.source(cst.Decorator, needs=("compile",))
def in_decorator(decorator: cst.Decorator, source: Source) -> Iterator[Hit]:
    """`@torch.compile` and `@torch.compile(dynamic=True)` on what forward runs."""
    written = decorator.decorator
    called = written.func if isinstance(written, cst.Call) else written
    function = source.parent(decorator)
    if source.name(called) != COMPILE or not isinstance(function, cst.FunctionDef):
        return
    if source.in_traced_forward(function.body) and not is_off(written):
        yield Hit(decorator, f"{function.name.value} is compiled", harm=HARM)


@rule.source(cst.Call, needs=("compile",))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.mix = torch.compile(nn.Linear(4, 4))`, `self.mix.compile()`, of what forward calls."""
    if is_off(call):
        return
    if source.name(call.func) == COMPILE:
        if source.in_traced_forward(call) or is_called_part(
            find_target(call, source), call, source
        ):
            yield Hit(call, "a part of the model is compiled", harm=HARM)
    elif not call.args and isinstance(call.func, cst.Attribute):
        part = call.func.value
        if call.func.attr.value == "compile" and is_called_part(part, call, source):
            yield Hit(call, f"{source.code(part)} is compiled", harm=HARM)


def is_off(written: cst.CSTNode) -> bool:
    """`torch.compile(..., disable=True)`, or by a setting."""
    given = written.args if isinstance(written, cst.Call) else ()
    return any(each.keyword and each.keyword.value == "disable" for each in given)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if REFUSAL in outcome.message:
        yield report_refusal(outcome, outcome, "a part of the model is compiled")
