"""A loop over rows written as one operation on all of them: `x * 2` for `torch.stack([row * 2 for row in x])`."""

from __future__ import annotations

import ast
import copy
import re

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Repeated
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
from lintorch.facts.models.loop_tensors import RewritesLoops, make_lifter
from lintorch.syntax.edits import read_margin


def compute_at_once(event: Repeated, source: RewritesLoops) -> Fix | None:
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
    source: RewritesLoops,
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


def write_lifted(
    loop: ast.For, event: Repeated, function: ast.AST, source: RewritesLoops
) -> Fix | None:
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
    lifted: LiftedLoop, span: tuple[int, int], source: RewritesLoops
) -> tuple[Edit, ...] | None:
    """The loop, the list that was made before it, and what joined it."""
    margin = read_margin(source.text, span[0])
    begin = cut_line(lifted.begin, source)
    joins = [join_edit(call, lifted.name, source) for call in lifted.joins]
    if margin.strip() or begin is None or not all(joins):
        return None
    loop = Edit(*span, f"\n{margin}".join(lifted.lines))
    return (begin, loop, *filter(None, joins))


def cut_line(line: ast.stmt, source: RewritesLoops) -> Edit | None:
    """A statement that has its line for itself."""
    start, end = (source.spans.offset(row, 1) for row in (line.lineno, line.lineno + 1))
    alone = source.text[start:end].strip() == ast.unparse(line)
    return Edit(start, end, "") if alone else None


def join_edit(call: ast.Call, name: str, source: RewritesLoops) -> Edit | None:
    """The name for `torch.stack(name)`; where it is given to that name again, nothing."""
    node = next((n for n in source.nodes(cst.Call) if is_at(n, call, source)), None)
    if node is None:
        return None
    line = source.enclosing(node, cst.Assign)
    if line is not None and line.value is node and source.code(line.targets[0].target) == name:
        row = ast.parse(source.code(line)).body[0]
        return cut_line(ast.increment_lineno(row, call.lineno - 1), source)
    return source.replace(node, name)


def is_at(node: cst.Call, call: ast.Call, source: RewritesLoops) -> bool:
    place = source.place(node)
    same = ast.unparse(ast.parse(source.code(node), mode="eval")) == ast.unparse(call)
    return place.row == call.lineno and same


def fill_at_once(loop: ast.For, event: Repeated, source: RewritesLoops) -> Fix | None:
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


def find_join(loop: ast.expr, source: RewritesLoops) -> cst.Call | None:
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
