"""LT109: a model that changes the tensor it was given, which the caller goes on using."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, Called, Combined, ItemSet, Occurrence
from lintorch.evaluator.values import Constant, Tensor
from lintorch.evidence import GraphCapture, InputWrite, Trace, Tracer
from lintorch.evidence.host_reads import converts_nearby, is_whole_run, write_shapes
from lintorch.facts.exporting.model_parts import is_root_part
from lintorch.facts.models.tensor_writes import find_base, find_written, list_views
from lintorch.source import Source, literal

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

        Only what comes from outside the model is reported: by its name (an image, a mask, raw
        inputs), or because the first layer takes three channels of it. A block that works in place on activations of the layer before it is
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
    remedy="work on a copy: x = x.clone(), or out of place: x = x + 1 for x += 1",
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
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COLORS = 3
"""Channels of an image as it comes from outside."""


SETTLING = frozenset(
    f"{name}_"
    for name in (
        "abs", "ceil", "clamp", "clamp_max", "clamp_min", "clip", "fill", "floor", "hardtanh",
        "masked_fill", "nan_to_num", "relu", "relu6", "round", "sign", "tril", "triu", "trunc",
        "zero",
    )
)  # fmt: skip
"""Methods that change nothing when they are called again on what they wrote."""


@rule.event(Called, Combined, ItemSet)
def in_model(event: Called | Combined | ItemSet, source: Source) -> Iterator[Hit]:
    if not event.way.forward or (written := find_written(event)) is None:
        return
    name = find_input(written, source)
    if not name or is_left_by_others(event, name, source):
        return
    if is_of_function(event, source):
        return
    if not is_compared(event, name, source) and not is_mapping(event, name, source):
        message = f"changes the caller's {name}: {foretell(event)}"
        fix = write_out_of_place(event, name, source) or copy_first(event, name, source)
        remedy = f"begin with {name} = {name}.clone()"
        if is_list(event, name, source):
            fix, remedy = None, f"begin with {name} = list({name})"
        severity = weigh_part(event, source)
        yield Hit(event, message, fix, severity=severity, remedy=remedy, cause=f"writes {name}")


def is_of_function(event: Occurrence, source: Source) -> bool:
    """Whether it stands in an autograd Function, which works on what a layer gives."""
    return any(
        isinstance(each, ast.ClassDef)
        and any(ast.unparse(base).rpartition(".")[2] == "Function" for base in each.bases)
        for each in source.evaluation.list_around(event)
    )


def weigh_part(event: Occurrence, source: Source) -> Severity | None:
    """A note of a part of another model: what it is given was mostly made for it."""
    root = event.way.root.rpartition(":")[2]
    return Severity.NOTE if is_root_part(root, source) else None


def is_left_by_others(event: Occurrence, name: str, source: Source) -> bool:
    """Whether another model makes it for this part of its own: a mask, places, boxes behind the first input.

    So it does for a layer that works in place on its `input`, as `ReLU(inplace=True)`.
    """
    function = source.evaluation.find_function(event)
    inputs = (
        [each.arg for each in function.args.args] if isinstance(function, ast.FunctionDef) else []
    )
    root = event.way.root.rpartition(":")[2]
    plain = name in ("input", "inputs") and isinstance(event, Called)
    later = name in inputs[2:] and inputs[0] == "self"
    return (later or plain) and is_root_part(root, source)


def copy_first(event: Occurrence, name: str, source: Source) -> Fix | None:
    """`image = image.clone()` at the begin of the function that was given it."""
    function = source.evaluation.find_function(event)
    if event.spot.path != source.path or not isinstance(function, ast.FunctionDef):
        return None
    required = function.args.args[: len(function.args.args) - len(function.args.defaults)]
    if name not in [each.arg for each in required]:
        return None
    found = [
        each for each in source.nodes(cst.FunctionDef) if source.place(each).row == function.lineno
    ]
    body = found[0].body if len(found) == 1 else None
    if not isinstance(body, cst.IndentedBlock):
        return None
    lines = body.body[1:] if ast.get_docstring(function) is not None else body.body
    if not lines:
        return None
    text = f"{name} = {name}.clone()"
    return Fix("work on a copy", (source.above(lines[0], text),), Applicability.UNSAFE)


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


def foretell(event: Called | Combined | ItemSet) -> str:
    """What comes of a write; one that changes nothing when it is done again gives the same answer."""
    if isinstance(event, Called):
        again = event.name.rpartition(".")[2] in SETTLING
    else:
        again = isinstance(event, ItemSet) and isinstance(event.value, Constant)
    if again:
        return "who reads it next reads what was written"
    return "the next call with it gives another answer"


def find_input(written: Tensor, source: Source) -> str:
    """The input whose memory is written to, where it comes from outside the model; or ""."""
    if len(written.memory) != 1 or (views := list_views(written, source.evaluation.ways)) is None:
        return ""
    base = find_base(written, views)
    if any(isinstance(each, AttributeRead) and each.attribute == "data" for each in views):
        return ""
    if not isinstance(base, Tensor) or base.origin != "input":
        return ""
    return base.name if OUTSIDE.match(base.name) or is_image(base) else ""


def is_image(given: Tensor) -> bool:
    """Whether an input has the channels of a picture, as layers tell."""
    return given.shape is not None and len(given.shape) == 4 and given.shape[1] == COLORS


def is_compared(event: Occurrence, name: str, source: Source) -> bool:
    """Whether a forward compares a guess with a target."""
    function = source.evaluation.find_function(event)
    given = function.args if isinstance(function, ast.FunctionDef) else None
    others = [each.arg for each in given.args if each.arg != name] if given else []
    return bool(TARGET.search(name)) or any(GUESS.search(other) for other in others)


def is_mapping(event: Occurrence, name: str, source: Source) -> bool:
    """Whether the same function asks for its items: what is set there is an entry of a dictionary."""
    function = source.evaluation.find_function(event)
    asked = (
        {ast.unparse(each.func) for each in ast.walk(function) if isinstance(each, ast.Call)}
        if function is not None
        else set()
    )
    return bool(asked & {f"{name}.items", f"{name}.keys"})


def is_list(event: Occurrence, name: str, source: Source) -> bool:
    """Whether the function says how many there are of it, and goes over them: it is a list of maps."""
    function = source.evaluation.find_function(event)
    inside = [*ast.walk(function)] if function is not None else []
    told = any(isinstance(e, ast.Assert) and f"len({name})" in ast.unparse(e.test) for e in inside)
    over = (e.iter for e in inside if isinstance(e, (ast.For, ast.comprehension)))
    return told and any(isinstance(e, ast.Name) and e.id == name for e in over)


def write_out_of_place(event: Occurrence, name: str, source: Source) -> Fix | None:
    """`image /= 255` as `image = image / 255`, where no other name shares the memory."""
    node, line = event.node, source.node_at(event, cst.AugAssign)
    function = source.evaluation.find_function(event)
    if line is None or function is None or not isinstance(node, ast.AugAssign):
        return None
    operator = OPERATORS.get(type(node.op))
    number = isinstance(literal(line.value), (int, float))
    own = isinstance(node.target, ast.Name) and node.target.id == name
    if not own or operator is None or not number or is_shared(function, name):
        return None
    text = f"{name} = {name} {operator} {source.code(line.value)}"
    return Fix("work out of place", (source.replace(line, text),), Applicability.UNSAFE)


def is_shared(function: ast.AST, name: str) -> bool:
    """Whether another name may be given the memory of a tensor: `raw = image`, `first = image[0]`."""
    values = (each.value for each in ast.walk(function) if isinstance(each, ast.Assign))
    return any(name == name_held(value) for value in values)


def name_held(value: ast.AST) -> str:
    """`image` of `image.view(-1)[0]`."""
    while isinstance(value, (ast.Subscript, ast.Attribute, ast.Call)):
        value = value.func if isinstance(value, ast.Call) else value.value
    return value.id if isinstance(value, ast.Name) else ""
