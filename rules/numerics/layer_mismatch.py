"""LT806: layers that cannot follow each other, or cannot be made, whatever the input is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Refused
from lintorch.evidence import GraphCapture, OperatorCall, Raised, Trace, Tracer
from lintorch.evidence.host_reads import is_whole_run, source_line, write_shapes
from lintorch.facts.nets.layers import CONV, TRANSPOSED
from lintorch.facts.nets.signal_flow import clashes_in_method
from lintorch.facts.nets.signals import Clash, clashes_in_row
from lintorch.source import Source, literal
from lintorch.syntax.literals import Arguments

rule = Rule(
    __name__,
    code="LT806",
    summary="layers that cannot follow each other",
    why="""
        A layer raises at the first forward pass where it is given another number of channels
        than it was made for; a convolution whose groups do not divide its channels, or that is
        strided with padding="same", raises when it is made. The numbers are followed through
        nn.Sequential and through a forward that calls the layers one after the other: through
        activations, pools, flatten, cat and sums. Only numbers that are written down are
        compared, in place or under a name that is given one value. What goes through a loop or
        an unknown module is not followed. What raises on one of several branches, of which it
        is not known which is taken, is a warning.

        nn.Sequential(*model.children()) runs the children and nothing else: a flatten, a sum
        or a function that the model's own forward does between them is lost. An even kernel
        with padding of half its size makes the output one longer, or one shorter where the
        half was rounded down from k - 1; padding="same" keeps the length. Measured on
        torch 2.13.
    """,
    bad="""
        from torch import nn

        net = nn.Sequential(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(32),
            nn.ReLU(),
        )
    """,
    good="""
        from torch import nn

        net = nn.Sequential(
            nn.Conv2d(3, 64, 3),
            nn.BatchNorm2d(64),
            nn.ReLU(),
        )
    """,
    proof="""
        net(torch.randn(2, 3, 8, 8))
    """,
    severity=Severity.ERROR,
)

CONVS = {f"torch.nn.Conv{n}d": CONV for n in (1, 2, 3)}
TRANSPOSES = {f"torch.nn.ConvTranspose{n}d": TRANSPOSED for n in (1, 2, 3)}
GROUPED = CONVS | TRANSPOSES | {"torch.nn.GroupNorm": ("groups", "num_channels")}
WORDS = (
    *("Conv1d(", "Conv2d(", "Conv3d(", "Transpose1d(", "Transpose2d(", "Transpose3d("),
    *("Linear(", "Norm1d(", "Norm2d(", "Norm3d(", "GroupNorm("),
)
CLASH = re.compile(
    r"to have \d+ channels, but got|running_mean should contain|shapes cannot be multiplied"
    r"|Expected weight to be|Given normalized_shape|size mismatch|must match"
)
FLATTENING = (
    *("resnet", "resnext", "wide_resnet", "vgg", "alexnet", "densenet"),
    *("mobilenet", "efficientnet", "regnet", "shufflenet", "mnasnet", "convnext"),
)
"""Makers of torchvision's models whose forward flattens or averages before the last layer."""


@rule.source(cst.Module, needs=WORDS)
def in_row(module: cst.Module, source: Source) -> Iterator[Hit]:
    told: set[cst.CSTNode] = set()
    rows = source.evaluation.refused_rows
    for clash in clashes(source):
        if clash.node not in told and source.place(clash.node).row not in rows:
            told.add(clash.node)
            yield Hit(clash.node, clash.message)


