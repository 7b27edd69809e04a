"""Modules that the models of a project hold and call only where they train: what makes targets, samples, masks."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside


def is_training_part(name: str, files: Iterable[CodeFile]) -> bool:
    """Whether objects of a class are attributes of models in these files, called behind `self.training` alone."""
    uses = [use for file in files if name in file.text for use in _list_uses(file, name)]
    return bool(uses) and all(uses)


@keep_beside
def _list_uses(file: CodeFile, name: str) -> tuple[bool, ...]:
    """Of each use of the class, and of an attribute that holds an object of it: whether it is for training."""
    found: list[bool] = []
    for each in file.tree.body:
        if isinstance(each, ast.ClassDef) and each.name != name:
            held = frozenset(_list_holding(each, name))
            found += [False] if _mentions(each, name) > len(held) else []
            found += _list_calls(each, held)
        elif not isinstance(each, (ast.Import, ast.ImportFrom, ast.ClassDef)):
            found += [False] if _mentions(each, name) else []
    return tuple(found)


def _mentions(node: ast.AST, name: str) -> int:
    return sum(name in (getattr(n, "id", ""), getattr(n, "attr", "")) for n in ast.walk(node))


def _list_holding(owner: ast.ClassDef, name: str) -> Iterator[str]:
    """`layer` of `self.layer = Name(…)`."""
    for each in ast.walk(owner):
        match each:
            case ast.Assign([ast.Attribute(ast.Name("self"), held)], ast.Call(maker)):
                if name in (getattr(maker, "id", ""), getattr(maker, "attr", "")):
                    yield held


def _list_calls(node: ast.AST, held: frozenset[str], trains: bool = False) -> Iterator[bool]:
    """Of each time that one of these attributes is read below a node: whether that is behind `self.training`."""
    if isinstance(node, ast.If):
        asked = _asks_training(node.test)
        for part in (node.test, *node.body):
            yield from _list_calls(part, held, trains or asked is True)
        for part in node.orelse:
            yield from _list_calls(part, held, trains or asked is False)
        return
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and node.attr in held:
        yield trains
    for part in ast.iter_child_nodes(node):
        yield from _list_calls(part, held, trains)


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
