"""LT175: a part of a model that TorchScript has compiled, which other exporters refuse."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Entered
from lintorch.evaluator.objects import SCRIPT_MODULE
from lintorch.evaluator.values import Class, External, Function, Held, Value
from lintorch.evidence import Outcome, Trial
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.models.called_parts import find_target, is_called_part
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT175",
    summary="a part of a model that TorchScript has compiled",
    why="""
        A layer that `torch.jit.script`, `torch.jit.trace` or `torch.jit.load` gave, or whose class
        derives from `torch.jit.ScriptModule`, is no Python any more. `torch.export` does not enter
        it: "'torch._C.ScriptMethod' object has no attribute ...", "Exporting a ScriptModule is not
        supported". The legacy ONNX exporter stops at one within another model: "Tried to trace
        <...> but it is not part of the active trace"; the new one stops at all of them.
        `torch.jit.trace` and `torch.jit.script` take them, and so does `torch.export` what was
        traced. Functions that `torch.jit.script` compiled are right under all of them. Measured on
        torch 2.13.

        Derive from `nn.Module`, and script the whole model where TorchScript is wanted.
    """,
    bad="""
        import torch
        from torch import nn


        class Mix(torch.jit.ScriptModule):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            @torch.jit.script_method
            def forward(self, x):
                return torch.relu(self.linear(x))


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = Mix()

            def forward(self, x):
                return self.mix(x) + x
    """,
    good="""
        import torch
        from torch import nn


        class Mix(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                return torch.relu(self.linear(x))


        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix = Mix()

            def forward(self, x):
                return self.mix(x) + x
    """,
    remedy="derive from nn.Module, and script the whole model where TorchScript is wanted",
    proof="""
        torch.export.export(Net().eval(), (torch.ones(2, 4),))
    """,
    severity=Severity.ERROR,
)

REFUSED = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.REFUSED}
HARM = {"torch.export": Harm.REFUSED, **REFUSED}
ALONE = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
"""Of a model that is scripted itself, and no part of another."""

MADE = {"torch.jit.script": HARM, "torch.jit.load": HARM, "torch.jit.trace": REFUSED}
KEPT = "put the model itself there, and script the whole where TorchScript is wanted"
REFUSALS = (
    "ScriptMethod' object has no attribute",
    "Exporting a ScriptModule is not supported",
    "it is not part of the active trace",
)


@rule.event(Entered)
def in_class(event: Entered, source: Source) -> Iterator[Hit]:
    """`class Mix(torch.jit.ScriptModule)`, whose forward runs."""
    if not event.way.forward or getattr(event.node, "name", "") != "forward":
        return
    if any(is_scripted(each) for each in event.given.values()):
        harm = HARM if event.way.spots else ALONE
        yield Hit(event, "a forward of a ScriptModule: it is compiled once it is made", harm=harm)


def is_scripted(value: Value) -> bool:
    """Whether it is an object of a class that derives from ScriptModule."""
    made = value.of if isinstance(value, Held) else None
    known = made.ancestors if isinstance(made, Class) else ()
    return any(isinstance(each, External) and each.path == SCRIPT_MODULE for each in known)


@rule.event(*MADE)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`self.mix = torch.jit.script(Mix())`, `torch.jit.load(path)`, of what forward calls."""
    call = source.call_at(event)
    given = event.positional[0] if event.positional else None
    scripts = event.name == "torch.jit.script"
    if call is None or isinstance(given, Function) or (scripts and not isinstance(given, Held)):
        return
    if is_called_part(find_target(call, source), call, source):
        yield Hit(event, "TorchScript has compiled this part", harm=MADE[event.name], remedy=KEPT)


@rule.trial("failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if any(each in outcome.message for each in REFUSALS):
        yield report_refusal(outcome, outcome, "TorchScript has compiled a part of the model")
