"""Which parameters of `forward` are looked up in a table: `self.embed(y)`, `self.sigmas[y]`, also in a part that gets `y`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.parameter_uses import (
    find_called_module,
    find_keyword,
    find_loop_modules,
    find_passed_name,
)

_DEEPEST = 3
"""Modules inside each other into which a parameter is followed."""


def find_embedded(module: nn.Module) -> dict[str, int]:
    """By name of such a parameter: how many rows its table has."""
    return _find_in(module, 0, {})


def _find_in(module: nn.Module, depth: int, known: dict[type, dict[str, int]]) -> dict[str, int]:
    """The same of a part; what is `known` of a class is not read again."""
    if type(module) not in known:
        known[type(module)] = {}
        known[type(module)] = _find_in_method(module, module.forward, depth, known)
    return known[type(module)]


def _find_in_method(
    module: nn.Module, method: Callable[..., Any], depth: int, known: dict[type, dict[str, int]]
) -> dict[str, int]:
    """The same of the parameters of one method, also where it hands them on to another of the same model."""
    tree = _Uncast().visit(parse_source_of(method))
    found = dict(_list_indices(module, tree))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    looped = dict(find_loop_modules(ast.walk(tree), module))
    for name in inspect.signature(method).parameters:
        for node in calls:
            if helper := _find_helper(node.func, module) if depth < _DEEPEST else None:
                handed = find_passed_name(node, name, helper)
                rows = _find_in_method(module, helper, depth + 1, known) if handed else {}
                found |= {name: rows[handed]} if handed in rows else {}
                continue
            called = find_called_module(node, module, looped)
            keyword = find_keyword(node, name, called) if called is not None else ""
            if called is None or not keyword:
                continue
            if isinstance(called, nn.Embedding):
                found[name] = called.num_embeddings
            elif depth < _DEEPEST and not type(called).__module__.startswith("torch.nn"):
                rows = _find_in(called, depth + 1, known)
                found |= {name: rows[keyword]} if rows.get(keyword) else {}
    return found


class _Uncast(ast.NodeTransformer):
    """Takes `y.long()` for `y`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The name alone, where that is all there is to the call."""
        match node.func:
            case ast.Attribute(ast.Name() as name, "long" | "int" | "contiguous"):
                return name
        return self.generic_visit(node)


def _find_helper(func: ast.expr, module: nn.Module) -> Callable[..., Any] | None:
    """The method of the user's own that `self.get_logits` is."""
    match func:
        case ast.Attribute(ast.Name("self"), name):
            held = inspect.getattr_static(type(module), name, None)
            own = inspect.isfunction(held) and not held.__module__.startswith("torch.")
            return getattr(module, name) if own else None
    return None


def _list_indices(module: nn.Module, tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that pick rows of what the module keeps, with how many rows there are."""
    kept = dict(chain(module.named_buffers(recurse=False), module.named_parameters(recurse=False)))
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Attribute(ast.Name("self"), table), ast.Name(name)):
                if table in kept and kept[table].dim():
                    yield name, len(kept[table])
