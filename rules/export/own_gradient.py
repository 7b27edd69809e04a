"""LT172: functions with gradients of their own, which no file of TorchScript holds."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import OwnGradientCalled
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.exporting.traced_functions import call_forward, take_plain_side
from lintorch.facts.models.gradient_graphs import has_weights
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT172",
    summary="an autograd Function, which TorchScript cannot save",
    why="""
        torch.jit.trace and torch.jit.script keep a call of a torch.autograd.Function as a call of
        Python. What they give runs here, and torch.jit.save raises: "Could not export Python
        function call". One that runs layers with weights, as hand-written activation checkpoints
        do, stops torch.jit.trace and the legacy ONNX exporter at once ("unordered_map::at").
        torch.export and both ONNX exporters look inside of the others. Measured on torch 2.13.

        A gradient of its own is for training: where torch.jit.is_tracing() or
        torch.jit.is_scripting() is true, plain operations give the same. A Function with a method
        `symbolic` is written for ONNX, and not reported.
    """,
    bad="""
        import torch
        from torch import nn


        class SwishFunction(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x.sigmoid()

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                share = x.sigmoid()
                return gradient * share * (1 + x * (1 - share))


        class Swish(nn.Module):
            def forward(self, x):
                return SwishFunction.apply(x)
    """,
    good="""
        import torch
        from torch import nn


        class SwishFunction(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x.sigmoid()

            @staticmethod
            def backward(ctx, gradient):
                (x,) = ctx.saved_tensors
                share = x.sigmoid()
                return gradient * share * (1 + x * (1 - share))


        class Swish(nn.Module):
            def forward(self, x):
                if torch.jit.is_tracing():
                    return SwishFunction.forward(torch.autograd.function.FunctionCtx(), x)
                return SwishFunction.apply(x)
    """,
    remedy="under `if torch.jit.is_tracing():` write what it computes with plain operations",
    proof="""
        import io

        warnings.simplefilter("ignore")
        torch.jit.save(torch.jit.trace(Swish(), torch.randn(3)), io.BytesIO())
    """,
    severity=Severity.ERROR,
    example_profile=("torchscript-trace",),
)

UNSAVED = {"torchscript-trace": Harm.REFUSED, "torchscript-script": Harm.REFUSED}
UNTRACED = {**UNSAVED, "onnx-legacy": Harm.REFUSED}
AT_SAVE = "Could not export Python function call"
AT_TRACE = "unordered_map::at"


@rule.event(OwnGradientCalled)
def in_model(event: OwnGradientCalled, source: Source) -> Iterator[Hit]:
    call = source.call_at(event)
    if not event.way.forward or (call is not None and source.regions.is_left_out(call)):
        return
    weighs = event.models or any(has_weights(each) for each in event.ran)
    fix = show_tracers(call, source, weighs=weighs)
    if weighs:
        told = f"{event.name} runs layers with weights unseen by tracers"
        yield Hit(event, told, fix, harm=UNTRACED)
        return
    yield Hit(event, f"{event.name} is a call of Python, which is not saved", fix, harm=UNSAVED)


@rule.source(cst.Call, needs=("autograd.Function",))
def for_another_file(call: cst.Call, source: Source) -> Iterator[Hit]:
    """A call that models of other files run, which waits for them to be found."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "apply":
        return
    if not source.regions.is_left_out(call):
        fix = show_tracers(call, source, weighs=False)
        if fix is not None:
            yield Hit(call, "a Function is called", fix, confirms=True)


def show_tracers(call: cst.Call | None, source: Source, *, weighs: bool) -> Fix | None:
    """Plain operations for the tracers, which take no layers with weights at all; none for TorchScript."""
    if call is None or "torchscript-script" in source.profile.exporters:
        return None
    promise = Applicability.SAFE if weighs else Applicability.UNSAFE
    return take_plain_side(call, source, promise) or call_forward(call, source)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if AT_SAVE in outcome.message:
        yield report_refusal(outcome, outcome, AT_SAVE)
