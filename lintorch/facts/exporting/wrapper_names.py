"""What decorators of a forward put into its keyword arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def added_names(wrapper: ast.AST) -> Iterator[str]:
    """The names that a wrapper puts into its `**kwargs`."""
    kwargs = wrapper.args.kwarg if isinstance(wrapper, ast.FunctionDef) else None
    if kwargs is None:
        return
    for each in ast.walk(wrapper):
        match each:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held), slice=key)]):
                if held == kwargs.arg:
                    yield from named_keys(key, wrapper)


def named_keys(key: ast.expr, wrapper: ast.AST) -> Iterator[str]:
    """A text, or the texts that a loop takes its name from."""
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield key.value
    loops = [each for each in ast.walk(wrapper) if isinstance(each, ast.For)]
    for loop in loops:
        if isinstance(key, ast.Name) and ast.dump(loop.target) == ast.dump(
            ast.Name(key.id, ast.Store())
        ):
            yield from listed_texts(loop.iter, wrapper)


def listed_texts(over: ast.expr, wrapper: ast.AST) -> Iterator[str]:
    """The texts of a display, or of one that a name was given."""
    if isinstance(over, ast.Name):
        given = [each.value for each in ast.walk(wrapper)
                 if isinstance(each, ast.Assign) and over.id in map(ast.unparse, each.targets)]  # fmt: skip
        over = given[0] if given else over
    for each in over.elts if isinstance(over, (ast.List, ast.Tuple)) else ():
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            yield each.value
