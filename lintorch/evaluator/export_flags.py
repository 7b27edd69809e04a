"""Flags of models that the project sets ahead of an export: `for m in model.modules(): m.export = True`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.evaluator.machine import Machine
from lintorch.evaluator.values import FALSE, Value
from lintorch.syntax.python_ast import list_nodes

_FLAG = re.compile(
    r"_?(is_|in_|for_)?(export|deploy|onnx|trac|exporting)(ing|able|ed|ment)?(_\w+)?"
)


def is_set_for_export(machine: Machine, name: str, value: Value) -> bool:
    """Whether a flag that is False in the class is set to True from outside, in some file of the project."""
    if value != FALSE or _FLAG.fullmatch(name) is None:
        return False
    switched = machine.top.switched
    if name not in switched:
        file = machine.here.file
        files = (file, *machine.library.reads(name, file))
        switched[name] = any(name in _list_switched(each.tree) for each in files)
    return switched[name]


@keep_beside
def _list_switched(tree: ast.AST) -> frozenset[str]:
    return frozenset(_find_switched(tree))


def _find_switched(tree: ast.AST) -> Iterator[str]:
    """The attributes of objects other than self that are set to True."""
    for each in list_nodes(tree):
        sets = isinstance(each, ast.Assign) and getattr(each.value, "value", None) is True
        for target in each.targets if sets and isinstance(each, ast.Assign) else ():
            own = isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self"
            if isinstance(target, ast.Attribute) and not own:
                yield target.attr
