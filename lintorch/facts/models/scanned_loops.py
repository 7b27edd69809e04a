"""A loop over steps that carry a state, as the `scan` that torch.export keeps as one operator.

if torch.compiler.is_exporting():
    from torch._higher_order_ops import scan

    def take_step(so_far, given): ...

    h, ys = scan(take_step, h, x.movedim(1, 0), dim=0)
    ys = ys.movedim(0, 1)
else:
    for t in range(x.size(1)): ...       # as it was

Eager mode and the tracers run the loop as before. Measured on torch 2.13 at three lengths and batch
sizes: torch.export and onnx, which refused every length but the example's, are right but for rounding.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from textwrap import indent

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix
from lintorch.evaluator.events import Repeated
from lintorch.facts.models.branch_span import find_span
from lintorch.facts.models.loop_tensors import RewritesLoops
from lintorch.facts.models.step_loops import StepBody, StepHead, read_step_body, read_step_head
from lintorch.syntax.edits import read_margin

_JOINS = ("stack", "cat")


def scan_steps_of(event: Repeated, source: RewritesLoops) -> Fix | None:
    """The loop, and above it what torch.export is given instead."""
    loop, function = event.loop, source.evaluation.find_function(event)
    if event.spot.path != source.path or not isinstance(loop, ast.For) or loop.orelse:
        return None
    head = read_step_head(loop.target, loop.iter)
    body = read_step_body(loop, head) if head is not None else None
    if head is None or body is None or not isinstance(function, ast.FunctionDef):
        return None
    node = next((n for n in source.nodes(cst.For) if source.place(n).row == loop.lineno), None)
    carried = _list_carried(body, loop, function)
    joins = {
        outs: _find_joins(outs, loop, function) for outs in body.outputs.keys() - body.writes.keys()
    }
    if node is None or carried is None or not all(joins.values()):
        return None
    asks, imports = source.reach("torch.compiler.is_exporting", node)
    start, end = find_span(loop, source.text, source.spans)
    margin, old = read_margin(source.text, start), source.text[start:end]
    parts = {**{whole: name for name, whole, _ in head.rows}, **body.parts}
    taken = _names(function) & {"take_step", "scan", "so_far", "given", *body.parts.values()}
    quotes = any(each in margin + old for each in ('"""', "'''", "\t"))
    if (
        not asks
        or taken
        or not parts
        or margin.strip()
        or quotes
        or _is_read_behind(loop, function)
    ):
        return None
    begins = [_begin(name, body, loop, function) for name in carried]
    written = _write(head, body, carried, begins, joins, parts)
    text = f"if {asks}():\n{indent(written, '    ')}\nelse:\n    {old.replace(chr(10), chr(10) + '    ')}"
    shown = text.replace("\n", f"\n{margin}", text.count("\n") - old.count("\n"))
    shown = shown.replace(f"\n{margin}\n", "\n\n")
    edits = [Edit(start, end, shown)]
    for outs, call in ((outs, call) for outs, calls in joins.items() for call in calls):
        begin, last = find_span(call, source.text, source.spans)
        either = f"{outs} if {asks}() else {source.text[begin:last]}"
        edits.append(Edit(begin, last, either if _is_all(call, function) else f"({either})"))
    return Fix("give torch.export a scan over its steps", (*edits, *imports), Applicability.UNSAFE)


def _is_all(call: ast.Call, function: ast.FunctionDef) -> bool:
    """Whether a statement gives or returns what is called, and no more."""
    lines = (n for n in ast.walk(function) if isinstance(n, (ast.Assign, ast.Return)))
    return any(each.value is call for each in lines)


def _is_read_behind(loop: ast.For, function: ast.FunctionDef) -> bool:
    """Whether the last step or its number is asked for once the loop is over."""
    names = _names(loop.target)
    return any(each.id in names for each in _list_outer_reads(loop, function))


