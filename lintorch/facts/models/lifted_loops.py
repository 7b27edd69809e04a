"""Writes a loop over rows, whose results are stacked, as what it computes of all rows at once.

outs = []
for b in range(out.size(0)):                        last = out[torch.arange(out.shape[0]), lengths - 1]
    outs.append(out[b, lengths[b] - 1])
last = torch.stack(outs)
"""

from __future__ import annotations

import ast
import re
import sys
from dataclasses import dataclass

from lintorch.facts.models.elementwise import HOMES
from lintorch.facts.models.lifted_rows import Lifted, RowLifter


@dataclass(frozen=True)
class LoopHead:
    """What a loop goes over: `turn` is its number, `rows` are names for one row of a tensor each."""

    turn: str
    count: str
    rows: tuple[tuple[str, str], ...] = ()
    part: str = ""
    """The axis along which the rows are parts (`x.split(8, dim=1)`), "" where they are rows."""


@dataclass(frozen=True)
class LiftedLoop:
    """Statements in the place of a loop, and what then stands for the joined list."""

    lines: tuple[str, ...]
    joins: tuple[ast.Call, ...]
    begin: ast.stmt
    """`outs = []`, which goes."""
    name: str


def read_head(target: ast.expr, over: ast.expr) -> LoopHead | None:
    """`for i in range(x.size(0))`, `for i in range(n)`, `for row in x`, and enumerate and zip of these."""
    match target, over:
        case ast.Name(id=turn), ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]):
            return LoopHead(turn, ast.unparse(count))
        case ast.Tuple(elts=[ast.Name(id=turn), row]), ast.Call(
            func=ast.Name(id="enumerate"), args=[each]
        ):
            inner = read_head(row, each)
            fits = inner is not None and inner.rows and not inner.part
            return LoopHead(turn, inner.count, inner.rows) if inner and fits else None
        case ast.Tuple(elts=names), ast.Call(func=ast.Name(id="zip"), args=wholes, keywords=[]):
            plain = all(isinstance(each, ast.Name) for each in (*names, *wholes))
            pairs = zip(map(ast.unparse, names), map(ast.unparse, wholes), strict=False)
            return (
                LoopHead("", f"{ast.unparse(wholes[0])}.shape[0]", tuple(pairs)) if plain else None
            )
        case ast.Name(id=row), ast.Name(id=whole):
            return LoopHead("", f"{whole}.shape[0]", ((row, whole),))
        case ast.Name(id=row), ast.Call(func=ast.Attribute(value=held, attr="split" | "chunk")):
            whole, given = ast.unparse(held), [*over.args, *(k.value for k in over.keywords)]
            if whole in HOMES and given:
                whole, given = ast.unparse(given[0]), given[1:]
            axis = ast.unparse(given[1]) if len(given) == 2 else "0"
            plain = whole.isidentifier() and re.fullmatch(r"\d", axis) is not None
            return LoopHead("", "", ((row, whole),), axis) if plain else None
    return None


def lift_loop(loop: ast.For, lifter: RowLifter, part: str, function: ast.AST) -> LiftedLoop | None:
    """A loop that does nothing but to append to a list, which is made before it and joined after it."""
    match loop.body[-1]:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=outs), attr="append"), args=[given])
        ):
            lines = _lift_lines(loop.body[:-1], lifter, function, loop)
            result = lifter.lift(given) if lines is not None else None
            if lines is None or result is None or result.is_plain or result.is_same or loop.orelse:
                return None
            return _join(outs, result, tuple(lines), loop, function, part)
    return None


def _lift_lines(
    body: list[ast.stmt], lifter: RowLifter, function: ast.AST, loop: ast.For
) -> list[str] | None:
    lines: list[str] = []
    for line in body:
        if not isinstance(line, ast.Assign) or len(line.targets) != 1:
            return None
        name, lifted = ast.unparse(line.targets[0]), lifter.lift(line.value)
        if not name.isidentifier() or lifted is None or _is_read_outside(name, function, loop):
            return None
        if lifted.kept or lifted.is_plain or lifted.is_same or lifted.text.isidentifier():
            lifter.known[name] = lifted
            continue
        lines.append(f"{name} = {lifted.text}")
        lifter.known[name] = Lifted(name, lifted.rank, is_one=lifted.is_one)
    return lines


def _is_read_outside(name: str, function: ast.AST, loop: ast.For) -> bool:
    inside = set(map(id, ast.walk(loop)))
    names = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
    return any(id(each) not in inside for each in names)


def lift_listed(
    line: ast.Assign, loop: ast.ListComp, lifter: RowLifter, part: str, function: ast.AST
) -> LiftedLoop | None:
    """The same of a list that a comprehension makes, and that is joined afterwards."""
    name, result = ast.unparse(line.targets[0]), lifter.lift(loop.elt)
    if not name.isidentifier() or result is None or result.is_plain or result.is_same:
        return None
    joined = _list_joins(name, result, line, [line], function, part)
    text = f"{name} = {result.text}"
    return LiftedLoop((text,), tuple(joined[0]), line, name) if joined is not None else None


def _join(
    outs: str, result: Lifted, lines: tuple[str, ...], loop: ast.For, function: ast.AST, part: str
) -> LiftedLoop | None:
    made = [
        n
        for n in ast.walk(function)
        if isinstance(n, ast.Assign) and ast.unparse(n) == f"{outs} = []"
    ]
    joined = _list_joins(outs, result, loop, made, function, part)
    if joined is None or made[0].lineno > loop.lineno:
        return None
    joins, again = joined
    if len(again) == len(joins) or not result.text.isidentifier():
        return LiftedLoop((*lines, f"{outs} = {result.text}"), tuple(joins), made[0], outs)
    return LiftedLoop(lines, tuple(joins), made[0], result.text)


