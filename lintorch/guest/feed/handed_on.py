"""What a `forward` hands its arguments on to as they are: `return self.run(*args, **kwargs)`, `return self.net(x)`."""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of

_DEEPEST = 3


def find_handed(module: nn.Module, depth: int = 0) -> Callable[..., Any]:
    """The method that gets all arguments of `forward`, of the module or of a part; else `forward` itself."""
    return _follow(module, module.forward, depth) or module.forward


def find_star_taker(module: nn.Module) -> tuple[Callable[..., Any], str]:
    """The last method that gets all arguments of a `forward(*input)` by a star too, and its name for them; "" where there is none."""
    call, star = module.forward, _find_star(module.forward)
    for _ in range(_DEEPEST):
        named = _list_handed(parse_source_of(call), star) if star else ()
        targets = (getattr(module, name, None) for name in named)
        target = next((t for t in targets if isinstance(t, nn.Module) or inspect.ismethod(t)), None)
        if target is None:
            break
        further = target.forward if isinstance(target, nn.Module) else target
        if not (inner := _find_star(further)):
            break
        module = target if isinstance(target, nn.Module) else module
        call, star = further, inner
    return call, star


def _find_star(call: Callable[..., Any]) -> str:
    given = inspect.signature(call).parameters.values()
    return next((each.name for each in given if each.kind is each.VAR_POSITIONAL), "")


def find_taker(module: nn.Module, name: str) -> tuple[nn.Module, str]:
    """The part, and its parameter, that an argument comes to by which nothing else is done with it; else the module's own."""
    for _ in range(_DEEPEST):
        part = _find_only_part(module, name)
        first = next(iter(inspect.signature(part.forward).parameters), "") if part else ""
        if part is None or not first or _is_layer_of_torch(part):
            break
        module, name = part, first
    return module, name


def _is_layer_of_torch(part: nn.Module) -> bool:
    return type(part).__module__.startswith("torch.nn") and type(part) is not nn.Sequential


def _find_only_part(module: nn.Module, name: str) -> nn.Module | None:
    """The part that is called with an argument alone, which is used nowhere else before something else is called so.

    Of several parts behind one another the first.
    """
    if type(module) is nn.Sequential:
        return next(iter(module), None)
    nodes = list(ast.walk(parse_source_of(module.forward)))
    named = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    last = min((n.lineno for n in named if isinstance(n.ctx, ast.Store)), default=math.inf)
    uses = sum(n.lineno <= last for n in named if isinstance(n.ctx, ast.Load))
    for node in nodes if uses == 1 else ():
        match node:
            case ast.Call(ast.Attribute(ast.Name("self"), part), [ast.Name(given)], []) if (
                given == name
            ):
                found = module._modules.get(part)
                return found if isinstance(found, nn.Module) else None
    return None


def _follow(module: nn.Module, call: Callable[..., Any], depth: int) -> Callable[..., Any] | None:
    given, star = list(inspect.signature(call).parameters.values()), _find_star(call)
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
            if not isinstance(node, ast.Call):
                continue
            starred = (part.value for part in node.args if isinstance(part, ast.Starred))
            name = _name_called(node.func, tree)
            if name and any(getattr(part, "id", "") == star for part in starred):
                yield name


def _name_called(called: ast.expr, tree: ast.AST) -> str:
    """`run` of `self.run`, and of `getattr(self, mode)` where `mode` is that if nobody says otherwise; else ""."""
    match called:
        case ast.Attribute(ast.Name("self"), name):
            return name
        case ast.Call(ast.Name("getattr"), [ast.Name("self"), spelled]):
            return _read_word(spelled, tree)
    return ""


def _read_word(node: ast.expr, tree: ast.AST) -> str:
    """The word of a constant, a sum of words, or a name with a default: `mode = kwargs.get("mode", "forward")`."""
    match node:
        case ast.Constant(str(word)):
            return word
        case ast.BinOp(left, ast.Add(), right):
            return _read_word(left, tree) + _read_word(right, tree)
        case ast.Name(name):
            for part in ast.walk(tree):
                match part:
                    case ast.Assign(
                        [ast.Name(given)],
                        ast.Call(ast.Attribute(_, "get" | "pop"), [_, ast.Constant(str(word))]),
                    ) if given == name:
                        return word
    return ""
