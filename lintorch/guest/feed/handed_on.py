"""What a `forward(self, *args, **kwargs)` hands its arguments on to: `return self.run(*args, **kwargs)`."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of

_DEEPEST = 3


def find_handed(module: nn.Module, depth: int = 0) -> Callable[..., Any]:
    """The method that gets all arguments of `forward`, of the module or of a part; else `forward` itself."""
    return _follow(module, module.forward, depth) or module.forward


def _follow(module: nn.Module, call: Callable[..., Any], depth: int) -> Callable[..., Any] | None:
    given = list(inspect.signature(call).parameters.values())
    star = next((each.name for each in given if each.kind is each.VAR_POSITIONAL), "")
    if any(each.kind is each.POSITIONAL_OR_KEYWORD for each in given):
        return call
    for name in _list_handed(parse_source_of(call), star) if star and depth < _DEEPEST else ():
        target = getattr(module, name, None)
        if isinstance(target, nn.Module):
            return _follow(target, target.forward, depth + 1)
        if inspect.ismethod(target):
            return _follow(module, target, depth + 1)
    return None


def _list_handed(tree: ast.AST, star: str) -> Iterator[str]:
    """The attributes of self that are called with `*args`, those that are given back first, the last of them first."""
    returned = [node for node in ast.walk(tree) if isinstance(node, ast.Return)]
    returned.sort(key=lambda node: -node.lineno)
    for root in (*returned, tree):
        for node in ast.walk(root):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            of_self = getattr(node.func.value, "id", "") == "self"
            starred = (part.value for part in node.args if isinstance(part, ast.Starred))
            if of_self and any(getattr(part, "id", "") == star for part in starred):
                yield node.func.attr
