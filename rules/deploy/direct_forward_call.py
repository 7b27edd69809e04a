"""LT210: forward called by name, past the hooks."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, ForwardCalled, Occurrence
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Class, External, Held
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
    remedy="call the module itself: model(x)",
    proof="""
        net, seen = Net(), []
        net.body.register_forward_hook(lambda module, args, output: seen.append(output))
        net(torch.ones(1, 4))
        assert seen, "the hook did not run"
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

_HOOKS = re.compile(r"_hook\b|weight_norm|spectral_norm|parametriz|\bprune\b")
"""What hangs hooks on modules: there a call does more than forward."""


@rule.event(UnknownCalled)
def of_unknown(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """The forward of a model that is told by what else is called on it."""
    parts = source.evaluation.parts
    if event.method == "forward" and parts.find_role(event.held, event) is Role.MODEL:
        yield from _report(event, source)


@rule.event(ForwardCalled)
def of_model(event: ForwardCalled, source: Source) -> Iterator[Hit]:
    """The forward of a class of the project, but where the class says itself what a call does."""
    kind = event.held.of if isinstance(event.held, Held) else None
    called = any(
        isinstance(each, Class)
        and any(getattr(n, "name", "") == "__call__" for n in each.node.body)
        for each in list_ancestors(kind)
    )
    if source.evaluation.parts.find_role(event.held, event) is Role.MODEL and not called:
        yield from _report(event, source)


@rule.event("torch.nn.Module.forward")
def of_layer(event: Called, source: Source) -> Iterator[Hit]:
    """The forward of a layer of torch."""
    layer = event.positional[0] if event.positional else None
    if isinstance(layer, Held) and isinstance(layer.of, External):
        yield from _report(event, source)


def _report(event: Occurrence, source: Source) -> Iterator[Hit]:
    if source.evaluation.replaced_forwards or _is_own(event, source):
        return
    call = source.call_at(event)
    text = source.evaluation.text(event.spot).partition("(")[0]
    model = text.removesuffix(".forward")
    if call is None or model == text:
        yield Hit(
            event,
            f"{text}(…) is the forward of a model: none of its hooks run",
        )
        return
    promise = Applicability.UNSAFE if _HOOKS.search(source.text) else Applicability.SAFE
    fix = Fix("call the module", (source.replace(call.func, model),), promise)
    said = f"{text}(…) runs none of the hooks of {model}"
    yield Hit(event, said, fix, remedy=f"write {model}(…)")


def _is_own(event: Occurrence, source: Source) -> bool:
    """`self.forward(x)`, `super().forward(x)`: what runs is a part of the own forward, or of `__call__`."""
    func = event.node.func if isinstance(event.node, ast.Call) else None
    receiver = func.value if isinstance(func, ast.Attribute) else None
    if isinstance(receiver, ast.Call) or (receiver is None and not isinstance(func, ast.Name)):
        return True
    function = source.evaluation.find_function(event)
    spec = getattr(function, "args", None)
    first = next((each.arg for each in spec.args), "") if spec is not None else ""
    return isinstance(receiver, ast.Name) and receiver.id == first == "self"
