"""LT106: an operator whose result is as large as the data says, and that an exporter refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed, ItemSet
from lintorch.evaluator.values import NONE, TRUE, Constant, Items, Tensor, Value
from lintorch.evidence import OperatorCall, Trace
from lintorch.evidence.host_reads import describe_call
from lintorch.facts.exporting.counted_operands import ASKING, CHECKED, weigh_counted
from lintorch.source import Source

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
        one, and `torch.nonzero(mask, as_tuple=True)` by jit.script. torch.export and the new ONNX
        exporter also refuse what asks whether such a result holds anything at all: batch norm of
        the rows of `x[mask]`, attention over them, an LSTM or GRU, `chunk` and `split` along them,
        `roll`, `logsumexp` and `cdist`. Measured on torch 2.13.

        `x[mask]` is `masked_select` for a mask of the same shape. For norms and attention
        `torch._check(rows.shape[0] > 0)` says that there is something.
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
SAY = "say ahead of it that there are: torch._check(rows.shape[0] > 0)"
PAD = "keep all of them and mask what does not count, or do this outside of the exported part"
HARM = {"masked_select": ONNX, "combinations": REFUSED, "unique_consecutive": LEGACY}
INSTEAD = {
    "one_hot": "pass num_classes=",
    "masked_select": "write x[mask] for x.masked_select(mask)",
    "repeat_interleave": "leave output_size out",
    "nonzero": "write torch.where(mask)",
    "combinations": "index with torch.combinations(torch.arange(n)), kept as a buffer",
    "unique_consecutive": "write torch.unique(x) where order does not matter",
}
OPERATORS = (
    "torch.nn.functional.one_hot",
    "torch.Tensor.__setitem__",
    *(f"torch.{name}" for name in (*HARM, "repeat_interleave", "nonzero")),
    *(f"torch.Tensor.{name}" for name in (*HARM, "repeat_interleave")),
)


@rule.event(*OPERATORS)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    last = event.name.rpartition(".")[2]
    harm = HARM.get(last) or weigh_arguments(event, last)
    if harm and event.way.forward and not source.evaluation.is_dropped(event):
        said = f"the data decides how large {last}() is"
        fix, remedy = write_index(event, last, source), INSTEAD[last]
        yield Hit(event, said, fix=fix, harm=harm, remedy=remedy)


@rule.event(*ASKING)
def in_operand(event: Called, source: Source) -> Iterator[Hit]:
    """`self.norm(x[mask])`."""
    harm = weigh_counted(event)
    if harm and event.way.forward and not source.evaluation.is_dropped(event):
        if is_gone_through(event, source):
            return  # the loop is told, which is refused as well
        last = event.name.removesuffix(".forward").rpartition(".")[2]
        said = f"{last} asks whether there are any of the rows, columns or steps that data decide"
        yield Hit(event, said, harm=harm, remedy=SAY if event.name in CHECKED else PAD)


def is_gone_through(event: Called, source: Source) -> bool:
    """`for part in torch.split(rows, 1000):`."""
    around = source.evaluation.list_around(event)
    return any(isinstance(each, ast.For) and each.iter is event.node for each in around)


@rule.event(ItemSet)
def in_assignment(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`x[x[:, 0] > 0] = 0`."""
    number = isinstance(event.value, Constant) and isinstance(event.value.value, (int, float))
    if number and event.way.forward and is_row_mask(event, source):
        said = f"{source.evaluation.text(event.spot)} is as many rows as the data says"
        yield Hit(event, said, harm=LEGACY, remedy="write torch.where(mask[:, None], value, x)")


@rule.trace(*OPERATORS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: most of these are right without the arguments it looked at."""
    yield Hit(event, describe_call(event), severity=Severity.NOTE, confirms=True)


def weigh_arguments(event: Called, last: str) -> dict[str, Harm]:
    """Of those that need a look at the arguments."""
    given = event.arguments
    if last == "one_hot" and given.get("num_classes") == Constant(-1):
        return REFUSED
    if last == "repeat_interleave":
        sized = given.get("output_size", NONE) != NONE
        repeats = given.get("repeats")
        return ONNX if sized and isinstance(repeats, Tensor) and repeats.data else {}
    if event.name == "torch.nonzero" and given.get("as_tuple") == TRUE:
        return SCRIPT
    return {}


def is_row_mask(event: ItemSet, source: Source) -> bool:
    """`x[m]` with a mask of fewer axes, such as one made of one column: `m = x[:, 0] > 0`."""
    held, mask = event.held, event.index
    if not isinstance(held, Tensor) or not isinstance(mask, Tensor) or mask.data is False:
        return False
    if held.shape is not None and mask.shape is not None:
        return mask.dtype == "bool" and len(mask.shape) < len(held.shape)
    asked = source.evaluation.ways.find_comparison(mask)
    sides = (asked.left, asked.right) if asked is not None else ()
    return any(is_column(each, held, source) for each in sides)


def is_column(value: Value, of: Tensor, source: Source) -> bool:
    """`x[:, 0]` or `x[..., 0]` of `x`."""
    made = source.evaluation.ways.find_maker(value)
    if not isinstance(made, Indexed) or made.held != of or not isinstance(made.index, Items):
        return False
    last = (made.index.items or (NONE,))[-1]
    return isinstance(last, Constant) and isinstance(last.value, int)


def write_index(event: Called, last: str, source: Source) -> Fix | None:
    """`x[mask]` for `x.masked_select(mask)`; the mask may have been of another shape."""
    call = source.call_at(event) if last == "masked_select" else None
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    function = event.name == "torch.masked_select"
    plain = all(not arg.star and not arg.keyword for arg in call.args)
    if not plain or len(call.args) != (2 if function else 1):
        return None
    held = call.args[0].value if function else call.func.value
    if not isinstance(held, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
        return None
    text = f"{source.code(held)}[{source.code(call.args[-1].value)}]"
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)
