"""Branches that cut a tensor where it is longer than a size: at others the cut leaves all of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence


def find_cuts(branch: ast.If) -> Sequence[ast.stmt]:
    """The body of `if n < self.most: table = table[:n]`; nothing of what does more than to cut.

    A table that is longer than what the test asks for is cut at other sizes, too, and may not be.
    """
    bounds = list_bounds(branch.test)
    cuts = bool(bounds) and not branch.orelse and all(cuts_itself(e, bounds) for e in branch.body)
    return branch.body if cuts else ()


def list_bounds(test: ast.expr) -> Collection[str]:
    """What a test says to be the smaller, as it is written; both sides where it asks if they differ."""
    match test:
        case ast.Compare(left=less, ops=[ast.Lt() | ast.LtE()], comparators=[_]):
            return {ast.unparse(less)}
        case ast.Compare(left=_, ops=[ast.Gt() | ast.GtE()], comparators=[less]):
            return {ast.unparse(less)}
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            return {ast.unparse(left), ast.unparse(right)}
    return ()


def cuts_itself(line: ast.stmt, bounds: Collection[str]) -> bool:
    """`x = x[:, :n]`, `a, b = a[:n], b[:n]`, `tables = map(lambda t: t[:n], tables)`."""
    match line:
        case ast.Assign(
            targets=[ast.Tuple(elts=names) | ast.List(elts=names)], value=ast.Tuple(elts=values)
        ):
            same = len(names) == len(values)
            return same and all(map(lambda n, v: _is_cut(v, n, bounds), names, values))
        case ast.Assign(targets=[name], value=value):
            return _is_cut(value, name, bounds)
    return False


def _is_cut(value: ast.expr, name: ast.expr, bounds: Collection[str]) -> bool:
    match value:
        case ast.Subscript(value=ast.Name() as held, slice=index):
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            ends = [_find_end(each) for each in parts]
            same = isinstance(name, ast.Name) and name.id == held.id
            return (
                same and any(ends) and all(end is not None and end in ("", *bounds) for end in ends)
            )
        case ast.Call(
            func=ast.Name(id="map"),
            args=[ast.Lambda(args=ast.arguments(args=[ast.arg(arg=one)]), body=body), given],
        ):
            same = ast.unparse(name) == ast.unparse(given)
            return same and _is_cut(body, ast.Name(one), bounds)
    return False


def _find_end(part: ast.expr) -> str | None:
    """Where a slice from 0 on ends, "" where it takes all; None of other indices."""
    match part:
        case ast.Slice(lower=None | ast.Constant(value=0), upper=None, step=None):
            return ""
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.expr() as upper, step=None):
            return ast.unparse(upper)
        case ast.Constant(value=value) if value is Ellipsis:
            return ""
    return None
