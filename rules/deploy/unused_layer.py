"""LT217: a layer that is made and never used in its class."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import GraphCapture, IdleLayer, Trace, Tracer
from lintorch.evidence.host_reads import is_whole_run
from lintorch.facts.classes.classes import is_self
from lintorch.facts.nets.layer_classes import layer_made
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT217",
    summary="a layer that is made and never used",
    why="""
        A layer that forward never reaches has weights all the same: they are saved, moved, counted
        and given to the optimizer, DistributedDataParallel raises as they get no gradient, and a
        checkpoint without them does not load. Measured on torch 2.13.

        Off by default: another file, or a class derived elsewhere, may use the layer, and old
        checkpoints may need it to be there.
    """,
    bad="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)
                self.second = nn.Linear(4, 4)

            def forward(self, x):
                return self.first(x)
    """,
    good="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.first = nn.Linear(4, 4)

            def forward(self, x):
                return self.first(x)
    """,
    proof="""
        net = Net()
        net(torch.ones(1, 4)).sum().backward()
        assert all(p.grad is not None for p in net.parameters()), "a parameter without gradient"
    """,
    severity=Severity.NOTE,
    default=False,
)

_STATELESS = re.compile(
    r"(Loss|Pool[123]d|Pad[123]d|ReLU6?|LU|Sigmoid|[Ss]wish|Mish|Tanh|[Ss]hrink|Softm\w+|Softplus"
    r"|Softsign|Identity|Flatten|Upsample|Fold|Shuffle|Similarity|Dropout\w*|Activation)$"
)
"""Layers without weights."""
_WHOLE = re.compile(
    r"getattr\(|\.(children|named_children|modules|named_modules|_modules|__dict__)\b|locals\(|vars\("
)
"""Ways to reach layers without their names."""


@rule.source(cst.Assign, needs=("nn.Module",))
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    target = node.targets[0].target
    if not isinstance(target, cst.Attribute) or not is_self(target.value):
        return
    info = source.classes.around(node)
    if info is None or info.bases != ("torch.nn.Module",) or "forward" not in info.methods:
        return
    function, name = source.enclosing(node, cst.FunctionDef), target.attr.value
    made = layer_made(node.value, source)
    if function is not info.methods.get("__init__") or not made or _STATELESS.search(made):
        return
    if made == "torch.nn.Sequential" and isinstance(node.value, cst.Call) and not node.value.args:
        return
    if len(re.findall(rf"\b{name}\b", source.text)) == 1 and not _WHOLE.search(
        source.code(info.node)
    ):
        yield Hit(node, f"self.{name} is made and never used: its weights get no gradient")


@rule.trace(IdleLayer)
def in_trace(event: IdleLayer, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: some weights are used although their layer is never called."""
    idle = [{e.site for e in run.events if isinstance(e, IdleLayer)} for run in trace.runs]
    if all(map(is_whole_run, trace.runs)) and all(event.site in sites for sites in idle):
        message = f"no run of {trace.record.qualname} calls {event.layer}, at any size tried"
        yield Hit(event, message, confirms=True)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    ran = [call for call in trace.list_calls() if call.outputs]
    for site, layer in {event.built: event.layer for event in ran}.items():
        if site is not None:
            yield Refuted(site, f"{trace.record.qualname} calls {layer}")
