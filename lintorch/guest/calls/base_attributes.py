"""What a constructor of a base class puts into an object: `self.args = args`, where a class hands it `args` on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FunctionType

from lintorch.guest.calls.code_regions import find_argument
from lintorch.guest.calls.needed_names import list_stores, slice_statements
from lintorch.guest.construct.function_text import parse_source_of


def list_base_constructors(
    kind: type, missing: set[str]
) -> Iterator[tuple[FunctionType, ast.FunctionDef]]:
    """The constructors of bases that set one of the attributes (`self.args`), the nearest first, with their text."""
    for base in kind.__mro__[1:]:
        made = vars(base).get("__init__")
        if isinstance(made, FunctionType) and not base.__module__.startswith("torch."):
            function = next(iter(parse_source_of(made).body), None)
            if isinstance(function, ast.FunctionDef) and missing & _list_set(function):
                yield made, function


def pick_statements(
    function: ast.FunctionDef, missing: set[str]
) -> tuple[list[ast.stmt], set[str]]:
    """The statements of a constructor that set the attributes, and the names that these need."""
    needed = set(missing)
    return slice_statements(function.body, needed), needed


def find_handed_on(owner: ast.ClassDef, function: ast.FunctionDef, name: str) -> ast.expr | None:
    """What the constructor of a class gives that of its base for a parameter: `super().__init__(args)`."""
    own = find_constructor(owner)
    for node in ast.walk(own) if own else ():
        if isinstance(node, ast.Call) and _is_of_base(node.func):
            return find_argument(node, function, name)
    return None


def find_constructor(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """The constructor that a class has in its own text."""
    methods = (node for node in owner.body if isinstance(node, ast.FunctionDef))
    return next((node for node in methods if node.name == "__init__"), None)


def _is_of_base(called: ast.expr) -> bool:
    match called:
        case ast.Attribute(ast.Call(ast.Name("super")), "__init__"):
            return True
    return False


def _list_set(function: ast.FunctionDef) -> set[str]:
    return set[str]().union(*(list_stores(node) for node in function.body))
