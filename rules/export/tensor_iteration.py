"""LT105: a Python loop over a tensor or over range(size), unrolled as often as the example has it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Repeated
from lintorch.evaluator.sizes import is_symbol, varies
from lintorch.evaluator.values import Items, Tensor
from lintorch.evidence import EventKey, Outcome, SizeLooped, TensorRead, TensorUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes
from lintorch.facts.classes.classes import is_self
from lintorch.facts.exporting.scripted import without_tracer_harm
from lintorch.source import Kind, Source, literal, may_vary

rule = Rule(
    __name__,
    code="LT105",
    summary="a Python loop over a tensor or over a size",
    why="""
        A tracer unrolls a loop: the exported model does as many rounds as the example input
        needed. Over `range(x.size(0))` the legacy exporter and jit.trace do so without a warning
        and are wrong at any other size; over the rows of a tensor the exported model raises
        there. `torch.export` refuses, and so does the new ONNX exporter unless sizes are left to
        `Dim.AUTO`. A loop over a size that never varies is harmless. Measured on torch 2.13.

        Write the loop as one tensor operation (broadcasting, `torch.vmap`, a batched matmul).
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return torch.stack([x[i] * 2 for i in range(x.size(0))])
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x * 2
    """,
    proof="""
        from torch.export import Dim, export

        export(Scale(), (torch.ones(2, 3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    """,
)

COUNTED = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.AUTO,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
COUNTED_WORKED_OUT = {**COUNTED, "onnx": Harm.SILENT}
ROWS = {**COUNTED, "onnx-legacy": Harm.FAILS, "torchscript-trace": Harm.FAILS}
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {SizeLooped: COUNTED, TensorUse.ITERATION: ROWS}
AROUND = ("enumerate", "zip", "reversed")
CUTS = ("unbind", "split")
TABLES = re.compile(r"(shapes|sizes|levels)(_list)?$")
"""Tables of one row per level of a pyramid, which are as many as there are levels."""


@rule.source(cst.For)
def in_for(node: cst.For, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(looped(node.iter, source), source)


@rule.source(cst.CompFor)
def in_comprehension(node: cst.CompFor, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(looped(node.iter, source), source)


def looped(over: cst.BaseExpression, source: Source) -> Iterator[Hit]:
    """The one thing a loop goes over, also through enumerate and zip."""
    if not source.profile.dynamic or not source.in_traced_forward(over):
        return
    if source.place(over).row in source.evaluation.rows.repeated:
        return  # what is known there decides
    name = source.name(over.func) if isinstance(over, cst.Call) else ""
    if isinstance(over, cst.Call) and name in AROUND:
        given = [arg.value for arg in over.args]
        layers = any(is_own(node) for node in given) or picks_layers(over, source)
        if not layers:  # else as many rounds as there are layers
            yield from [hit for node in given for hit in looped(node, source)][:1]
    elif isinstance(over, cst.Call) and name == "range":
        if not picks_layers(over, source):
            yield from counted(over, source)
    elif by_rows(over, source):
        said = f"one round for each row that {source.code(over)} has in the example"
        yield Hit(over, said, harm=ROWS)


@rule.event(Repeated)
def in_model(event: Repeated, source: Source) -> Iterator[Hit]:
    """range(h), zip and enumerate of it, and the rows of a tensor whose number varies."""
    if not event.way.forward or not source.profile.dynamic or uses_layers(event.loop):
        return
    over, text = event.over, source.evaluation.text(event.spot)
    if isinstance(over, Items) and over.items is None and over.length is not None:
        if over.length.varies and not over.length.data:
            harm = COUNTED if is_symbol(over.length.size) else COUNTED_WORKED_OUT
            said = f"`{text}` has as many rounds as sizes say for the example"
            yield Hit(event, said, harm=harm)
    elif isinstance(over, Tensor) and over.sure and over.shape and varies(over.shape[0]):
        yield Hit(event, f"one round for each row that {text} has in the example", harm=ROWS)


def uses_layers(loop: ast.AST | None) -> bool:
    """`self.layers[i]` inside: as many rounds as there are layers."""
    return loop is not None and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "self"
        for node in ast.walk(loop)
    )


def counted(call: cst.Call, source: Source) -> Iterator[Hit]:
    """range(x.size(0)), range(0, h, 8)."""
    for arg in call.args:
        value = source.value(arg.value)
        if value.kind is Kind.SIZE and may_vary(value):
            worked_out = isinstance(arg.value, cst.BinaryOperation)
            harm = COUNTED_WORKED_OUT if worked_out else COUNTED
            said = f"as many rounds as {source.code(arg.value)} was for the example"
            yield Hit(call, said, harm=harm)
            return


def by_rows(over: cst.BaseExpression, source: Source) -> bool:
    """An input of the function or a view of it, or the rows that it is cut into."""
    value = source.value(over)
    if value.is_tensor:
        if isinstance(over, cst.Name) and TABLES.search(over.value):
            return False
        return value.sure and bool(value.roots)
    if not isinstance(over, cst.Call) or not isinstance(over.func, cst.Attribute):
        return False
    if over.func.attr.value not in CUTS or value.kind is not Kind.TENSORS:
        return False
    axis = source.arguments(over, *(("dim",) if over.func.attr.value == "unbind" else ("n", "dim")))
    cut = source.value(over.func.value)
    return cut.sure and bool(cut.roots) and literal(axis.get("dim")) in (0, None)


def is_own(node: cst.BaseExpression) -> TypeGuard[cst.Attribute]:
    """`self.layers`."""
    return isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name)


def picks_layers(over: cst.Call, source: Source) -> bool:
    """`for i, x in enumerate(features): self.layers[i](x)`, and the same of `range(n)`."""
    loop = source.parent(over)
    whole = source.parent(loop) if isinstance(loop, cst.CompFor) else loop
    target = loop.target if isinstance(loop, (cst.For, cst.CompFor)) else None
    if whole is None or target is None:
        return False
    first = target.elements[0].value if isinstance(target, cst.Tuple) else target
    return isinstance(first, cst.Name) and any(
        first.value in indexed(picked) and whole in source.ancestors(picked)
        for picked in source.nodes(cst.Subscript)
        if is_own(picked.value) and is_self(picked.value.value)
    )


def indexed(node: cst.Subscript) -> set[str]:
    """The names that stand alone between the brackets."""
    indices = [part.slice for part in node.slice]
    return {
        i.value.value for i in indices if isinstance(i, cst.Index) and isinstance(i.value, cst.Name)
    }


@rule.trace(*TRACE_HARM)
def in_trace(event: SizeLooped | TensorRead, trace: Trace) -> Iterator[Hit | Refuted]:
    yield from clear_fixed_line(event, trace, f"{event.value} rounds at every size tried")
    for key, other in list(find_changes(event, trace).items())[:1]:
        said = f"{event.value} rounds, and {other.value} when {key} changes"
        sizes = name_sizes(find_changes(event, trace))
        yield Hit(event.site, said, harm=TRACE_HARM[event.key], sizes=sizes)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*TRACE_HARM):
        if hit := blame_event(outcome, event, trial, TRACE_HARM[event.key]):
            yield hit


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    yield from clear_lines(outcome, trial.trace.find_events(*TRACE_HARM), trial)
