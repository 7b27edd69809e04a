"""LT105: a Python loop over a tensor or over range(size), unrolled as often as the example has it."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed, ItemSet, Occurrence, Repeated
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.sizes import Dim, is_symbol, varies
from lintorch.evaluator.values import Items, Number, Tensor, Value
from lintorch.evidence import EventKey, Outcome, SizeLooped, TensorRead, TensorUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes
from lintorch.facts.models.branch_span import find_branch_span
from lintorch.facts.models.elementwise import list_leaves
from lintorch.facts.models.lifted_loops import (
    LiftedLoop,
    LoopHead,
    fill_rows,
    is_join,
    lift_listed,
    lift_loop,
    read_head,
)
from lintorch.facts.models.lifted_rows import RowLifter
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
LENGTHS = re.compile(r"len(s|gths?)?\b|_len")
"""What names of one number a row have in them."""
LOOPS = (ast.For, ast.ListComp, ast.GeneratorExp)
PARTED = ("torch.Tensor.split", "torch.Tensor.chunk", "torch.split", "torch.chunk")
SAME_OF_ROWS = frozenset(
    {"Linear", "Identity", "ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "LeakyReLU", "ELU"}
)
SAME_OF_SAMPLES = frozenset(
    {
        "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
        "LayerNorm", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "Upsample", "MaxPool1d",
        "MaxPool2d", "AvgPool1d", "AvgPool2d", "PixelShuffle", "Flatten",
    }
)  # fmt: skip
"""Layers whose result for a sample depends on no other sample, in training neither."""
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
    loop, function = event.loop, source.evaluation.find_function(event)
    if event.spot.path != source.path or function is None:
        return None
    if isinstance(loop, ast.For):
        return fill_at_once(loop, event, source) or write_lifted(loop, event, function, source)
    if not isinstance(loop, (ast.ListComp, ast.GeneratorExp)) or len(loop.generators) != 1:
        return None
    call, turn = find_join(loop, source), loop.generators[0]
    head = read_head(turn.target, turn.iter)
    if head is None or turn.ifs:
        return None
    if call is None:
        return write_listed(loop, head, event, function, source)
    lifted = make_lifter(head, event, call, source).lift(loop.elt)
    joined = ast.parse(source.code(call), mode="eval").body
    if lifted is None or lifted.is_plain or lifted.is_same or not isinstance(joined, ast.Call):
        return None
    if not is_join(joined, None, lifted, head.part):
        return None
    plain = isinstance(ast.parse(lifted.text, mode="eval").body, (ast.Call, ast.Name))
    edit = source.replace(call, lifted.text if plain else source.fitted(lifted.text, call))
    _, imports = source.reach("torch.arange", call)
    edits = (edit, *imports) if "arange" in lifted.text else (edit,)
    return Fix(f"write {lifted.text}", edits, Applicability.UNSAFE)


def write_listed(
    loop: ast.ListComp | ast.GeneratorExp,
    head: LoopHead,
    event: Repeated,
    function: ast.AST,
    source: Source,
) -> Fix | None:
    """`ys = self.conv(x)` for a list of it for each sample, which is joined afterwards."""
    lines = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and n.value is loop)
    line, nodes = next(lines, None), source.nodes(cst.ListComp)
    node = next((n for n in nodes if source.place(n).row == loop.lineno), None)
    if line is None or node is None or not isinstance(loop, ast.ListComp):
        return None
    lifted = lift_listed(line, loop, make_lifter(head, event, node, source), head.part, function)
    span = find_branch_span(line, None, source.text, source.spans)
    joins = [join_edit(call, lifted.name, source) for call in lifted.joins] if lifted else []
    if lifted is None or span is None or not all(joins):
        return None
    _, imports = source.reach("torch.arange", node)
    edits = (Edit(*span, lifted.lines[0]), *filter(None, joins))
    edits = (*edits, *imports) if "arange" in lifted.lines[0] else edits
    return Fix(f"write {lifted.lines[0]}", edits, Applicability.UNSAFE)


def write_lifted(loop: ast.For, event: Repeated, function: ast.AST, source: Source) -> Fix | None:
    """The same of all rows, in the place of a loop that appends to a list or fills a mask row by row."""
    head, node = read_head(loop.target, loop.iter), source.node_at(event, cst.For)
    node = node or next(
        (n for n in source.nodes(cst.For) if source.place(n).row == loop.lineno), None
    )
    span = find_branch_span(loop, None, source.text, source.spans)
    if head is None or node is None or span is None:
        return None
    lifter = make_lifter(head, event, node, source)
    _, imports = source.reach("torch.arange", node)
    if text := fill_rows(loop, lifter, function):
        return Fix(f"write {text}", (Edit(*span, text), *imports), Applicability.UNSAFE)
    lifted = lift_loop(loop, lifter, head.part, function)
    edits = list_edits(lifted, span, source) if lifted is not None else None
    if lifted is None or edits is None:
        return None
    needs = imports if any("arange" in line for line in lifted.lines) else ()
    return Fix(f"write {lifted.lines[-1]}", (*edits, *needs), Applicability.UNSAFE)


def list_edits(
    lifted: LiftedLoop, span: tuple[int, int], source: Source
) -> tuple[Edit, ...] | None:
    """The loop, the list that was made before it, and what joined it."""
    margin = source.text[source.text.rfind("\n", 0, span[0]) + 1 : span[0]]
    begin = cut_line(lifted.begin, source)
    joins = [join_edit(call, lifted.name, source) for call in lifted.joins]
    if margin.strip() or begin is None or not all(joins):
        return None
    loop = Edit(*span, f"\n{margin}".join(lifted.lines))
    return (begin, loop, *filter(None, joins))


def cut_line(line: ast.stmt, source: Source) -> Edit | None:
    """A statement that has its line for itself."""
    start, end = (source.spans.offset(row, 1) for row in (line.lineno, line.lineno + 1))
    alone = source.text[start:end].strip() == ast.unparse(line)
    return Edit(start, end, "") if alone else None


def join_edit(call: ast.Call, name: str, source: Source) -> Edit | None:
    """The name for `torch.stack(name)`; where it is given to that name again, nothing."""
    node = next((n for n in source.nodes(cst.Call) if is_at(n, call, source)), None)
    if node is None:
        return None
    line = source.enclosing(node, cst.Assign)
    if line is not None and line.value is node and source.code(line.targets[0].target) == name:
        row = ast.parse(source.code(line)).body[0]
        return cut_line(ast.increment_lineno(row, call.lineno - 1), source)
    return source.replace(node, name)


def is_at(node: cst.Call, call: ast.Call, source: Source) -> bool:
    place = source.place(node)
    same = ast.unparse(ast.parse(source.code(node), mode="eval")) == ast.unparse(call)
    return place.row == call.lineno and same


def make_lifter(head: LoopHead, event: Repeated, node: cst.CSTNode, source: Source) -> RowLifter:
    """What lifts the expressions of a loop, with what the evaluator knows of the tensors in it."""
    read = dict(list_read(event, source))
    for _, whole in head.rows[:1]:
        if isinstance(event.over, Tensor):
            read[whole] = event.over
    read |= dict(list_zipped(head, event.over))
    rounds = count_rounds(event.over)

    def rank_of(name: str) -> int | None:
        shape = read[name].shape if name in read else None
        return len(shape) if shape is not None else 1 if LENGTHS.search(name) else None

    def counts(name: str) -> bool:
        shape = read[name].shape if name in read else None
        named = re.sub(r"\.size\(0\)|\.shape\[0\]|^len\(|\)$", "", head.count) == name
        rowed = name in dict(head.rows).values()
        return named or rowed or not shape or (rounds is not None and shape[0] == rounds)

    axis, rank = head.part, rank_of(head.rows[0][1]) if head.rows else None
    same, batched = list_layers(event, source)
    if head.part:
        batched = same = same if rank is None or int(axis) < rank - 1 else frozenset()
    spelled = source.reach("torch.arange", node)[0].rpartition(".")[0]
    return RowLifter(
        head.turn, head.count, rank_of, counts, dict(head.rows), bool(head.part),
        spelled or "torch", same, batched,
    )  # fmt: skip


def count_rounds(over: Value) -> Dim | None:
    """How often a loop goes round; None where that is not known."""
    if not isinstance(over, Items):
        return None
    if over.items is not None:
        return len(over.items)
    return over.length.size if over.length is not None else None


def list_zipped(head: LoopHead, over: Value) -> Iterator[tuple[str, Tensor]]:
    """What is gone through in step, from what one row of each is; how many there are is not asked."""
    each = over.each if isinstance(over, Items) else None
    if isinstance(over, Items) and over.items:
        each = over.items[0]
    rows = each.items if isinstance(each, Items) else None
    for (_, whole), row in zip(head.rows, rows or (), strict=False):
        if isinstance(row, Tensor) and row.shape is not None:
            yield whole, replace(row, shape=(0, *row.shape))


def list_read(event: Repeated, source: Source) -> Iterator[tuple[str, Tensor]]:
    """The tensors that are read, or written to, by an index, by how they are written."""
    rows, way = list_rows(event), event.way.root
    for _, each in source.evaluation.list_events({Indexed, ItemSet, *PARTED}):
        if not isinstance(each, Occurrence) or each.way.root != way:
            continue
        if each.spot.path != source.path or source.place(each).row not in rows:
            continue
        if isinstance(each, (Indexed, ItemSet)) and isinstance(each.held, Tensor):
            yield source.evaluation.text(each.spot).partition("[")[0], each.held
        elif isinstance(each, Called):
            held = next(iter(name_given(each).values()), None)
            text = source.evaluation.text(each.spot)
            name = re.match(r"(?:torch\.\w+\()?(\w+)", text)
            if isinstance(held, Tensor) and name:
                yield name[1], held


def list_rows(event: Repeated) -> range:
    """The rows of a loop or comprehension."""
    loop = event.loop
    return range(loop.lineno, (loop.end_lineno or 0) + 1) if isinstance(loop, LOOPS) else range(0)


def list_layers(event: Repeated, source: Source) -> tuple[frozenset[str], frozenset[str]]:
    """Layers that are called in a loop: those that treat each row alike, and those that do each sample."""
    same, batched, rows = set(), set(), list_rows(event)
    for call in source.nodes(cst.Call):
        if source.place(call).row in rows and isinstance(call.func, cst.Attribute):
            kinds = {source.name(made.func).rpartition(".")[2] for made in source.built(call.func)}
            if kinds and kinds <= SAME_OF_ROWS:
                same.add(source.code(call.func))
            if kinds and kinds <= SAME_OF_ROWS | SAME_OF_SAMPLES:
                batched.add(source.code(call.func))
    return frozenset(same), frozenset(batched)


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
            span = find_branch_span(loop, None, source.text, source.spans)
            made = is_made_like(out, rows, function)
            if list_leaves(value) != frozenset({f"{rows}[{turn}]"}) or span is None or not made:
                return None
            whole = ast.unparse(PutInPlace(f"{rows}[{turn}]", rows).visit(copy.deepcopy(value)))
            text = f"{out}[:] = {whole}"
            return Fix(f"write {text}", (Edit(*span, text),), Applicability.UNSAFE)
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


def find_join(loop: ast.expr, source: Source) -> cst.Call | None:
    """The `torch.stack` or `torch.cat` of no more than the items of a comprehension."""
    rows, written = (loop.lineno, loop.end_lineno), "".join(ast.unparse(loop).split())
    for call in source.nodes(cst.Call):
        joins = source.name(call.func) in ("torch.stack", "torch.cat") and call.args
        if not joins or any(arg.star for arg in call.args):
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
