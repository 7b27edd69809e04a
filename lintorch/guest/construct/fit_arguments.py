"""Made up arguments of one constructor, made to agree with one another."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Container, Mapping
from typing import Any

from lintorch.guest.construct.divided_numbers import outgrow_divisors
from lintorch.guest.construct.function_text import parse_source_of

_WIDTHS_IN = re.compile(
    r"in_?planes|in_?channels?|in_ch(an|ans)?|in_c|inp|c_?in|in_?dim|inplane|dim_in|input_dim|in_features|input_channels?|nin|ni"
)
_WIDTHS_OUT = re.compile(
    r"planes|out_?channels?|out_ch(an|ans)?|out_c|oup|outp|c_?out|out_?dim|out_?planes|plane|dim_out|output_dim|out_features|output_channels?|nout|nf|channels|width|features"
)
_SHORTCUTS = ("downsample", "down_sample", "shortcut", "skip", "proj", "projection", "down")
"""Names of what brings the input of a block to the width of its output."""


def fit_together(call: Callable[..., Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with widths that a block without a projection can add up, and sides that it can halve."""
    return {**made, **outgrow_divisors(call, made), **_fit_residual(call, made)}


def _fit_residual(call: Callable[..., Any], made: Mapping[str, Any]) -> dict[str, Any]:
    """As wide an input as the output where the block adds or multiplies both and is given no projection."""
    try:
        given = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return {}
    projected = any(name in given and given[name].default is None for name in _SHORTCUTS)
    if not projected and not _meets_own_input(call):
        return {}
    inner = next((n for n in made if _WIDTHS_IN.fullmatch(n) and type(made[n]) is int), "")
    outer = next((n for n in made if _WIDTHS_OUT.fullmatch(n) and type(made[n]) is int), "")
    if not inner or not outer:
        return {}
    expansion = getattr(call, "expansion", 1)
    return {inner: made[outer] * (expansion if type(expansion) is int else 1)}


def _meets_own_input(call: Callable[..., Any]) -> bool:
    """Whether forward adds or multiplies what it is given, as it is, with what it makes of it."""
    forward = getattr(call, "forward", None)
    for function in parse_source_of(forward).body:
        if isinstance(function, ast.FunctionDef) and len(function.args.args) == 2:
            aliases = _list_aliases(function, function.args.args[1].arg)
            return any(
                isinstance(node, ast.BinOp)
                and isinstance(node.op, (ast.Add, ast.Mult))
                and _is_named(node.left, aliases) != _is_named(node.right, aliases)
                and any(isinstance(side, ast.Name) for side in (node.left, node.right))
                for node in ast.walk(function)
            )
    return False


def _list_aliases(function: ast.FunctionDef, given: str) -> set[str]:
    """The names that stand for the input wherever they are read."""
    stores = [
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    aliases = {
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _is_named(node.value, {given})
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return {name for name in (given, *aliases) if stores.count(name) == (name != given)}


def _is_named(node: ast.expr, names: Container[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names
