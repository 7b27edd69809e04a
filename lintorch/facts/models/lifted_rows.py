"""Says of what a loop computes for each row what it is for all rows at once.

x[i] * 2                    x * 2
out[b, lengths[b] - 1]      out[torch.arange(out.shape[0]), lengths - 1]
f - f.mean()                f - f.mean((1, 2, 3), keepdim=True)     where f = x[i], of four axes
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from lintorch.facts.models.elementwise import HOMES, POINTWISE

_REDUCED = {"mean": "mean", "sum": "sum", "std": "std", "var": "var", "max": "amax", "min": "amin"}
_WHOLE = ("long", "int", "item")


@dataclass(frozen=True)
class Lifted:
    """The same of all rows: `text`, with one axis more than the row has.

    `rank` is that of a row, None where it is not known. Of what is one number a row, `kept` is
    spelled so that it can be computed with the rows that it came out of.
    """

    text: str
    rank: int | None
    kept: str = ""
    is_plain: bool = False
    """Whether it is a number, the same for each row."""
    is_same: bool = False
    """Whether it is one that no row decides: the number of the row."""
    is_one: bool = False
    """Whether each is still a batch, of one: `x[i:i + 1]`."""


@dataclass
class RowLifter:
    """Lifts the expressions of one loop: `turn` is its number, `rows` are names that stand for one row."""

    turn: str
    count: str
    rank_of: Callable[[str], int | None]
    """The number of axes of a tensor that the loop reads."""
    counts: Callable[[str], bool]
    """Whether a tensor may have as many rows as the loop has rounds."""
    rows: Mapping[str, str] = field(default_factory=dict)
    parts: bool = False
    """Whether these are parts of a tensor, along one axis of it."""
    torch: str = "torch"
    layers: frozenset[str] = frozenset()
    """Layers that do the same to each row, whatever axes it has: `self.fc`."""
    batched: frozenset[str] = frozenset()
    """Layers that do the same to each sample of a batch: `self.conv`."""
    known: dict[str, Lifted] = field(default_factory=dict)
    """What names of the loop were given, as lifted."""

    def lift(self, node: ast.expr) -> Lifted | None:
        """None where it is not known how."""
        lifted = self._lift(node)
        return replace(lifted, text=_tidy(lifted.text)) if lifted is not None else None

    def _lift(self, node: ast.expr) -> Lifted | None:
        match node:
            case ast.Constant(value=int() | float()):
                return Lifted(ast.unparse(node), None, is_plain=True)
            case ast.Name(id=name):
                return self._lift_name(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                lifted = self.lift(inner)
                return lifted and _write(lifted, f"-{_enclose(lifted.text)}", "-")
            case ast.BinOp(left=left, right=right, op=op) if not isinstance(op, ast.MatMult):
                return _combine(self.lift(left), self.lift(right), op)
            case ast.Subscript(value=held, slice=index):
                return self._lift_item(held, index)
            case ast.Call():
                return self._lift_call(node)
        return None

    def _lift_name(self, name: str) -> Lifted | None:
        if name == self.turn:
            return Lifted(f"{self.torch}.arange({self.count})", 0, is_same=True)
        if name in self.known:
            return self.known[name]
        return self._make_rows(self.rows[name]) if name in self.rows else None

    def _make_rows(self, whole: str) -> Lifted | None:
        rank = self.rank_of(whole)
        if self.parts:
            return Lifted(whole, None, is_one=True)
        return Lifted(whole, rank - 1 if rank else None) if self.counts(whole) else None

    def _is_turn(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.turn

    def _lift_item(self, held: ast.expr, index: ast.expr) -> Lifted | None:
        """`x[i]`, `x[i, …]`, `x[i][…]` and `row[…]`."""
        inner = [*index.elts] if isinstance(index, ast.Tuple) else [index]
        if ast.unparse(index) in ("None", f"{self.turn}:{self.turn} + 1"):
            of_turn = not isinstance(index, ast.Constant)
            lifted = self._make_rows(ast.unparse(held)) if of_turn else self.lift(held)
            return lifted and replace(lifted, is_one=True)
        if self._is_turn(inner[0]) and isinstance(held, (ast.Name, ast.Attribute)):
            whole, rest = ast.unparse(held), inner[1:]
            if isinstance(held, ast.Name) and held.id in (*self.rows, *self.known):
                return None
        else:
            lifted = self.lift(held)
            if (
                lifted is None
                or lifted.is_plain
                or lifted.is_same
                or not lifted.text.isidentifier()
            ):
                return None
            whole, rest = lifted.text, inner
        return self._pick(whole, rest) if rest else self._make_rows(whole)

    def _pick(self, whole: str, rest: list[ast.expr]) -> Lifted | None:
        """`x[:, 0]`, or, where an index is another one for each row, `x[torch.arange(n), index]`."""
        written, picked, rank = [], False, self.rank_of(whole)
        for each in rest:
            if isinstance(each, ast.Slice) and self._is_fixed(each):
                written.append(ast.unparse(each))
                continue
            lifted = None if isinstance(each, ast.Slice) else self.lift(each)
            if lifted is None or not (lifted.is_plain or lifted.rank == 0):
                return None
            picked = picked or not lifted.is_plain
            written.append(lifted.text)
            rank = rank - 1 if rank is not None else None
        if self.parts or not self.counts(whole):
            return None
        first = f"{self.torch}.arange({whole}.shape[0], device={whole}.device)" if picked else ":"
        return Lifted(
            f"{whole}[{', '.join((first, *written))}]", rank - 1 if rank is not None else None
        )

    def _is_fixed(self, part: ast.Slice) -> bool:
        names = {each.id for each in ast.walk(part) if isinstance(each, ast.Name)}
        return names.isdisjoint({self.turn, *self.rows, *self.known})

    def _lift_call(self, node: ast.Call) -> Lifted | None:
        match node:
            case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]):
                lifted = self.lift(inner)
                return (
                    lifted
                    if lifted is None or lifted.is_same
                    else _write(lifted, f"{_enclose(lifted.text)}.long()")
                )
            case ast.Call(func=ast.Attribute(value=held, attr=name), args=[], keywords=[]):
                if name == "item" and (lifted := self.lift(held)) and lifted.rank == 0:
                    return lifted
                if name in _REDUCED and (lifted := self.lift(held)):
                    return _reduce(lifted, name)
            case ast.Call(func=ast.Attribute(value=held, attr="unsqueeze"), args=[ast.Constant(0)]):
                lifted = self.lift(held)
                return None if lifted is None or lifted.is_one else replace(lifted, is_one=True)
        return self._lift_pointwise(node)

    def _lift_pointwise(self, node: ast.Call) -> Lifted | None:
        """`x[i].relu()`, `torch.relu(x[i])`, `self.fc(x[i])`."""
        func, given = ast.unparse(node.func), [*node.args, *(each.value for each in node.keywords)]
        if func in self.batched and len(given) == 1:
            lifted = self.lift(given[0])
            if lifted is None or lifted.is_plain or not (lifted.is_one or func in self.layers):
                return None
            return Lifted(f"{func}({lifted.text})", lifted.rank, is_one=lifted.is_one)
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in POINTWISE:
            return None
        by_name = ast.unparse(node.func.value) in HOMES and bool(node.args)
        lifted = self.lift(node.args[0] if by_name else node.func.value)
        others = [self.lift(each) for each in (given[1:] if by_name else given)]
        if lifted is None or lifted.is_plain or not all(each and each.is_plain for each in others):
            return None
        rest = ast.unparse(node)[len(func) :]
        if by_name:
            rest = rest.replace(ast.unparse(node.args[0]), lifted.text, 1)
            return _write(lifted, f"{func}{rest}")
        return _write(lifted, f"{_enclose(lifted.text)}.{node.func.attr}{rest}")


def _reduce(lifted: Lifted, name: str) -> Lifted | None:
    """One number for each row: `x.mean((1, 2))`."""
    if not lifted.rank or lifted.kept or lifted.is_one:
        return None
    axes = ", ".join(map(str, range(1, lifted.rank + 1)))
    axes = f"({axes})" if lifted.rank > 1 else axes
    text = f"{_enclose(lifted.text)}.{_REDUCED[name]}"
    return Lifted(f"{text}({axes})", 0, kept=f"{text}({axes}, keepdim=True)")


def _combine(left: Lifted | None, right: Lifted | None, op: ast.operator) -> Lifted | None:
    """What stands on both sides has to have the same number of axes, or be a plain number."""
    if left is None or right is None:
        return None
    if left.kept and not right.is_plain and right.rank:
        left = replace(left, text=left.kept, rank=right.rank)
    if right.kept and not left.is_plain and left.rank:
        right = replace(right, text=right.kept, rank=left.rank)
    if left.is_one != right.is_one and not (left.is_plain or right.is_plain):
        return None
    other = left if right.is_plain else right
    if not (left.is_plain or right.is_plain or (left.rank == right.rank and left.rank is not None)):
        return None
    sign = ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]
    kept = ""
    if other.kept and (left.is_plain or right.is_plain):
        kept = f"{_enclose(left.kept or left.text)} {sign} {_enclose(right.kept or right.text)}"
    same = all(each.is_plain or each.is_same for each in (left, right))
    text = f"{_enclose(left.text)} {sign} {_enclose(right.text)}"
    return Lifted(text, other.rank, kept, left.is_plain and right.is_plain, same, other.is_one)


def _write(lifted: Lifted, text: str, ahead: str = "") -> Lifted:
    kept = text.replace(lifted.text, lifted.kept) if lifted.kept else ""
    return replace(lifted, text=text, kept=kept)


def _enclose(text: str) -> str:
    """In brackets, where it is an operation."""
    tree = ast.parse(text, mode="eval").body
    return f"({text})" if isinstance(tree, (ast.BinOp, ast.UnaryOp)) else text


def _tidy(text: str) -> str:
    """Without brackets that it does not need."""
    return re.sub(r"(?<=\de-)0(?=\d)", "", ast.unparse(ast.parse(text, mode="eval")))
