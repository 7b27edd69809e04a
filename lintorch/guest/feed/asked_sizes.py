"""Sizes that a line of the user's asks for: `assert length % self.window == 0`, `if w != self.width: raise …`."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from lintorch.guest.feed.fix_sides import scale_sides
from lintorch.guest.feed.guess_inputs import SPATIAL, Guess
from lintorch.guest.feed.resize_axis import replace_size, scale_channels
from lintorch.guest.watch.user_lines import UserLines, walk_frames

_LARGEST = 1 << 17
"""Steps or pixels of a size that is made what a line asks for, at most."""
_PAST = {ast.Lt: -1, ast.Gt: 1}
"""How far beyond the bound itself a size has to be."""


@dataclass(frozen=True)
class AskedSize:
    """A size that was met, and the one that it has to be, or has to be a `multiple` of.

    `axis` is the one that is asked for it, None where the line does not say.
    """

    size: int
    wanted: int
    multiple: bool = False
    axis: int | None = None


def find_asked_size(error: BaseException, files: UserLines) -> AskedSize | None:
    """What the condition asks that a line of the user's raised for; None where that is not known."""
    frame, row = _find_line(error, files)
    line = linecache.getline(frame.f_code.co_filename, row).lstrip() if frame else ""
    if frame is None or not (line.startswith("raise") or isinstance(error, AssertionError)):
        return None
    condition = _find_condition(frame.f_code.co_filename, row)
    found = (_read_condition(node, frame) for node in ast.walk(condition))
    return next((each for each in found if each is not None), None)


def quote_assertion(error: BaseException, files: UserLines) -> str:
    """The condition of the assertion of the user's that raised; "" where none did."""
    frame, row = _find_line(error, files)
    if frame is None or not isinstance(error, AssertionError):
        return ""
    return ast.unparse(_find_condition(frame.f_code.co_filename, row))


def _find_line(error: BaseException, files: UserLines) -> tuple[FrameType | None, int]:
    """The innermost frame of the user's, and its row."""
    walked = walk_frames(error.__traceback__)
    frames = [pair for pair in walked if files.is_user(pair[0].f_code.co_filename)]
    return frames[-1] if frames else (None, 0)


def fit_asked_size(guess: Guess, asked: AskedSize) -> Iterator[Guess]:
    """The sizes that were met as they are asked for; of multiples the next ones up, of all where none was met."""
    names = [name for name, size in guess.sizes.items() if size == asked.size and name != "batch"]
    names.sort(key=lambda name: name not in _list_along(guess, asked.axis))
    if not names and asked.wanted == 1 and guess.sizes.get("batch") == asked.size:
        yield guess.with_sizes(batch=1)
    if asked.multiple:
        names = names or [name for name in guess.sizes if name != "batch"]
        wanted = {name: -(-guess.sizes[name] // asked.wanted) * asked.wanted for name in names}
        ways = [wanted]
    else:
        ways = [{name: asked.wanted} for name in names]
        ways.insert(
            0 if set(names) <= {*SPATIAL} else len(ways), dict.fromkeys(names, asked.wanted)
        )
    for sizes in ways:
        if sizes and max(sizes.values()) <= _LARGEST:
            yield guess.with_sizes(**sizes)
    if not asked.multiple:
        for axis in (1, -1):
            yield from replace_size(guess, asked.size, asked.wanted, axis=axis)
        if not names:
            yield from scale_channels(guess, asked.size, asked.wanted)
        if not names:
            yield from scale_sides(guess, asked.size, asked.wanted)


def _list_along(guess: Guess, axis: int | None) -> list[object]:
    """The sizes of all inputs along an axis."""
    shapes = (given.shape for given in guess.inputs)
    return [
        shape[axis] for shape in shapes if axis is not None and -len(shape) <= axis < len(shape)
    ]


def _find_condition(filename: str, row: int) -> ast.AST:
    """The assertion at a row, or the condition of the branch that the row stands in."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return ast.Pass()
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Assert, ast.If)) and node.lineno <= row <= (node.end_lineno or 0)
    ]
    inner = max(around, key=lambda node: node.lineno, default=None)
    return inner.test if inner is not None else ast.Pass()


def _read_condition(node: ast.AST, frame: FrameType) -> AskedSize | None:
    """What a remainder, or a comparison of two sizes, says where it did not come out as asked."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        size, wanted = _value_of(node.left, frame), _value_of(node.right, frame)
        if _are_sizes(size, wanted) and wanted > 1 and size % wanted:
            return AskedSize(size, wanted, multiple=True)
    for left, operator, right in _list_compared(node):
        size, wanted = _find_unlike(_value_of(left, frame), _value_of(right, frame))
        if _are_sizes(size, wanted) and size != wanted:
            beyond = _PAST.get(type(operator), 0)
            return AskedSize(size, wanted + beyond, axis=_read_axis(left))
    return None


def _list_compared(node: ast.AST) -> Iterator[tuple[ast.expr, ast.cmpop, ast.expr]]:
    """The comparisons of a chain, `h == w == self.side`, two by two."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        yield from zip(sides, node.ops, sides[1:], strict=False)


def _read_axis(node: ast.expr) -> int | None:
    """Of `x.shape[2]` and `x.size(2)`, 2."""
    match node:
        case ast.Subscript(ast.Attribute(_, "shape"), ast.Constant(int(axis))):
            return axis
        case ast.Call(ast.Attribute(_, "size"), [ast.Constant(int(axis))]):
            return axis
    return None


def _find_unlike(one: Any, other: Any) -> tuple[Any, Any]:
    """Of two shapes the first sizes that are not alike; what is no shape as it is."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return next((pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]), (0, 0))
    return one, other


def _are_sizes(*values: Any) -> bool:
    return all(type(value) is int and 0 < value <= _LARGEST for value in values)


def _value_of(node: ast.expr, frame: FrameType) -> Any:
    """What names, their attributes, and the shapes of tensors hold; None for anything else."""
    match node:
        case ast.Constant():
            return node.value
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            return -number
        case ast.Tuple():
            return tuple(_value_of(part, frame) for part in node.elts)
        case ast.Name():
            return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
        case ast.Attribute():
            held = _value_of(node.value, frame)
            if isinstance(held, torch.Tensor):
                return tuple(held.shape) if node.attr == "shape" else None
            return vars(held).get(node.attr) if hasattr(held, "__dict__") else None
        case ast.Call(ast.Attribute(holder, "size"), [index]):
            held = _value_of(holder, frame)
            shape = tuple(held.shape) if isinstance(held, torch.Tensor) else ()
            return _take(shape, _value_of(index, frame))
        case ast.Subscript():
            return _take(_value_of(node.value, frame), _value_of(node.slice, frame))
    return None


def _take(held: Any, index: Any) -> Any:
    """An element of a tuple or list; None where there is none."""
    fits = type(held) in (tuple, list) and type(index) is int and -len(held) <= index < len(held)
    return held[index] if fits else None
