"""The arguments that a `forward(self, *input)`, or what it hands them on to, takes one by one: `src = input[0]`, `x, y = input`."""

from __future__ import annotations

import ast
import inspect

from torch import nn

from lintorch.guest.construct.function_text import parse_source_of
from lintorch.guest.feed.handed_on import find_star_taker

_MOST = 16


def spread_star(module: nn.Module) -> list[inspect.Parameter]:
    """A parameter for each argument, by the name that its text gives it; the one with the star where that tells nothing."""
    signature = inspect.signature(module.forward).parameters.values()
    star = next((each for each in signature if each.kind is each.VAR_POSITIONAL), None)
    if star is None:
        return []
    call, inner = find_star_taker(module)
    names = _name_parts(parse_source_of(call), inner)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return [inspect.Parameter(name, kind) for name in names] or [star]


def _name_parts(tree: ast.AST, star: str) -> list[str]:
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Tuple(targets)], ast.Name(name)) if name == star:
                found |= {n: getattr(each, "id", "") for n, each in enumerate(targets)}
            case ast.Assign(
                [ast.Name(target)], ast.Subscript(ast.Name(name), ast.Constant(int(n)))
            ):
                found |= {n: target} if name == star else {}
            case ast.Subscript(ast.Name(name), ast.Constant(int(n))) if name == star:
                found.setdefault(n, "")
    if not found or max(found) >= _MOST or min(found) < 0:
        return []
    names = [found.get(number, "") or f"{star}{number}" for number in range(max(found) + 1)]
    return names if len({*names}) == len(names) else [f"{star}{n}" for n in range(len(names))]
