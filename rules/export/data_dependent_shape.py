"""LT106: an operator whose result is as large as the data says, and that an exporter refuses."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, Trace
from lintorch.evidence.host_reads import describe_call
from lintorch.facts.dataflow.data_sizes import is_data, is_mask
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT106",
    summary="a result whose size the data decides, which an exporter refuses",
    why="""
        `nonzero`, `torch.where(mask)`, `unique`, `x[mask]`, and `repeat_interleave` with a tensor
        are right under every exporter, and are not meant here. Refused are: `one_hot` without
        `num_classes` and `combinations` by torch.export and both ONNX exporters, `masked_select`
        and `repeat_interleave` with `output_size` by the new ONNX exporter,
        `unique_consecutive` and a constant written to masked rows (`x[rows] = 0`) by the legacy
        one, and `torch.nonzero(mask, as_tuple=True)` by jit.script. Measured on torch 2.13.

        `x[mask]` is `masked_select` for a mask of the same shape.
    """,
    bad="""
        from torch import nn


        class Positive(nn.Module):
            def forward(self, x):
                return x.masked_select(x > 0)
    """,
    good="""
        from torch import nn


        class Positive(nn.Module):
            def forward(self, x):
                return x[x > 0]
    """,
    proof="""
        import torch

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.onnx.export(Positive(), (torch.ones(2, 3),), "model.onnx", verbose=False)
    """,
    fix=Applicability.UNSAFE,
)

LEGACY = {"onnx-legacy": Harm.REFUSED}
ONNX = {"onnx": Harm.REFUSED}
REFUSED = {"torch.export": Harm.REFUSED, **ONNX, **LEGACY}
SCRIPT = {"torchscript-script": Harm.REFUSED}
HARM = {"masked_select": ONNX, "combinations": REFUSED, "unique_consecutive": LEGACY}
WORDS = (*HARM, "one_hot", "repeat_interleave", "as_tuple")
OPERATORS = (
    "torch.nn.functional.one_hot",
    "torch.Tensor.__setitem__",
    *(f"torch.{name}" for name in (*HARM, "repeat_interleave", "nonzero")),
    *(f"torch.Tensor.{name}" for name in (*HARM, "repeat_interleave")),
)


@rule.source(cst.Call, needs=WORDS)
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    last = operation(call, source)
    harm = HARM.get(last) or special(call, last, source)
    if harm and source.in_traced_forward(call) and source.in_graph(call):
        said = f"the data decides how large {last}() is"
        yield Hit(call, said, fix=indexed(call, last, source), harm=harm)


@rule.source(cst.Assign, needs=("] = ",))
def in_assignment(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`x[x[:, 0] > 0] = 0`."""
    target = node.targets[0].target
    if not isinstance(target, cst.Subscript) or len(node.targets) != 1:
        return
    if not isinstance(literal(node.value), (int, float)) or not is_row_mask(target, source):
        return
    if source.in_traced_forward(node):
        said = f"{source.code(target)} is as many rows as the data says"
        yield Hit(target, said, harm=LEGACY)


@rule.trace(*OPERATORS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: most of these are right without the arguments it looked at."""
    yield Hit(event, describe_call(event), severity=Severity.NOTE, confirms=True)


def operation(call: cst.Call, source: Source) -> str:
    """The last part of the name of a function of torch, or of a method of a tensor."""
    name, func = source.name(call.func), call.func
    if name.startswith("torch.") or name == "torch.nn.functional.one_hot":
        return name.rpartition(".")[2]
    method = isinstance(func, cst.Attribute) and not name
    if method and isinstance(func, cst.Attribute) and source.value(func.value).is_tensor:
        return func.attr.value
    return ""


def special(call: cst.Call, last: str, source: Source) -> dict[str, Harm] | None:
    """Those that need a look at the arguments."""
    function = bool(source.name(call.func))
    own = () if not function else ("input",)
    if last == "one_hot":
        given = source.arguments(call, "input", "num_classes")
        return REFUSED if given.value("num_classes", -1) == -1 else None
    if last == "repeat_interleave":
        given = source.arguments(call, *own, "repeats", "dim")
        repeats = given.get("repeats")
        sized = literal(given.get("output_size")) is not None and given.get("output_size")
        tensor = repeats is not None and is_data(source.value(repeats))
        return ONNX if sized and tensor else None
    if last == "nonzero" and function:
        return SCRIPT if source.arguments(call, "input").value("as_tuple", False) is True else None
    return None


def is_row_mask(target: cst.Subscript, source: Source) -> bool:
    """`x[m]` with a mask made of one column: `m = x[:, 0] > 0`."""
    index = target.slice[0].slice
    if len(target.slice) != 1 or not isinstance(index, cst.Index):
        return False
    mask = index.value
    given = source.classes.assigned(mask) if isinstance(mask, cst.Name) else [mask]
    return bool(given) and all(
        isinstance(value, cst.Comparison)
        and is_column(value.left, target.value, source)
        and is_mask(value, source)
        for value in given
    )


def is_column(node: cst.BaseExpression, of: cst.BaseExpression, source: Source) -> bool:
    """`x[:, 0]` or `x[..., 0]` of `x`."""
    match node:
        case cst.Subscript(slice=[_, cst.SubscriptElement(slice=cst.Index(value=last))]):
            return isinstance(literal(last), int) and source.code(node.value) == source.code(of)
    return False


def indexed(call: cst.Call, last: str, source: Source) -> Fix | None:
    """`x[mask]` for `x.masked_select(mask)`; the mask may have been of another shape."""
    func = call.func
    if last != "masked_select" or not isinstance(func, cst.Attribute):
        return None
    function = bool(source.name(func))
    plain = all(not arg.star and not arg.keyword for arg in call.args)
    if not plain or len(call.args) != (2 if function else 1):
        return None
    held = call.args[0].value if function else func.value
    if not isinstance(held, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
        return None
    text = f"{source.code(held)}[{source.code(call.args[-1].value)}]"
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)
