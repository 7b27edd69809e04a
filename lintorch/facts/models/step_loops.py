"""A loop over steps that carry a state, read as what each step is given, keeps and gives.

for t in range(x.size(1)):           carried ("h",), parts x[:, t], outputs ys
    h = torch.tanh(x[:, t] + self.own(h))
    ys.append(h)
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class StepHead:
    """What a loop goes over: its number and the bounds of it, names for steps, and the way."""

    turn: str = ""
    bounds: str = ""
    """`[1:n]` of what is indexed, "" for all of it."""
    rows: tuple[tuple[str, str, str], ...] = ()
    """A name, the whole with its steps first, and what makes of a step what the loop has."""
    back: bool = False


@dataclass
class StepBody:
    """What the statements of a loop do, in order."""

    lines: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    """What each list or tensor is given at a step."""
    writes: dict[str, int] = field(default_factory=dict)
    """Tensors that are written to at the step, and the axis of it."""
    parts: dict[str, str] = field(default_factory=dict)
    """The whole of what is indexed by the step, with its steps first, and its name in the step."""
    stored: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)


def carries_state(loop: ast.AST | None) -> bool:
    """Whether a step of it reads a name that the one before it gave."""
    head = read_step_head(loop.target, loop.iter) if isinstance(loop, ast.For) else None
    if head is None or not isinstance(loop, ast.For):
        return False
    body = read_step_body(loop, head)
    return body is not None and bool(set(body.carried) & set(body.stored))


def read_step_head(target: ast.expr, over: ast.expr) -> StepHead | None:
    """`range(n)`, `range(1, n)`, one of these reversed, rows of a tensor, parts of one, and enumerate of these."""
    match target, over:
        case ast.Name(id=turn), ast.Call(func=ast.Name(id="reversed"), args=[inner]):
            head = read_step_head(target, inner)
            return (
                None
                if head is None or head.back or head.rows
                else StepHead(turn, head.bounds, back=True)
            )
        case ast.Name(id=turn), ast.Call(func=ast.Name(id="range"), args=args, keywords=[]):
            return _read_range(turn, args)
        case ast.Tuple(elts=[ast.Name(id=turn), row]), ast.Call(
            func=ast.Name(id="enumerate"), args=[each], keywords=[]
        ):
            head = read_step_head(row, each)
            return StepHead(turn, "", head.rows) if head and head.rows and not head.turn else None
        case ast.Name(id=row), ast.Name(id=whole):
            return StepHead(rows=((row, whole, ""),))
        case ast.Name(id=row), ast.Call(func=ast.Attribute(value=ast.Name(id=whole), attr=how)):
            return _read_parts(row, whole, how, [*over.args, *(k.value for k in over.keywords)])
    return None


def _read_range(turn: str, args: list[ast.expr]) -> StepHead | None:
    texts = [ast.unparse(each) for each in args]
    match args, texts:
        case [_], [count]:
            return StepHead(turn, f"[:{count}]")
        case [ast.Constant(value=int()), _], [first, count]:
            return StepHead(turn, f"[{first}:{count}]")
        case [ast.BinOp(left=count_, op=ast.Sub(), right=ast.Constant(value=1)), _, _], [
            _,
            "-1",
            "-1",
        ]:
            return StepHead(turn, f"[:{ast.unparse(count_)}]", back=True)
    return None


def _read_parts(row: str, whole: str, how: str, args: list[ast.expr]) -> StepHead | None:
    """`x.unbind(1)`, and `x.split(1, dim=1)`, `x.chunk(x.size(1), 1)` whose parts keep the axis."""
    match how, args:
        case "unbind", [] | [ast.Constant(value=int())]:
            axis = ast.unparse(args[0]) if args else "0"
            return StepHead(rows=((row, _put_first(whole, int(axis)), ""),))
        case "split", [ast.Constant(value=1), ast.Constant(value=int(at))]:
            return StepHead(rows=((row, _put_first(whole, at), f".unsqueeze({at})"),))
        case "chunk", [count, ast.Constant(value=int(at))] if ast.unparse(count) in (
            f"{whole}.size({at})",
            f"{whole}.shape[{at}]",
        ):
            return StepHead(rows=((row, _put_first(whole, at), f".unsqueeze({at})"),))
    return None


def _put_first(whole: str, axis: int) -> str:
    return f"{whole}.movedim({axis}, 0)" if axis else whole


def read_step_body(loop: ast.For, head: StepHead) -> StepBody | None:
    """The statements; None where one does more than to name, to append and to write at the step."""
    body = StepBody()
    closed = set(_list_closed(loop))
    for line in loop.body:
        if not _reads_alone(line) or not _take(line, head, closed, body):
            return None
    return None if set(body.stored) & set(body.parts.values()) or not body.lines else body


def _list_closed(loop: ast.For) -> Iterator[str]:
    """Names of what is appended to, or written to at a place: what a step reads of them is not followed."""
    for node in ast.walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append")):
                yield name
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store()):
                yield name


_MORE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda, ast.Starred)


def _reads_alone(line: ast.stmt) -> bool:
    """Whether nothing in it binds names by itself, or writes in place as `add_` does."""
    inside = list(ast.walk(line))
    called = [n.func for n in inside if isinstance(n, ast.Call)]
    names = [f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "") for f in called]
    written = any(name.endswith("_") and not name.startswith("_") for name in names)
    return not written and not any(isinstance(each, _MORE) for each in inside)


def _take(line: ast.stmt, head: StepHead, closed: set[str], body: StepBody) -> bool:
    match line:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=outs), attr="append"),
                args=[given],
                keywords=[],
            )
        ):
            return _give(outs, given, head, closed, body)
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=outs), slice=index)], value=given):
            axis = _find_axis(index, head.turn)
            if axis is None:
                return False
            body.writes[outs] = axis
            return _give(outs, given, head, closed, body)
        case ast.Assign(targets=[target], value=value):
            return _name(target, value, head, closed, body)
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            whole = ast.BinOp(ast.Name(name, ast.Load()), op, value)
            return _name(target, whole, head, closed, body)
    return False


def _name(
    target: ast.expr, value: ast.expr, head: StepHead, closed: set[str], body: StepBody
) -> bool:
    names, text = list(_list_names(target)), _lift(value, head, closed, body)
    if not names or text is None or closed & set(names):
        return False
    body.lines.append(f"{', '.join(names)} = {text}")
    body.stored.extend(names)
    return True


def _give(outs: str, given: ast.expr, head: StepHead, closed: set[str], body: StepBody) -> bool:
    text = _lift(given, head, closed, body)
    if text is None or outs in body.outputs or outs in body.stored:
        return False
    body.lines.append(f"{outs}_step = {text}")
    body.outputs[outs] = f"{outs}_step"
    return True


def _list_names(target: ast.expr) -> Iterator[str]:
    """The names that a target binds; none where it writes elsewhere."""
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [each.id for each in parts if isinstance(each, ast.Name)]
    if len(names) == len(parts):
        yield from names


def _find_axis(index: ast.expr, turn: str) -> int | None:
    """1 of `[:, t]` and `[:, t, :]`, 0 of `[t]`; None of all else."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    texts = [ast.unparse(each) for each in parts]
    if not turn or texts.count(turn) != 1 or any(t not in (":", turn) for t in texts):
        return None
    return texts.index(turn)


