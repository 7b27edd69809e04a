"""Where a piece of code stands: the functions and classes around it, and who calls those."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_Definition = (ast.FunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Region:
    """The definitions around a piece of code, the outermost first; () at the top level of a file."""

    around: tuple[ast.stmt, ...] = ()

    @property
    def function(self) -> ast.FunctionDef | None:
        """The innermost function."""
        return next((d for d in reversed(self.around) if isinstance(d, ast.FunctionDef)), None)

    @property
    def outer(self) -> Region:
        """What is around the innermost function."""
        function = self.function
        return Region(self.around[: self.around.index(function)]) if function else Region()

    @property
    def owner(self) -> ast.ClassDef | None:
        """The class that the innermost function is a method of."""
        around = self.outer.around if self.function else self.around
        return around[-1] if around and isinstance(around[-1], ast.ClassDef) else None


@dataclass(frozen=True)
class PlacedCall:
    """A call, and where it stands."""

    node: ast.Call
    region: Region


def list_calls(tree: ast.Module) -> Iterator[PlacedCall]:
    """All calls of a file, outside of lambdas."""
    yield from _walk_calls(tree, Region())


def _walk_calls(node: ast.AST, region: Region) -> Iterator[PlacedCall]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Lambda):
            continue
        inside = Region((*region.around, part)) if isinstance(part, _Definition) else region
        if isinstance(part, ast.Call):
            yield PlacedCall(part, region)
        yield from _walk_calls(part, inside)


def list_parameters(function: ast.FunctionDef) -> dict[str, ast.expr | None]:
    """The parameters of a function, with their defaults."""
    given = function.args
    both = [*given.posonlyargs, *given.args]
    defaults = [*[None] * (len(both) - len(given.defaults)), *given.defaults]
    found: dict[str, ast.expr | None] = {
        part.arg: value for part, value in zip(both, defaults, strict=True)
    }
    found |= {p.arg: v for p, v in zip(given.kwonlyargs, given.kw_defaults, strict=True)}
    return found


def find_argument(call: ast.Call, function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What a call passes for a parameter; None where it passes nothing by itself."""
    names = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    plain = [part for part in call.args if not isinstance(part, ast.Starred)]
    if name in names and len(plain) == len(call.args) and names.index(name) < len(plain):
        return plain[names.index(name)]
    return None
