"""Which parameters of `forward` are looked up in a table: `self.embed(y)`, `self.sigmas[y]`, also in a part that gets `y`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import chain

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.parameter_uses import find_held_module, find_keyword, find_loop_modules

_DEEPEST = 3
"""Modules inside each other into which a parameter is followed."""


def find_embedded(module: nn.Module) -> dict[str, int]:
    """By name of such a parameter: how many rows its table has."""
    return _find_in(module, 0, {})


def _find_in(module: nn.Module, depth: int, known: dict[type, dict[str, int]]) -> dict[str, int]:
    """The same of a part; what is `known` of a class is not read again."""
    if type(module) in known:
        return known[type(module)]
    tree = parse_source_of(module.forward)
    found = dict(_list_indices(module, tree))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    looped = dict(find_loop_modules(ast.walk(tree), module))
    for name in inspect.signature(module.forward).parameters:
        for node in calls:
            called = looped.get(getattr(node.func, "id", "")) or find_held_module(node.func, module)
            keyword = find_keyword(node, name, called) if called is not None else ""
            if called is None or not keyword:
                continue
            if isinstance(called, nn.Embedding):
                found[name] = called.num_embeddings
            elif depth < _DEEPEST and not type(called).__module__.startswith("torch.nn"):
                rows = _find_in(called, depth + 1, known).get(keyword, 0)
                if rows:
                    found[name] = rows
    known[type(module)] = found
    return found


def _list_indices(module: nn.Module, tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that pick rows of what the module keeps, with how many rows there are."""
    kept = dict(chain(module.named_buffers(recurse=False), module.named_parameters(recurse=False)))
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(ast.Attribute(ast.Name("self"), table), ast.Name(name)):
                if table in kept and kept[table].dim():
                    yield name, len(kept[table])