def _lift(value: ast.expr, head: StepHead, closed: set[str], body: StepBody) -> str | None:
    """The text of an expression of the step, its parts by names of their own."""
    lifter = _Lifter(head, body, closed)
    text = ast.unparse(lifter.visit(copy.deepcopy(value)))
    return None if lifter.fails else text


class _Lifter(ast.NodeTransformer):
    """Puts `x_t` for `x[:, t]`, and takes down which names are read before the loop gives them."""

    def __init__(self, head: StepHead, body: StepBody, closed: set[str]) -> None:
        self._head, self._body, self._closed = head, body, closed
        self.fails = False

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._take_part(node.value, _find_axis(node.slice, self._head.turn), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`x.select(1, t)`."""
        match node:
            case ast.Call(
                func=ast.Attribute(value=held, attr="select"),
                args=[ast.Constant(value=int(axis)), ast.Name(id=turn)],
            ) if turn == self._head.turn and axis >= 0:
                return self._take_part(held, axis, node)
        return self.generic_visit(node)

    def _take_part(self, held: ast.expr, axis: int | None, node: ast.expr) -> ast.AST:
        whole = ast.unparse(held)
        if axis is None or not whole.replace(".", "").isidentifier():
            return self.generic_visit(node)
        if whole in self._body.stored or whole in self._closed:
            self.fails = True
        key = f"{_put_first(whole, axis)}{self._head.bounds}"
        name = f"{whole.rpartition('.')[2]}_at_{self._head.turn}"
        others = [n for k, n in self._body.parts.items() if k != key]
        self.fails |= name in others
        self._body.parts[key] = name
        return ast.Name(name, ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.AST:
        body = self._body
        if node.id == self._head.turn or node.id in self._closed:
            self.fails = True
        if node.id not in body.stored and node.id not in body.carried:
            body.carried.append(node.id)
        return node
