"""Pads under a test, with their widths and a flag beside them: nothing where each remainder is 0.

padded = False
if min(h, w) < k or h % k != 0 or w % k != 0:
    padded = True
    right = (k - w % k) % k
    below = (k - h % k) % k
    x = F.pad(x, (0, right, 0, below))
...
if padded:
    x = x[:, :, :h, :w]
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from lintorch.facts.models.idle_cuts import cuts_itself
from lintorch.facts.models.widths import compute


def pads_by_none(branch: ast.If, pads: Sequence[ast.expr], function: ast.AST) -> bool:
    """Whether the last line of a branch pads by none, and those above it say no more, where its test fails."""
    rests = list(list_rests(branch.test))
    zeros = [ast.unparse(each) for each in rests]
    widths = dict(_list_given(branch.body[:-1]))
    if not zeros or branch.orelse or len(widths) != len(branch.body) - 1:
        return False
    flags = {name for name, value in widths.items() if _is_truth(value, True)}
    empty = {name for name in widths.keys() - flags if compute(widths[name], zeros) == 0}
    sides = {ast.unparse(each.left) for each in rests}
    plain = all(_is_set_so(name, 0, branch, function) for name in empty)
    cut = all(_cuts_back(name, sides, branch, function) for name in flags)
    none = all(compute(each, [*zeros, *empty]) == 0 for each in pads)
    return flags | empty == set(widths) and plain and cut and none


def list_rests(test: ast.expr) -> Iterator[ast.BinOp]:
    """The remainders that are 0 where a test fails: of `h < k or h % k != 0` the second."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            for each in values:
                yield from list_rests(each)
        case ast.Compare(
            left=ast.BinOp(op=ast.Mod()) as rest,
            ops=[ast.NotEq() | ast.Gt()],
            comparators=[ast.Constant(value=0)],
        ):
            yield rest
        case ast.BinOp(op=ast.Mod()):
            yield test


def _list_given(lines: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Names and what they are given."""
    for line in lines:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value


def _is_truth(value: ast.expr, truth: object) -> bool:
    return isinstance(value, ast.Constant) and value.value is truth


def _is_set_so(name: str, value: object, branch: ast.If, function: ast.AST) -> bool:
    """Whether all that a function gives a name elsewhere is one constant."""
    inside = set(map(id, ast.walk(branch)))
    given = [
        each.value
        for each in ast.walk(function)
        if isinstance(each, ast.Assign) and id(each) not in inside
        if any(isinstance(t, ast.Name) and t.id == name for t in each.targets)
    ]
    written = _list_named(name, ast.Store, function)
    outside = [each for each in written if id(each) not in inside]
    same = [e for e in given if isinstance(e, ast.Constant) and type(e.value) is type(value)]
    return len(outside) == len(given) == len(same) and all(each.value == value for each in same)


def _cuts_back(name: str, sides: Collection[str], branch: ast.If, function: ast.AST) -> bool:
    """Whether a flag is False above, and asked only where something is cut to the sizes that were padded."""
    read = _list_named(name, ast.Load, function)
    asked = [
        each.test
        for each in ast.walk(function)
        if isinstance(each, ast.If) and not each.orelse
        if all(cuts_itself(line, sides) for line in each.body)
    ]
    tests = set(map(id, asked))
    return _is_set_so(name, False, branch, function) and all(id(each) in tests for each in read)


def _list_named(name: str, kind: type[ast.expr_context], function: ast.AST) -> list[ast.Name]:
    """Where a function reads a name, or writes it."""
    names = (each for each in ast.walk(function) if isinstance(each, ast.Name))
    return [each for each in names if each.id == name and isinstance(each.ctx, kind)]
