"""LT210: forward called by name, past the hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import External, Held
from lintorch.facts.classes.classes import is_self
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT210",
    summary="a model's forward called by name",
    why="""
        `model(x)` runs the hooks of the module around forward; `model.forward(x)` does not. Hooks
        are what feature extraction, pruning, spectral and weight norm, quantization, FSDP and
        profilers work by, and they stay silent. Without hooks both give the same.
        A module's own forward, that of its base class and one that the file replaces
        are not reported. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 4)

            def forward(self, x):
                return self.body.forward(x)
    """,
    good="""
        from torch import nn


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(4, 4)

            def forward(self, x):
                return self.body(x)
    """,
    proof="""
        net, seen = Net(), []
        net.body.register_forward_hook(lambda module, args, output: seen.append(output))
        net(torch.ones(1, 4))
        assert seen, "the hook did not run"
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

_OF_MODELS = ("eval", "parameters", "state_dict", "load_state_dict")
"""Methods that show something called a model to be a module."""
_REPLACES = re.compile(r"\.forward\s*=[^=]")
_BUILT = (Role.MODEL, Role.LOSS)
_HOOKS = re.compile(r"_hook\b|weight_norm|spectral_norm|parametriz|\bprune\b")
"""What hangs hooks on modules: there a call does more than forward."""


@rule.event("torch.nn.Module.forward")
def in_flow(event: Called, source: Source) -> Iterator[Hit]:
    """The forward of a layer of torch, by whatever way the layer or its method comes to the call."""
    layer = event.positional[0] if event.positional else None
    of_torch = isinstance(layer, Held) and isinstance(layer.of, External)
    if not isinstance(layer, Held) or not of_torch or _REPLACES.search(source.text):
        return
    call = source.call_at(event)
    if call is None or not any(_report(call, source)):
        short = getattr(layer.of, "path", "").rpartition(".")[2]
        text = source.evaluation.text(event.spot)
        yield Hit(event, f"{text} is the forward of a {short}: none of its hooks run")


@rule.source(cst.Call, needs=("forward",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    yield from _report(call, source)


def _report(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "forward" or is_self(func.value):
        return
    model = func.value
    made = source.role(model) in _BUILT
    text = source.code(model)
    presumed = any(f"{text}.{method}(" in source.text for method in _OF_MODELS)
    if made or (presumed and source.presumed_role(model) is Role.MODEL):
        if isinstance(model, cst.Call) or _is_special(model, source):
            return
        promise = Applicability.UNSAFE if _HOOKS.search(source.text) else Applicability.SAFE
        fix = Fix("call the module", (source.replace(func, text),), promise)
        yield Hit(call, f"{text}.forward(…) runs none of the hooks of {text}", fix)


def _is_special(model: cst.BaseExpression, source: Source) -> bool:
    """Whether the file replaces a forward, or the class says itself what a call does."""
    if any(
        isinstance(t.target, cst.Attribute) and t.target.attr.value == "forward"
        for assign in source.nodes(cst.Assign)
        for t in assign.targets
    ):
        return True
    own = [source.classes.named(source.name(call.func)) for call in source.built(model)]
    return any(info and source.classes.method(info, "__call__") for info in own)