def _list_joins(
    outs: str, result: Lifted, loop: ast.stmt, made: list[ast.Assign], function: ast.AST, part: str
) -> tuple[list[ast.Call], list[ast.Assign]] | None:
    """The calls that join a list, and those of them that its name is given to; None of one used otherwise."""
    nodes, inside = [*ast.walk(function)], set(map(id, ast.walk(loop)))
    joins = [n for n in nodes if isinstance(n, ast.Call) and is_join(n, outs, result, part)]
    again = [n for n in nodes if isinstance(n, ast.Assign) and n.value in joins
             and ast.unparse(n.targets[0]) == outs]  # fmt: skip
    ends = again[0].lineno if again else sys.maxsize
    known = {id(each) for n in (*made, *again, *joins) for each in ast.walk(n)} | inside
    uses = [n for n in nodes if isinstance(n, ast.Name) and n.id == outs and n.lineno <= ends]
    if len(made) != 1 or not joins or any(id(each) not in known for each in uses):
        return None
    late = all(each.lineno > loop.lineno for each in joins)
    return (joins, again) if late else None


def is_join(call: ast.Call, outs: str | None, result: Lifted, part: str) -> bool:
    """`torch.stack(outs)` of rows, `torch.cat(outs, 0)` of batches of one and of parts."""
    given = [*call.args, *(each.value for each in call.keywords)]
    if not given or len(given) > 2 or (outs is not None and ast.unparse(given[0]) != outs):
        return False
    axis = ast.unparse(given[1]) if len(given) == 2 else "0"
    name = ast.unparse(call.func)
    home, _, function = name.rpartition(".")
    if home != "torch":
        return False
    if part or result.is_one:
        return function in ("cat", "concat") and axis == (part or "0")
    return function == "stack" and axis == "0"


def fill_rows(loop: ast.For, lifter: RowLifter, function: ast.AST) -> str:
    """`mask = mask.masked_fill(torch.arange(n) < lengths[:, None], 1)` for a loop that does `mask[i, :lengths[i]] = 1`."""
    match loop.body:
        case [
            ast.Assign(
                targets=[
                    ast.Subscript(
                        value=ast.Name(id=filled),
                        slice=ast.Tuple(elts=[ast.Name(id=turn), ast.Slice(step=None) as part]),
                    )
                ],
                value=(ast.Constant() | ast.UnaryOp(operand=ast.Constant())) as value,
            )
        ] if turn == lifter.turn and not loop.orelse and _is_made_once(filled, function):
            if lifter.rank_of(filled) != 2 or not (lifter.counts(filled) or lifter.rows):
                return ""
            lifter.count = f"{filled}.shape[0], device={filled}.device"
            columns = f"{lifter.torch}.arange({filled}.shape[1], device={filled}.device)"
            bounds = ((part.lower, ">="), (part.upper, "<"))
            given = [(_lift_bound(each, lifter), sign) for each, sign in bounds if each is not None]
            if not given or not all(text for text, _ in given):
                return ""
            tests = [f"{columns} {sign} {text}" for text, sign in given]
            test = " & ".join(f"({each})" for each in tests) if len(tests) > 1 else tests[0]
            return f"{filled} = {_write_filled(filled, test, value, function)}"
    return ""


def _write_filled(filled: str, test: str, value: ast.expr, function: ast.AST) -> str:
    """Of a mask of truths by `|` and `&`: ONNX Runtime has no Where of those.

    1 for True, with which torch.jit.trace meets an internal error in masked_fill.
    """
    plain = value.value if isinstance(value, ast.Constant) else None
    if "bool" in ast.unparse(_find_made(filled, function)[0]) and plain in (0, 1):
        return f"{filled} | ({test})" if plain else f"{filled} & ~({test})"
    text = str(int(plain)) if isinstance(plain, bool) else ast.unparse(value)
    return f"{filled}.masked_fill({test}, {text})"


def _is_made_once(name: str, function: ast.AST) -> bool:
    """By a call, whose result no other name can have."""
    given = _find_made(name, function)
    return len(given) == 1 and isinstance(given[0], ast.Call)


def _find_made(name: str, function: ast.AST) -> list[ast.expr]:
    """What a name is given."""
    lines = (each for each in ast.walk(function) if isinstance(each, ast.Assign))
    return [each.value for each in lines if ast.unparse(each.targets[0]) == name]


def _lift_bound(bound: ast.expr, lifter: RowLifter) -> str:
    """A bound that is not negative, which would count from the end, as a column; "" of others."""
    match bound:
        case ast.Call(
            func=ast.Name(id="max"),
            args=[ast.Constant(value=0), inner] | [inner, ast.Constant(value=0)],
        ):
            lifted, least = lifter.lift(inner), ".clamp(min=0)"
        case _ if any(isinstance(each, (ast.Sub, ast.USub)) for each in ast.walk(bound)):
            return ""
        case _:
            lifted, least = lifter.lift(bound), ""
    if lifted is None or (lifted.rank != 0 and not lifted.is_plain) or lifted.is_one:
        return ""
    text = (
        lifted.text
        if lifted.text.isidentifier() or not (least or " " in lifted.text)
        else f"({lifted.text})"
    )
    return f"{text}{least}" if lifted.is_plain else f"{text}{least}[:, None]"
