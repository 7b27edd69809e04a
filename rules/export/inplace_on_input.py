"""LT109: a model that changes the tensor it was given, which the caller goes on using."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evidence import GraphCapture, InputWrite, Trace, Tracer
from lintorch.evidence.host_reads import converts_nearby, is_whole_run, write_shapes
from lintorch.facts.dataflow.memory_writes import written_tensor
from lintorch.source import UNKNOWN, Source, literal

rule = Rule(
    __name__,
    code="LT109",
    summary="forward changes its input in place",
    why="""
        A tensor is passed by reference: `x /= 255` in forward changes the caller's image, and
        the second call of the model with it gives another answer; `x.clamp_(0)` gives the same, and
        leaves its caller with another image. So do the exported program of
        torch.export and TorchScript; an ONNX graph leaves its input alone, so it answers
        otherwise than the model from the second call on. `unsqueeze_` of an input is refused by
        torch.export and by the new ONNX exporter. Measured on torch 2.13.

        Only what by its name comes from outside the model is reported (an image, a mask, raw
        inputs). A block that works in place on activations of the layer before it is
        deliberate and harmless, and so is an activation layer with inplace=True.
    """,
    bad="""
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)

            def forward(self, image):
                image /= 255.0
                return self.conv(image).mean((2, 3))
    """,
    good="""
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2d(3, 8, 3)

            def forward(self, image):
                image = image / 255.0
                return self.conv(image).mean((2, 3))
    """,
    proof="""
        model, image = Classifier().eval(), torch.rand(1, 3, 8, 8)
        assert torch.equal(model(image), model(image))
    """,
    fix=Applicability.UNSAFE,
)

OUTSIDE = re.compile(
    r"^((\w+_)?(images?|imgs?|pixel_values|pixels|frames?|videos?|clips?|audios?|waveforms?|wavs?|signals?"
    r"|inputs?|points?|coords?|coordinates|masks?|boxes|bboxes|rays?|batch))$"
)
"""What comes from outside a model, by its name."""
TARGET = re.compile(r"target|label|(^|_)gt(_|$)|true", re.I)
GUESS = re.compile(r"pred|logit|^outputs?$|score|prob")
"""With a guess to compare it to, what is changed is a target, which is another rule's."""
OPERATORS = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
}


SETTLING = frozenset(
    f"{name}_"
    for name in (
        "abs", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "fill", "floor", "hardtanh",
        "masked_fill", "nan_to_num", "relu", "relu6", "round", "sign", "tril", "triu", "trunc",
        "zero",
    )
)  # fmt: skip
"""Methods that change nothing when they are called again on what they wrote."""


@rule.source(cst.Call, cst.Assign, cst.AugAssign, needs=("forward",))
def in_source(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    place = written_tensor(node, source)
    function = source.enclosing(node, cst.FunctionDef)
    if place is None or function is None or function.name.value != "forward":
        return
    name = outside(place, source)
    if name and not compared(function, name) and source.in_traced_forward(node):
        message = f"changes the caller's {name}: {later(node, source)}"
        yield Hit(node, message, fixed(node, name, function, source))


@rule.trace(InputWrite)
def in_trace(event: InputWrite, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: a block may work in place on what the layer before it made."""
    shape = write_shapes(event.inputs[:1])
    message = f"writes {shape} in the memory of the model's input"
    yield Hit(event, message, confirms=True, detail="the caller's tensor changes")


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    """Of the model's own forward: what reaches a block is the input of nobody else's model."""
    if not all(map(is_whole_run, trace.runs)):
        return
    happened = [event for run in trace.runs for event in run.events]
    reached = {event.site for event in happened if isinstance(event, InputWrite)}
    for site in {
        call.site for call in trace.list_calls() if call.is_write and not call.layer
    } - reached:
        if converts_nearby(site, trace):
            continue
        yield Refuted(site, "what is written to is memory of the model's own, not of its input")


def later(node: cst.CSTNode, source: Source) -> str:
    """What comes of a write; one that changes nothing when it is done again gives the same answer."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        again = node.func.attr.value in SETTLING
    else:
        again = isinstance(node, cst.Assign) and literal(node.value) is not UNKNOWN
    if again:
        return "who reads it next reads what was written"
    return "the next call with it gives another answer"


def outside(place: cst.BaseExpression, source: Source) -> str:
    """The parameter whose memory is written to, where it comes from outside the model; or ""."""
    value = source.value(place)
    if not value.is_tensor or value.copied or value.detached or len(value.roots) != 1:
        return ""
    (name,) = value.roots
    return name if OUTSIDE.match(name) else ""


def compared(function: cst.FunctionDef, name: str) -> bool:
    """Whether the function compares a guess with a target."""
    others = [p.name.value for p in function.params.params if p.name.value != name]
    return bool(TARGET.search(name)) or any(GUESS.search(other) for other in others)


def fixed(node: cst.CSTNode, name: str, function: cst.FunctionDef, source: Source) -> Fix | None:
    """`image /= 255` as `image = image / 255`, where no other name shares the memory."""
    if not isinstance(node, cst.AugAssign) or not isinstance(node.target, cst.Name):
        return None
    operator = OPERATORS.get(type(node.operator))
    number = isinstance(literal(node.value), (int, float))
    if node.target.value != name or operator is None or not number:
        return None
    shared = any(
        name in source.value(assign.value).roots
        for assign in source.nodes(cst.Assign)
        if source.enclosing(assign, cst.FunctionDef) is function
    )
    text = f"{name} = {name} {operator} {source.code(node.value)}"
    edit = source.replace(node, text)
    return None if shared else Fix("work out of place", (edit,), Applicability.UNSAFE)
