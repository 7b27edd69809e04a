"""What a file's text says of its models before anything of it runs: classes, factories, who names whom."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lintorch.guest.construct.returned_calls import (
    find_handed_names,
    find_made_class,
    find_returned_names,
)

OUTLINED_FILE = "<outlined>"
"""The file name in a SyntaxError that `outline_definitions` raises."""
_FACTORY_NAME = re.compile(
    r"(build|make|create|get|new)_\w+|[a-z][a-z0-9_]*\d[a-z0-9_]*|\w*(model|net)\w*"
)
_NO_FACTORY_NAME = re.compile(
    r"_|test|main|train|eval|load|save|run|parse|download|count|plot|print"
)
_PLAIN = (
    ast.List,
    ast.ListComp,
    ast.Dict,
    ast.DictComp,
    ast.Set,
    ast.SetComp,
    ast.Tuple,
    ast.JoinedStr,
)


@dataclass(frozen=True)
class FileOutline:
    """Top-level classes and zero-argument factories of a file, by name, with their rows.

    `mentions` holds, per top-level class and function, the other top-level names it mentions; a
    class also those that are handed to it, as the blocks of a ResNet are. `made` holds, per
    factory, the class whose instance it returns, where the text shows that.
    """

    classes: Mapping[str, int]
    factories: Mapping[str, int]
    mentions: Mapping[str, frozenset[str]]
    made: Mapping[str, str]

    def find_reachable(self, name: str) -> frozenset[str]:
        """Everything that `name` mentions, directly or through what it mentions."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for mentioned in self.mentions.get(waiting.pop(), frozenset()) - found:
                found.add(mentioned)
                waiting.append(mentioned)
        return frozenset(found)


def outline_definitions(text: bytes) -> FileOutline:
    """The outline of a file's text. Raises SyntaxError."""
    tree = ast.parse(text, OUTLINED_FILE)
    body = list(_walk_definitions(tree.body))
    classes = {node.name: node.lineno for node in body if isinstance(node, ast.ClassDef)}
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)}
    known = {*classes, *functions}
    names = {node.name: _find_names(node) & known - {node.name} for node in body}
    returned = {name: find_returned_names(node) for name, node in functions.items()}
    for called, given in find_handed_names(tree):
        taker = called if called in classes else find_made_class(called, returned, classes)
        if taker and given in classes and given != taker:
            names[taker] |= {given}
    made = {name: find_made_class(name, returned, classes) for name in functions}
    factories = {n: f.lineno for n, f in functions.items() if _is_factory(f, made[n])}
    made = {name: made[name] for name in factories}
    return FileOutline(classes, factories, names, made)


def _walk_definitions(body: list[ast.stmt]) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from _walk_definitions(node.body)


def _find_names(node: ast.AST) -> frozenset[str]:
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _find_plain_names(node: ast.FunctionDef) -> set[str]:
    """Names that are given a list, a text or another value spelled out, which no model is."""
    assigned = (part for part in ast.walk(node) if isinstance(part, ast.Assign))
    plain = (part.targets for part in assigned if isinstance(part.value, _PLAIN))
    return {target.id for targets in plain for target in targets if isinstance(target, ast.Name)}


def _is_factory(node: ast.FunctionDef, made: str) -> bool:
    """Whether a function without required arguments is called like what builds a model, or like the class `made`."""
    arguments = node.args
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    if required or any(default is None for default in arguments.kw_defaults):
        return False
    returns = [part.value for part in ast.walk(node) if isinstance(part, ast.Return)]
    plain = _find_plain_names(node)
    if not any(
        isinstance(value, ast.Call) or (isinstance(value, ast.Name) and value.id not in plain)
        for value in returns
    ):
        return False
    if node.returns is not None and "Module" in ast.unparse(node.returns):
        return True
    if made and node.name.lower().startswith(made.lower()):
        return True
    return bool(_FACTORY_NAME.fullmatch(node.name)) and not _NO_FACTORY_NAME.match(node.name)
