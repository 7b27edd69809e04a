"""Arguments that `forward` takes apart into rows before all else: `states.reshape(-1, self.state_dim)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lintorch.guest.construct.function_text import parse_source_of

_SAMPLES, _STEPS = "batch", "steps"


def read_viewed(forward: Callable[..., Any], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """By name of a parameter, the words for its axes: samples, steps where these are asked for or come out, and that of a row.

    A row is as wide as the model says by a name of its own; what stands there as a number may be a flattened image.
    """
    tree = parse_source_of(forward)
    stored: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored[node.id] = min(node.lineno, stored.get(node.id, node.lineno))
    gives_steps, counted = _gives_steps(tree, names), set(_list_counted(tree))
    found: dict[str, tuple[str, ...]] = {}
    for name, row, width in _list_views(tree):
        if name in names and stored.get(name, row) >= row and name not in found:
            steps = (f"{name}_{_STEPS}",) if name in counted else (_STEPS,) * gives_steps
            found[name] = (_SAMPLES, *steps, width)
    return found


def _list_counted(tree: ast.AST) -> Iterator[str]:
    """The names of which the second axis is asked for: `x.size(1)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), "size"), [ast.Constant(1)]) | ast.Subscript(
                ast.Attribute(ast.Name(name), "shape"), ast.Constant(1)
            ):
                yield name


def _list_views(tree: ast.AST) -> Iterator[tuple[str, int, str]]:
    """The names that are taken apart, the row where, and the name that the width of a row goes by."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                ast.Attribute(ast.Name(name), "view" | "reshape"),
                [
                    ast.UnaryOp(ast.USub(), ast.Constant(1)),
                    *ones,
                    ast.Attribute(ast.Name("self"), width),
                ],
            ) if all(isinstance(one, ast.Constant) and one.value == 1 for one in ones):
                yield name, node.lineno, width


def _gives_steps(tree: ast.AST, names: Sequence[str]) -> bool:
    """Whether rows become samples and steps again: `bs = x.size(0)`, and `y.view(bs, -1, 1)`."""
    counts = set()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(
                [ast.Name(count)],
                ast.Call(ast.Attribute(ast.Name(name), "size"), [ast.Constant(0)])
                | ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant(0)),
            ) if name in names:
                counts.add(count)
    return any(_joins_again(node, counts) for node in ast.walk(tree))


def _joins_again(node: ast.AST, counts: set[str]) -> bool:
    match node:
        case ast.Call(
            ast.Attribute(_, "view" | "reshape"),
            [ast.Name(count), ast.UnaryOp(ast.USub(), ast.Constant(1)), *_],
        ):
            return count in counts
    return False