def _list_outer_reads(loop: ast.For, function: ast.FunctionDef) -> list[ast.Name]:
    """The names that are read behind a loop, or in a loop around it."""
    inside, nodes = {id(n) for n in ast.walk(loop)}, list(ast.walk(function))
    around = _is_inside_loop(loop, function)
    reads = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return [n for n in reads if id(n) not in inside and (around or n.lineno > loop.lineno)]


def _is_inside_loop(loop: ast.For, function: ast.FunctionDef) -> bool:
    others = (
        n for n in ast.walk(function) if isinstance(n, (ast.For, ast.While)) and n is not loop
    )
    return any(id(loop) in map(id, ast.walk(each)) for each in others)


def _names(function: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name)}


def _list_carried(body: StepBody, loop: ast.For, function: ast.FunctionDef) -> list[str] | None:
    """What goes from step to step: read before it is given, or behind the loop; None where it does not begin as a tensor."""
    behind = {each.id for each in _list_outer_reads(loop, function)}
    stored = list(dict.fromkeys(body.stored))
    carried = [name for name in stored if name in body.carried or name in behind]
    begins = [_find_begin(name, loop, function) for name in carried]
    return None if any(begin is None for begin in begins) else carried


def _begin(name: str, body: StepBody, loop: ast.For, function: ast.FunctionDef) -> str:
    """What the first step is given: of the strides that a step makes, and no tensor twice, which scan takes for one.

    What may be a pair of tensors (a parameter, a tuple, what a step takes items of) stays as it is.
    """
    begin = _find_begin(name, loop, function)
    if isinstance(begin, ast.Name):
        return f"{name}.clone()"
    apart = any(f"{name}[" in line for line in (*body.lines, *body.parts))
    return name if apart or isinstance(begin, (ast.arg, ast.Tuple)) else f"{name}.contiguous()"


def _find_begin(name: str, loop: ast.For, function: ast.FunctionDef) -> ast.AST | None:
    """What a name is given before a loop: a parameter, or an expression that may be a tensor."""
    lines = (n for n in ast.walk(function) if isinstance(n, ast.Assign) and n.lineno < loop.lineno)
    given = [value for line in lines for at, value in _list_given(line) if at == name]
    if not given:
        arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
        return next((each for each in arguments if each.arg == name), None)
    return None if isinstance(given[-1], (ast.Constant, ast.List, ast.Dict, ast.Set)) else given[-1]


def _list_given(line: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    """Each name of an assignment with what it is given; of `h = c = x.new_zeros(n)` and `h, c = pair`, a name."""
    for target in line.targets:
        match target, line.value:
            case ast.Tuple(elts=names), ast.Tuple(elts=values):
                yield from zip(map(ast.unparse, names), values, strict=False)
            case ast.Tuple(elts=names), ast.Name() | ast.Call() | ast.Subscript():
                yield from ((ast.unparse(each), line.value) for each in names)
            case ast.Tuple(elts=names), _:
                yield from ((ast.unparse(each), ast.Constant(None)) for each in names)
            case _:
                first = target is line.targets[0]
                value = line.value if first else ast.Name(ast.unparse(line.targets[0]))
                yield ast.unparse(target), value


def _find_joins(outs: str, loop: ast.For, function: ast.FunctionDef) -> list[ast.Call]:
    """The `torch.stack(outs, 1)` of a list that is made empty before the loop, and read nowhere else.

    Where `outs = torch.stack(outs, 1)` gives it that name, up to there.
    """
    inside, nodes = {id(n) for n in ast.walk(loop)}, list(ast.walk(function))
    lines = [n for n in nodes if isinstance(n, ast.Assign)]
    again = [n for n in lines if _read_join(n.value, outs) and ast.unparse(n.targets[0]) == outs]
    last = min((n.lineno for n in again), default=sys.maxsize)
    names = [n for n in nodes if isinstance(n, ast.Name) and n.id == outs and id(n) not in inside]
    uses = [n for n in names if n.lineno <= last]
    begins = [n for n in lines if ast.unparse(n) == f"{outs} = []" and n.lineno < loop.lineno]
    calls = [
        n for n in nodes if isinstance(n, ast.Call) and _read_join(n, outs) and n.lineno <= last
    ]
    ways = {_read_join(each, outs) for each in calls}
    alone = len(uses) == len(begins) + len(calls) + bool(again)
    alone = (
        alone
        and len(begins) == len(ways) == 1
        and (not again or not _is_inside_loop(loop, function))
    )
    return calls if alone and all(each.lineno > loop.lineno for each in calls) else []


def _read_join(call: ast.AST, outs: str) -> tuple[str, int] | None:
    """("stack", 1) of `torch.stack(outs, dim=1)`."""
    match call:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr=how),
            args=[ast.Name(id=name), *rest],
        ):
            given = [*rest, *(each.value for each in call.keywords)]
            axis = ast.unparse(given[0]) if given else "0"
            if name == outs and how in _JOINS and len(given) < 2 and axis.lstrip("-").isdigit():
                return how, int(axis)
    return None


