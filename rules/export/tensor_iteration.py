"""LT105: a Python loop over a tensor or over range(size), unrolled as often as the example has it."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Repeated
from lintorch.evaluator.sizes import is_symbol, varies
from lintorch.evaluator.values import Items, Number, Tensor
from lintorch.evidence import EventKey, Outcome, SizeLooped, TensorRead, TensorUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes
from lintorch.facts.models.elementwise import list_leaves
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT105",
    summary="a Python loop over a tensor or over a size",
    why="""
        A tracer unrolls a loop: the exported model does as many iterations as the example input
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
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x * 2
    """,
    remedy="compute on the whole axis at once (broadcasting, matmul, cumsum), or keep that size fixed",
    proof="""
        from torch.export import Dim, export

        export(Scale(), (torch.ones(2, 3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    """,
    fix=Applicability.UNSAFE,
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


@rule.event(Repeated)
def in_model(event: Repeated, source: Source) -> Iterator[Hit]:
    """range(h), zip and enumerate of it, and the rows of a tensor whose number varies."""
    if not event.way.forward or not source.profile.dynamic or uses_layers(event.loop):
        return
    over, text = event.over, source.evaluation.text(event.spot)
    if isinstance(over, Items) and over.items is None and over.length is not None:
        if over.length.varies and not over.length.data and not is_of_logarithm(over.length):
            harm = COUNTED if is_symbol(over.length.size) else COUNTED_WORKED_OUT
            said = f"`{text}` has as many iterations as the example's sizes say"
            yield Hit(event, said, fix=compute_at_once(event, source), harm=harm)
            return
    elif isinstance(over, Tensor) and has_open_rows(over):
        said = f"one iteration for each row that {text} has in the example"
        yield Hit(event, said, fix=compute_at_once(event, source), harm=ROWS)
        return
    if fix := compute_at_once(event, source):
        yield Hit(event, "a loop over what may vary", fix=fix, confirms=True)


def is_of_logarithm(count: Number) -> bool:
    """`range(int(2 * math.log(h)))`: another rule tells to give that number as a constant."""
    return any(via.name.startswith("math.log") for via in count.via)


def compute_at_once(event: Repeated, source: Source) -> Fix | None:
    """`x * 2` for `torch.stack([row * 2 for row in x])`: the same of each item of a row."""
    loop = event.loop
    if event.spot.path != source.path:
        return None
    if isinstance(loop, ast.For):
        return fill_at_once(loop, event, source)
    if not isinstance(loop, (ast.ListComp, ast.GeneratorExp)):
        return None
    call = find_stack(loop, source)
    turn = loop.generators[0] if len(loop.generators) == 1 else None
    if call is None or turn is None or turn.ifs or not isinstance(turn.target, ast.Name):
        return None
    rows = find_rows(turn.iter)
    row = turn.target.id if rows is None else f"{rows}[{turn.target.id}]"
    whole = ast.unparse(turn.iter) if rows is None else rows
    if list_leaves(loop.elt) != frozenset({row}) or not isinstance(event.over, (Tensor, Items)):
        return None
    if rows is None and not isinstance(turn.iter, (ast.Name, ast.Attribute)):
        return None
    text = ast.unparse(PutInPlace(row, whole).visit(copy.deepcopy(loop.elt)))
    edit = source.replace(call, source.fitted(text, call))
    return Fix(f"write {text}", (edit,), Applicability.UNSAFE)


def fill_at_once(loop: ast.For, event: Repeated, source: Source) -> Fix | None:
    """`out[:] = x * 2` for a loop that does `out[i] = x[i] * 2` for each row of both."""
    rows, function = find_rows(loop.iter), source.evaluation.find_function(event)
    match loop:
        case ast.For(
            target=ast.Name(id=turn),
            body=[
                ast.Assign(
                    targets=[ast.Subscript(value=ast.Name(id=out), slice=ast.Name(id=index))],
                    value=value,
                )
            ],
            orelse=[],
        ) if turn == index and rows and function is not None:
            if list_leaves(value) != frozenset({f"{rows}[{turn}]"}):
                return None
            if not is_made_like(out, rows, function):
                return None
            whole = ast.unparse(PutInPlace(f"{rows}[{turn}]", rows).visit(copy.deepcopy(value)))
            return replace_loop(loop, f"{out}[:] = {whole}", source)
    return None


def is_made_like(out: str, rows: str, function: ast.AST) -> bool:
    """`out = torch.zeros_like(x)`, and nothing else."""
    given = [
        ast.unparse(each.value)
        for each in ast.walk(function)
        if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == out
    ]
    return len(given) == 1 and bool(
        re.fullmatch(rf"[\w.]*(zeros|ones|empty)_like\({rows}\)", given[0])
    )


def replace_loop(loop: ast.For, text: str, source: Source) -> Fix | None:
    """A line in the place of a loop, unless a comment stands in it."""
    node = next(n for n in source.nodes(cst.For) if source.place(n).row == loop.lineno)
    start = source.replace(node, "").start
    end = source.spans.offset(loop.end_lineno or loop.lineno, 1)
    last = source.text[end:].splitlines()[0]
    stop = end + len(last.encode()[: loop.end_col_offset].decode())
    if "#" in source.text[start:stop]:
        return None
    return Fix(f"write {text}", (Edit(start, stop, text),), Applicability.UNSAFE)


def find_stack(loop: ast.expr, source: Source) -> cst.Call | None:
    """The `torch.stack` of no more than the items of a comprehension."""
    rows, written = (loop.lineno, loop.end_lineno), "".join(ast.unparse(loop).split())
    for call in source.nodes(cst.Call):
        if source.name(call.func) != "torch.stack" or len(call.args) != 1 or call.args[0].star:
            continue
        given = call.args[0].value
        place = source.place(given)
        same = "".join(source.code(given).split()).strip("()") == written.strip("()")
        if (place.row, place.end_row) == rows and same:
            return call
    return None


def find_rows(over: ast.expr) -> str | None:
    """`x` of `range(x.size(0))`, `range(x.shape[0])` and `range(len(x))`."""
    match over:
        case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]):
            found = re.fullmatch(
                r"(\w+)\.(?:size\(0\)|shape\[0\])|len\((\w+)\)", ast.unparse(count)
            )
            return found[1] or found[2] if found else None
    return None


class PutInPlace(ast.NodeTransformer):
    """Writes the whole for a row of it."""

    def __init__(self, row: str, whole: str) -> None:
        self._row, self._whole = row, whole

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and ast.unparse(node) == self._row:
            return ast.parse(self._whole, mode="eval").body
        return self.generic_visit(node)


def has_open_rows(over: Tensor) -> bool:
    """Whether the first axis surely varies, or is that of an input, in what is worked out of it."""
    if over.shape is None:
        return over.sure and bool(over.ranked_as) and over.data is True
    return over.sure and bool(over.shape) and varies(over.shape[0]) is True


def uses_layers(loop: ast.AST | None) -> bool:
    """`self.layers[i]` inside: as many rounds as there are layers."""
    return loop is not None and any(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Attribute)
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id == "self"
        for node in ast.walk(loop)
    )


@rule.trace(*TRACE_HARM)
def in_trace(event: SizeLooped | TensorRead, trace: Trace) -> Iterator[Hit | Refuted]:
    yield from clear_fixed_line(event, trace, f"{event.value} iterations at every size tried")
    for key, other in list(find_changes(event, trace).items())[:1]:
        said = f"{event.value} iterations, and {other.value} when {key} changes"
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
