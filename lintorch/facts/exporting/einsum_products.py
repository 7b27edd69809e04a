"""An einsum that is one product of matrices, as `torch.matmul` of its operands: `bqhd,bkhd->bhqk`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DOTS = "."
"""Stands for `...` among the labels."""


@dataclass(frozen=True)
class Product:
    """How the axes of both operands and of the result change places; None where they stay."""

    left: tuple[int, ...] | None
    right: tuple[int, ...] | None
    result: tuple[int, ...] | None
    turned: tuple[bool, bool, bool]
    """Of which of these the last two alone change places."""

    def write(self, matmul: str, left: str, right: str) -> str:
        """The expression, from operands that a method can be called on."""
        one = _write_moved(left, self.left, self.turned[0])
        other = _write_moved(right, self.right, self.turned[1])
        return _write_moved(f"{matmul}({one}, {other})", self.result, self.turned[2])


def find_product(equation: str) -> Product | None:
    """The product that an equation is; None where it is none, or where axes under `...` would move.

    Each label stands once in an operand. One of them is summed over, in both; of the others each
    operand has one for itself, and both share the rest, or one of them has none of the rest.
    """
    parts = _read(equation)
    if parts is None:
        return None
    left, right, out = parts
    shared = [each for each in out if each in left and each in right]
    rest = [each for each in out if (each in left) is not (each in right)]
    summed = [each for each in left if each in right and each not in out]
    rows = [each for each in rest if each in left]
    columns = [each for each in rest if each in right]
    ahead = _find_ahead(left, right, shared, rows, columns)
    if ahead is None or len(summed) != 1 or set(left) | set(right) != {*out, *summed}:
        return None
    batches, row, column = ahead
    lead = {"left": [b for b in batches if b in left], "right": [b for b in batches if b in right]}
    moves = (
        _find_move(left, [*lead["left"], row, *summed]),
        _find_move(right, [*lead["right"], *summed, column]),
        _find_move([*batches, row, column], out),
    )
    if None in moves:
        return None
    found = [move for move in moves if move is not None]
    turned = tuple(_swaps_last(each) for each in found)
    dotted = [DOTS in labels for labels in (left, right, out)]
    stays = [list(each) == sorted(each) for each in found]
    if any(d and not (s or t) for d, s, t in zip(dotted, stays, turned, strict=True)):
        return None
    axes = [None if stay else move for stay, move in zip(stays, found, strict=True)]
    return Product(axes[0], axes[1], axes[2], (turned[0], turned[1], turned[2]))


def _read(equation: str) -> tuple[list[str], list[str], list[str]] | None:
    """The labels of both operands and of the result; None of what is not read."""
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    operands = [each.replace("...", DOTS) for each in inputs.split(",")]
    written = output.replace("...", DOTS)
    labels = [list(each) for each in (*operands, written)]
    plain = all(each == DOTS or each.isalpha() for part in labels for each in part)
    once = all(len(set(part)) == len(part) for part in labels)
    if not arrow or len(operands) != 2 or not plain or not once:
        return None
    if any(DOTS in part[1:] for part in labels):
        return None
    return labels[0], labels[1], labels[2]


def _find_ahead(
    left: Sequence[str],
    right: Sequence[str],
    shared: list[str],
    rows: list[str],
    columns: list[str],
) -> tuple[list[str], str, str] | None:
    """What both, or one of them alone, has before its matrix; then the row and the column."""
    if len(rows) == 1 and len(columns) == 1 and DOTS not in (*rows, *columns):
        return shared, rows[0], columns[0]
    if shared or not rows or not columns or 1 not in (len(rows), len(columns)):
        return None
    return ([*rows[:-1], *columns[:-1]], rows[-1], columns[-1])


def _find_move(labels: Sequence[str], wanted: Sequence[str]) -> tuple[int, ...] | None:
    """Where each axis that is wanted stands; None where others are there."""
    if Counter(labels) != Counter(wanted):
        return None
    return tuple(labels.index(each) for each in wanted)


def _swaps_last(move: Sequence[int]) -> bool:
    count = len(move)
    return list(move) == [*range(count - 2), count - 1, count - 2]


def _write_moved(text: str, move: Sequence[int] | None, turned: bool) -> str:
    if move is None:
        return text
    if turned:
        return f"{text}.transpose(-1, -2)"
    return f"{text}.permute({', '.join(map(str, move))})"
