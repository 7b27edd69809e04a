"""Which file an expression names, as far as two of them can be told to name the same."""

from __future__ import annotations

from collections.abc import Hashable
from posixpath import normpath

import libcst as cst

from lintorch.facts.names.lookup import HasNames
from lintorch.syntax.literals import literal

_WRAPPERS = frozenset({"str", "os.fspath", "pathlib.Path", "pathlib.PurePath", "os.path.abspath"})
_JOIN = "os.path.join"
_CONTENTS = frozenset({"getvalue", "as_posix", "resolve", "absolute"})
"""Methods that give the file itself, or what was written to a buffer."""
_DEPTH = 8


def identify_file(
    node: cst.BaseExpression | None, source: HasNames, depth: int = 0
) -> Hashable | None:
    """Equal for two expressions that name one file whenever both run; None where that is not known.

    A text is itself; a name that is bound once is what it is bound to.
    """
    text = literal(node)
    if isinstance(text, str):
        return normpath(text)
    if node is None or depth > _DEPTH:
        return None
    if isinstance(node, cst.Name):
        return _identify_name(node, source, depth)
    if isinstance(node, cst.Attribute):
        return _identify_attribute(node, source, depth)
    if isinstance(node, cst.Call):
        return _identify_call(node, source, depth)
    if isinstance(node, cst.BinaryOperation):
        return _gather(type(node.operator).__name__, [node.left, node.right], source, depth)
    if isinstance(node, cst.FormattedString):
        return _identify_format(node, source, depth)
    return None


def _gather(
    kind: str, parts: list[cst.BaseExpression], source: HasNames, depth: int
) -> Hashable | None:
    found = [identify_file(each, source, depth + 1) for each in parts]
    return None if None in found else (kind, *found)


def _identify_name(node: cst.Name, source: HasNames, depth: int) -> Hashable | None:
    bindings = source.names.bound(node)
    if len(bindings) != 1:
        return None
    only = bindings[0]
    written = only.node if only.kind == "assign" else None
    if isinstance(written, cst.BaseExpression):
        return identify_file(written, source, depth + 1) or only.node
    return only.node


def _identify_attribute(node: cst.Attribute, source: HasNames, depth: int) -> Hashable | None:
    """`args.path`, where the file sets no attribute of that name."""
    for each in source.file.nodes(cst.AssignTarget):
        target = each.target
        if isinstance(target, cst.Attribute) and target.attr.value == node.attr.value:
            return None
    return _gather(f".{node.attr.value}", [node.value], source, depth)


def _identify_call(node: cst.Call, source: HasNames, depth: int) -> Hashable | None:
    if isinstance(node.func, cst.Attribute) and node.func.attr.value in _CONTENTS:
        return identify_file(node.func.value, source, depth + 1)
    if any(arg.keyword or arg.star for arg in node.args):
        return None
    name, parts = source.names.name(node.func), [arg.value for arg in node.args]
    if name in _WRAPPERS and len(parts) == 1:
        return identify_file(parts[0], source, depth + 1)
    return _gather(_JOIN, parts, source, depth) if name == _JOIN else None


def _identify_format(node: cst.FormattedString, source: HasNames, depth: int) -> Hashable | None:
    found: list[Hashable | None] = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            found.append(part.value)
        elif isinstance(part, cst.FormattedStringExpression):
            plain = not (part.conversion or part.format_spec)
            found.append(identify_file(part.expression, source, depth + 1) if plain else None)
    return None if None in found else ("f", *found)