@rule.source(cst.Call, needs=WORDS)
def in_layer(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name in GROUPED:
        given = source.arguments(call, *GROUPED[name])
        by_name = "num_groups" if name.endswith("GroupNorm") else "groups"
        groups = number(given.get(by_name) or given.get("groups"), source)
        for side in ("in_channels", "out_channels", "num_channels"):
            channels = number(given.get(side), source)
            if channels and groups and channels % groups:
                short = name.rpartition(".")[2]
                message = f"{channels} channels do not divide into {groups} groups"
                yield Hit(call, f"{message}: {short} raises")
                return
    if name in CONVS:
        yield from padded(call, source.arguments(call, *CONV), source)


@rule.source(cst.Call, needs=("children()",))
def in_children(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.nn.Sequential" or len(call.args) != 1:
        return
    model = whole_model(call.args[0], source)
    if model is None:
        return
    made = source.built(model)
    lost = work_between(made[0], source) if len(made) == 1 else ""
    if lost:
        yield Hit(
            call, f"runs the children of {source.code(model)} one after the other, and {lost}"
        )


@rule.event(Refused)
def in_model(event: Refused, source: Source) -> Iterator[Hit]:
    """What raises for the shapes that a model computes: an error where that is so on every way through it."""
    spot = event.made or event.spot
    certain = event.way.certain
    told = not certain and spot.path == source.path and spot.row in source.evaluation.refused_rows
    if not event.founded or told:
        return
    short = event.name.rpartition(".")[2]
    severity, where = (None, "") if certain else (Severity.WARNING, ", if this is reached")
    if event.made is not None and event.made.path == source.path:
        caller = event.way.names[-1] if event.way.names else "the script"
        message = f"{short} raises in {caller}{where}: {event.message}"
        yield Hit(source.evaluation.place(event.made), message, severity=severity)
    else:
        yield Hit(event, f"{short} raises{where}: {event.message}", severity=severity)


@rule.trace(Raised)
def in_failure(event: Raised, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: a model may have been fed wrongly."""
    if event.built is not None and not event.sizes and CLASH.search(event.text):
        yield Hit(event.built, f"{event.layer} raised", confirms=True, detail=event.text)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    """Layers that ran; one that made its input longer or shorter is told of for that."""
    if not all(map(is_whole_run, trace.runs)):
        return
    ran = [call for call in trace.list_calls() if call.outputs and call.built is not None]
    uneven = {event.built for event in ran if is_uneven(event)}
    for built, event in {event.built: event for event in ran}.items():
        if built is None or built in uneven or not event.layer_class.startswith("torch.nn."):
            continue
        if "children()" not in source_line(built):
            yield Refuted(built, f"{event.layer} ran on {write_shapes(event.inputs[:1])}")


def is_uneven(event: OperatorCall) -> bool:
    """Whether a convolution with an even kernel ran with padding."""
    weight, padding = event.inputs[1:2], event.args.get("padding")
    return (
        ".conv" in event.name and bool(padding) and any(n % 2 == 0 for w in weight for n in w[2:])
    )


def clashes(source: Source) -> Iterator[Clash]:
    """What cannot meet in the Sequentials and in the methods of the modules of a file."""
    for call in source.nodes(cst.Call):
        if source.layers.is_sequential(call):
            yield from clashes_in_row(source.layers.row(call))
    for info in source.classes.all.values():
        for method in info.methods.values() if info.is_module else ():
            yield from clashes_in_method(method, source)


def number(node: cst.CSTNode | None, source: Source) -> int:
    """A positive number that is written down, else 0."""
    value = source.layers.number(node)
    return value if type(value) is int and value > 0 else 0


def padded(call: cst.Call, given: Arguments, source: Source) -> Iterator[Hit]:
    """Padding that is meant to keep the size and cannot."""
    stride = source.layers.number(given.get("stride")) if given.get("stride") else 1
    strides = stride if isinstance(stride, (tuple, list)) else (stride,)
    if given.value("padding") == "same" and any(type(n) is int and n > 1 for n in strides):
        yield Hit(call, f'padding="same" with a stride of {stride} raises when the layer is made')
    kernel, written = given.get("kernel_size"), given.get("padding")
    size = number(kernel, source)
    if size % 2 or not size or stride != 1 or not given.complete or given.get("dilation"):
        return
    if written is not None and (half := half_of(written, kernel, source)):
        change = "longer" if half == "k" else "shorter"
        message = f"an even kernel of {size} with half of it as padding: the output is one {change}"
        yield Hit(call, message, severity=Severity.NOTE)


def half_of(node: cst.CSTNode, kernel: cst.CSTNode | None, source: Source) -> str:
    """Whether an expression is `k // 2` ("k") or `(k - 1) // 2` ("k - 1") of a kernel's size."""
    if isinstance(node, cst.Call) and source.name(node.func) == "int" and len(node.args) == 1:
        node = node.args[0].value
    if not isinstance(node, cst.BinaryOperation) or literal(node.right) != 2:
        return ""
    if not isinstance(node.operator, (cst.FloorDivide, cst.Divide)):
        return ""
    top = whole = node.left
    less = isinstance(top, cst.BinaryOperation) and isinstance(top.operator, cst.Subtract)
    if isinstance(top, cst.BinaryOperation) and less and literal(top.right) == 1:
        whole = top.left
    same = kernel is not None and whole.deep_equals(kernel.with_changes(lpar=(), rpar=()))
    return ("k - 1" if less else "k") if same else ""


def whole_model(arg: cst.Arg, source: Source) -> cst.BaseExpression | None:
    """`model` of `*model.children()` and `*list(model.children())`, not of a part of them."""
    node = arg.value
    if isinstance(node, cst.Call) and source.name(node.func) == "list" and len(node.args) == 1:
        node = node.args[0].value
    func = node.func if isinstance(node, cst.Call) and arg.star == "*" else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "children":
        return None
    return func.value


def work_between(made: cst.Call, source: Source) -> str:
    """What the forward of a model does that its children do not; "" where that is not known."""
    name = source.name(made.func)
    if name.startswith("torchvision.models.") and name.rpartition(".")[2].startswith(FLATTENING):
        return "not what its forward does between them: this raises at the last layer"
    info = source.classes.named(name)
    forward = source.classes.method(info, "forward") if info and info.is_module else None
    if forward is None:
        return ""
    works = [
        call for call in calls_in(forward, source) if source.name(call.func).startswith("torch.")
    ]
    if not works:
        return ""
    return f"leaves out {source.code(works[0].func)}(...), which its forward calls"


def calls_in(function: cst.FunctionDef, source: Source) -> Iterator[cst.Call]:
    """The calls that stand directly in a function."""
    for call in source.nodes(cst.Call):
        if source.enclosing(call, cst.FunctionDef, cst.Lambda) is function:
            yield call
