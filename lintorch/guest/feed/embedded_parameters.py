"""Which parameters of `forward` are looked up in a table: `self.embed(y)`, also in a part that `y` is passed on to."""

from __future__ import annotations

import ast
import inspect

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.parameter_uses import find_held_module, find_keyword

_DEEPEST = 3
"""Modules inside each other into which a parameter is followed."""


def find_embedded(module: nn.Module, depth: int = 0) -> dict[str, int]:
    """By name of such a parameter: how many rows its table has."""
    found: dict[str, int] = {}
    calls = [
        node for node in ast.walk(parse_source_of(module.forward)) if isinstance(node, ast.Call)
    ]
    for name in inspect.signature(module.forward).parameters:
        for node in calls:
            called = find_held_module(node.func, module)
            keyword = find_keyword(node, name, called) if called is not None else ""
            if called is None or not keyword:
                continue
            if isinstance(called, nn.Embedding):
                found[name] = called.num_embeddings
            elif depth < _DEEPEST and not type(called).__module__.startswith("torch.nn"):
                rows = find_embedded(called, depth + 1).get(keyword, 0)
                if rows:
                    found[name] = rows
    return found
