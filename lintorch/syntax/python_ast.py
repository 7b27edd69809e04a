"""Python's own parser, for facts that need no more than it keeps."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterator

from lintorch.core.kept_by_size import keep_by_size

_KEPT = 500_000
"""Characters of files whose trees are kept: a tree takes forty bytes of memory for each."""


def parse_python(text: str | bytes) -> ast.Module:
    """The tree of a text, or of bytes with their coding line; what it warns of is nobody's here.

    Raises SyntaxError, or ValueError (null bytes), or RecursionError or MemoryError where it is
    nested too deeply for the parser.
    """
    return _parse_last(text)


@keep_by_size(_KEPT, lambda text: len(text))
def _parse_last(text: str | bytes) -> ast.Module:
    """One file is asked for by several: its depth, its columns, what it computes, who imports it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def parse_or_empty(text: str | bytes) -> ast.Module:
    """The same of another file than the one that is checked: without a tree it says nothing."""
    try:
        return parse_python(text)
    except Exception:  # a codec that its coding line names may raise anything
        return ast.Module([], [])


def list_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, in no order: what `ast.walk` gives, in less time, without operators and contexts."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += list_parts(node)


def list_parts(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, without operators and contexts."""
    found: list[ast.AST] = []
    names = _fields_of.get(type(node))
    if names is None:
        names = _fields_of[type(node)] = _name_fields(type(node))
    for name in names:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif value is not None and isinstance(value, ast.AST):
            found.append(value)
    return found


_PLAIN = frozenset(
    {
        "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "level", "module",
        "op", "ops", "rest", "simple", "tag", "type_comment",
    }
)  # fmt: skip
"""Fields with no node in them, but for `+`, `==` and whether a name is read or written."""


_fields_of: dict[type[ast.AST], tuple[str, ...]] = {}


def _name_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a class of nodes that may hold nodes."""
    fields = () if kind is ast.Constant else kind._fields
    return tuple(name for name in fields if name not in _PLAIN)


def list_inner(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if type(value) is list:
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def takes_by_position(spec: ast.arguments, count: int) -> bool:
    """Whether a function with these parameters takes as many values by position."""
    return spec.vararg is not None or count <= len(spec.posonlyargs) + len(spec.args)


def takes_named(spec: ast.arguments, named: Collection[str]) -> bool:
    """Whether a function with these parameters takes all of these by name."""
    return spec.kwarg is not None or {*named} <= {
        each.arg for each in (*spec.args, *spec.kwonlyargs)
    }


def has_enough(spec: ast.arguments, count: int, named: Collection[str]) -> bool:
    """Whether so many values by position, and these by name, are all that a function needs."""
    positional = [each.arg for each in (*spec.posonlyargs, *spec.args)]
    needed = positional[count : len(positional) - len(spec.defaults)]
    late = zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
    needed += [each.arg for each, default in late if default is None]
    return all(each in named for each in needed)