def _write(
    head: StepHead,
    body: StepBody,
    carried: list[str],
    begins: list[str],
    joins: dict[str, list[ast.Call]],
    parts: dict[str, str],
) -> str:
    kept, ends = _join(carried), [f"{name}.clone()" for name in body.outputs.values()]
    first = _join(begins) or f"{next(iter(parts))}.new_zeros(())"
    evened = [n if b == n else f"{n}.contiguous()" for n, b in zip(carried, begins, strict=True)]
    after = [
        f"{n}.clone()" if _is_same(n, body) else e for n, e in zip(carried, evened, strict=True)
    ]
    after = after or ["so_far.clone()"]
    outs = [f"{name}_steps" if name in body.writes else name for name in body.outputs]
    back = ", reverse=True" if head.back else ""
    lines = [
        *([f"{', '.join(carried)} = so_far"] if carried else []),
        f"{', '.join(parts.values())} = given",
        *(f"{name} = {name}{more}" for name, _, more in head.rows if more),
        *body.lines,
        f"return {_join(after)}, {_join(ends or [f'{carried[0]}.clone()'])}",
    ]
    text = [
        "from torch._higher_order_ops import scan",
        "",
        "def take_step(so_far, given):",
        *(f"    {line}" for line in lines),
        "",
        f"{kept or '_'}, {_join(outs) or '_'} = scan(take_step, {first}, {_join(list(parts))}, dim=0{back})",
        *_list_ends(head, body, joins),
    ]
    return "\n".join(text)


def _join(names: list[str]) -> str:
    return f"({', '.join(names)})" if len(names) > 1 else "".join(names)


def _is_same(name: str, body: StepBody) -> bool:
    """Whether it is given to the next step as what something else is called."""
    for line in reversed(body.lines):
        match ast.parse(line).body[0]:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                given = dict(zip(map(ast.unparse, names), values, strict=False))
            case ast.Assign(targets=[target], value=value):
                given = {ast.unparse(target): value}
            case _:
                given = {}
        if name in given:
            return isinstance(given[name], ast.Name)
    return False


def _list_ends(head: StepHead, body: StepBody, joins: dict[str, list[ast.Call]]) -> list[str]:
    """What makes of the results of all steps what the loop made of them."""
    lines = []
    for outs, calls in joins.items():
        how, axis = _read_join(calls[0], outs) or ("stack", 0)
        turned = f"{outs}.flip(0)" if head.back else outs
        axis -= how == "cat" and axis < 0
        moved = f"{turned}.movedim(0, {axis})" if axis else turned
        flat = f"{moved}.flatten({axis}, {axis + 1})" if how == "cat" else moved
        lines += [f"{outs} = {flat}"] if flat != outs else []
    for outs, axis in body.writes.items():
        moved = f"{outs}_steps.movedim(0, {axis})" if axis else f"{outs}_steps"
        lines.append(f"{outs}[{':, ' * axis}{head.bounds.strip('[]') or ':'}] = {moved}")
    return lines
