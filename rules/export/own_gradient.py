"""LT172: functions with gradients of their own, which no file of TorchScript holds."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import OwnGradientCalled
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
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
                    return x * x.sigmoid()
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
    if any(has_weights(each) for each in event.ran):
        yield Hit(event, f"{event.name} runs layers with weights unseen by tracers", harm=UNTRACED)
        return
    yield Hit(event, f"{event.name} is a call of Python, which is not saved", harm=UNSAVED)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if AT_SAVE in outcome.message:
        yield report_refusal(outcome, outcome, AT_SAVE)
