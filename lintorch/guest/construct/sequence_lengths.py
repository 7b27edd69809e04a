"""Which arguments of a constructor are sequences, and how long: read off its own text."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from torch import nn

from lintorch.guest.construct.conventional_values import VALUE_BY_NAME
from lintorch.guest.construct.function_text import parse_source_of

_SEQUENCE_FUNCTIONS = frozenset(
    ("len", "zip", "enumerate", "iter", "reversed", "list", "tuple", "sum", "max")
)
USUAL_LENGTH = 3
"""How long a sequence is made where nothing says."""
_LONGEST_LENGTH = 12
"""Items; a use that needs more is taken for one of something else."""


@lru_cache(maxsize=256)
def find_sequence_lengths(call: Callable[..., Any]) -> dict[str, int]:
    """The length that each argument used as a sequence must have; 0 where nothing tells."""
    tree = parse_source_of(call.__init__ if inspect.isclass(call) else call)
    try:
        given = inspect.signature(call).parameters
    except (TypeError, ValueError):
        return {}
    found: dict[str, int] = {}
    nodes = [*ast.walk(tree), *_list_later_uses(call, tree)]
    for node in nodes:
        for name, length in _read_sequence_uses(node):
            if name in given and length <= _LONGEST_LENGTH:
                found[name] = max(found.get(name, 0), length)
    for name in {name for node in nodes for name in _find_last_asked(node)}:
        if found.get(name) == 1:  # `dims[0]` and `dims[-1]` are hardly the same
            found[name] = 0
    for name, length in _find_lengths_passed_on(call, tree):
        if name in given:
            found[name] = max(found.get(name, 0), length)
    for name in _find_assigned_names(tree):
        found.pop(name, None)
    return _equalise_zipped(found, tree, {name: part.default for name, part in given.items()})


def _list_later_uses(call: Callable[..., Any], maker: ast.AST) -> Iterator[ast.AST]:
    """What other methods do with the arguments that a class keeps, these by their own names."""
    if not inspect.isclass(call):
        return
    kept = {
        node.targets[0].attr: node.value.id
        for node in ast.walk(maker)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and isinstance(node.value, ast.Name)
    }
    for method in ast.walk(parse_source_of(call) if kept else ast.Module([], [])):
        if isinstance(method, ast.FunctionDef) and method.name != "__init__":
            yield from ast.walk(_ArgumentsForAttributes(kept).visit(method))


class _ArgumentsForAttributes(ast.NodeTransformer):
    """`size` for `self.image_size`, where that was kept; all other names are set apart from arguments."""

    def __init__(self, kept: dict[str, str]) -> None:
        self._kept = kept

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if getattr(node.value, "id", "") == "self" and node.attr in self._kept:
            return ast.Name(self._kept[node.attr], node.ctx)
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = node.id in _SEQUENCE_FUNCTIONS or node.id == "isinstance"
        return node if known else ast.Name(f"{node.id}'", node.ctx)


def _find_lengths_passed_on(call: Callable[..., Any], tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that are passed on to classes of the file, with the length that these need."""
    scope = getattr(inspect.getmodule(call), "__dict__", {})
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
            continue
        kind: Any = scope.get(node.func.id)
        if not _is_class_beside(kind, call):
            continue
        needs, names = find_sequence_lengths(kind), list(inspect.signature(kind).parameters)
        passed = [*zip(names, node.args, strict=False), *((k.arg, k.value) for k in node.keywords)]
        for name, given in passed:
            if name in needs and isinstance(given, ast.Name):
                yield given.id, needs[name]


def _is_class_beside(kind: Any, call: Callable[..., Any]) -> bool:
    """Whether it is another class of the same file, or a model of another one that is not of torch."""
    if not inspect.isclass(kind) or kind is call:
        return False
    of_user = issubclass(kind, nn.Module) and not kind.__module__.startswith("torch.")
    return of_user or kind.__module__ == call.__module__


def _find_assigned_names(tree: ast.AST) -> Iterator[str]:
    """Names that the text gives values of its own: what is passed may be something else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _read_sequence_uses(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that a piece of code takes for sequences, with the length that it needs."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        if isinstance(target := node.targets[0], (ast.Tuple, ast.List)):
            starred = any(isinstance(part, ast.Starred) for part in target.elts)
            yield node.value.id, 0 if starred else len(target.elts)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        if isinstance(node.slice, ast.Slice) or _least_length(node.slice):
            yield node.value.id, _least_length(node.slice)
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        if isinstance(node.comparators[0], ast.Name) and not isinstance(node.left, ast.Constant):
            yield node.comparators[0].id, 0
    elif isinstance(node, ast.Compare) and (name := _name_in_len(node.left)):
        yield name, _read_compared_length(node)
    elif isinstance(node, ast.Assert):
        yield from ((name, 0) for name in _find_asserted_names(node.test))
    elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.iter, ast.Name):
        yield node.iter.id, 0
    elif isinstance(node, ast.Starred) and isinstance(node.value, ast.Name):
        yield node.value.id, 0
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in _SEQUENCE_FUNCTIONS:
        yield from ((part.id, 0) for part in node.args if isinstance(part, ast.Name))


def _find_last_asked(node: ast.AST) -> Iterator[str]:
    """`dims` of `dims[-1]`, `dims[:-1]` and `dims[::-1]`."""
    match node:
        case ast.Subscript(ast.Name(name), index) if any(
            isinstance(part, ast.USub) for part in ast.walk(index)
        ):
            yield name


def _name_in_len(node: ast.expr) -> str:
    """`x` of `len(x)`."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        return getattr(node.args[0], "id", "")
    return ""


def _find_asserted_names(test: ast.expr) -> Iterator[str]:
    """`x` of `isinstance(x, tuple)`."""
    if isinstance(test, ast.Call) and getattr(test.func, "id", "") == "isinstance":
        kinds = {part.id for part in ast.walk(test.args[1]) if isinstance(part, ast.Name)}
        if kinds and kinds <= {"tuple", "list"}:
            yield getattr(test.args[0], "id", "")


def _read_compared_length(node: ast.Compare) -> int:
    """The number that a length is compared with, where it is to be equal to it."""
    right = node.comparators[0]
    equal = isinstance(node.ops[0], (ast.Eq, ast.NotEq))
    if equal and isinstance(right, ast.Constant) and type(right.value) is int:
        return right.value
    known = VALUE_BY_NAME.get(getattr(right, "id", ""), 0) if equal else 0
    return known if type(known) is int else 0


def _least_length(index: ast.expr) -> int:
    """How long a sequence must be to have this index."""
    if isinstance(index, ast.Constant) and type(index.value) is int:
        return index.value + 1
    if isinstance(index, ast.UnaryOp) and isinstance(index.operand, ast.Constant):
        return index.operand.value if type(index.operand.value) is int else 0
    return 0


def _equalise_zipped(
    found: dict[str, int], tree: ast.AST, defaults: dict[str, Any]
) -> dict[str, int]:
    """The same; sequences that are gone through together are as long as each other."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
            names = {
                part.id for arg in node.args for part in ast.walk(arg) if isinstance(part, ast.Name)
            }
            sizes = [len(defaults[n]) for n in names if isinstance(defaults.get(n), (tuple, list))]
            longest = max([found.get(name, 0) for name in names & found.keys()] + sizes, default=0)
            for name in names & found.keys() if longest else ():
                found[name] = found[name] or longest
    return found
