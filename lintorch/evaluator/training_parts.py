"""Modules that the models of a project hold and call only where they train: what makes targets, samples, masks."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_nodes, list_parts


def is_training_part(
    name: str,
    files: Iterable[CodeFile],
    is_exported: Callable[[str], bool],
    mentions: Callable[[str], Iterable[CodeFile]] = lambda _: (),
    bases: frozenset[str] = frozenset(),
) -> bool:
    """Whether objects of a class are attributes of models in these files, called behind `self.training` alone.

    So are those of losses, and of whatever else nobody exports. `mentions` tells which other files
    speak of a method; `bases` are those that led here, as classes of one name may derive in a ring.
    """
    found, files = False, tuple(files)

    def find(method: str) -> Iterable[CodeFile]:
        return dict.fromkeys((*files, *mentions(method)))

    for file in files:
        for trains in _list_uses(file, name, is_exported, find, bases) if name in file.text else ():
            if not trains:
                return False
            found = True
    return found


def is_part(name: str, file: CodeFile) -> bool:
    """Whether another class of the file speaks of a class: builds it, or takes it for its parts."""
    return any(
        isinstance(each.node, ast.ClassDef) and each.node.name != name and each.mentions.get(name)
        for each in _list_statements(file)
    )


@dataclass(frozen=True)
class _Statement:
    """What one statement at the top of a file says of names."""

    node: ast.stmt
    mentions: Mapping[str, int]
    """How often each name stands in it, by itself or as an attribute."""
    holding: Mapping[str, frozenset[str]]
    """By the name of a class the attributes that hold an object of it: `layer` of `self.layer = Name(…)`."""


def _list_uses(
    file: CodeFile,
    name: str,
    is_exported: Callable[[str], bool],
    find: Callable[[str], Iterable[CodeFile]],
    bases: frozenset[str],
) -> Iterator[bool]:
    """Of each use of the class, and of an attribute that holds an object of it: whether it is for training."""
    for each in _list_statements(file):
        mentions = each.mentions.get(name, 0)
        if isinstance(each.node, ast.ClassDef) and each.node.name != name:
            held = each.holding.get(name, frozenset())
            if _derives_from(each.node, name):
                mentions -= 1
                if each.node.name not in bases:
                    derived, below = each.node.name, bases | {name}
                    yield is_training_part(derived, find(derived), is_exported, find, below)
            if mentions and not is_exported(each.node.name):
                yield not _INFERRING & _name_methods(each.node)
            elif mentions > len(held):
                yield False
            elif held:
                for method, _, trains in _find_reads(each.node, held, find):
                    yield trains or _is_called_to_train(method, find)
        elif mentions and not isinstance(each.node, (ast.Import, ast.ImportFrom, ast.ClassDef)):
            yield False


def _find_reads(
    node: ast.ClassDef, held: Collection[str], find: Callable[[str], Iterable[CodeFile]]
) -> list[tuple[str, str, bool]]:
    """Where attributes of a class are read: in its bases, or wherever else, where it does not read them itself."""
    own = [each for each in _list_owned_reads(node) if each[1] in held]
    return own or [
        each
        for name in held
        for file in find(name)
        for statement in _list_statements(file)
        for each in _list_owned_reads(statement.node)
        if each[1] == name
    ]


def _derives_from(node: ast.ClassDef, name: str) -> bool:
    return any(name in (getattr(base, "id", ""), getattr(base, "attr", "")) for base in node.bases)


_INFERRING = frozenset({"infer", "inference", "generate", "sample", "predict", "forward_test"})
"""Methods that run a model whose forward is for training, and its parts with it."""


def _name_methods(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(each.name for each in node.body if isinstance(each, ast.FunctionDef))


@keep_beside
def _list_statements(file: CodeFile) -> tuple[_Statement, ...]:
    return tuple(map(_describe_statement, file.tree.body))


def _describe_statement(node: ast.stmt) -> _Statement:
    mentions: Counter[str] = Counter()
    holding: dict[str, set[str]] = defaultdict(set)
    for each in list_nodes(node):
        if isinstance(each, ast.Name):
            mentions[each.id] += 1
        elif isinstance(each, ast.Attribute):
            mentions[each.attr] += 1
        elif isinstance(each, ast.Assign):
            match each:
                case ast.Assign([ast.Attribute(ast.Name("self"), held)], ast.Call(maker)):
                    holding[getattr(maker, "id", "") or getattr(maker, "attr", "")].add(held)
    return _Statement(node, mentions, {name: frozenset(held) for name, held in holding.items()})


def _is_called_to_train(method: str, find: Callable[[str], Iterable[CodeFile]]) -> bool:
    """Whether every call of a method by its name, from another, is behind `self.training`."""
    if method in ("", "__init__", "__call__", "forward"):
        return False
    statements = (
        each.node for file in find(method) if method in file.text for each in _list_statements(file)
    )
    calls = [
        trains
        for node in statements
        for owner, read, trains in _list_owned_reads(node)
        if read == method != owner
    ]
    return bool(calls) and all(calls)


@keep_beside
def _list_owned_reads(node: ast.stmt) -> tuple[tuple[str, str, bool], ...]:
    """The attributes that a class or function reads, each with the name of the function it stands in."""
    parts = node.body if isinstance(node, ast.ClassDef) else [node]
    return tuple(
        (getattr(part, "name", ""), read, trains)
        for part in parts
        for read, trains in _list_reads(part)
    )


def _list_reads(node: ast.AST, trains: bool = False) -> Iterator[tuple[str, bool]]:
    """Each attribute that is read below a node, and whether that is behind `self.training`."""
    if isinstance(node, ast.If):
        asked = _asks_training(node.test)
        for part in (node.test, *node.body):
            yield from _list_reads(part, trains or asked is True)
        for part in node.orelse:
            yield from _list_reads(part, trains or asked is False)
        return
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr, trains
    for part in list_parts(node):
        yield from _list_reads(part, trains)


def _asks_training(test: ast.expr) -> bool | None:
    """True of `self.training` and of `self.training and …`, False of `not self.training`."""
    match test:
        case ast.Attribute(_, "training"):
            return True
        case ast.UnaryOp(ast.Not(), ast.Attribute(_, "training")):
            return False
        case ast.BoolOp(ast.And(), parts):
            return True if any(_asks_training(each) is True for each in parts) else None
    return None
