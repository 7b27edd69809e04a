"""The method that runs in the place of forward once a model was made ready for an export."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.evaluator.kept_beside import keep_beside
from lintorch.syntax.python_ast import list_nodes

_READIES = re.compile(r"_?((to|for|prepare)_)*(export|deploy|onnx|trac(e|ing)$)(_\w+)?")


@keep_beside
def name_exported(owner: ast.ClassDef) -> str:
    """`forward_export` of a class with `def export(self): self.forward = self.forward_export`; or ""."""
    return next(_list_put(owner), "")


def _list_put(owner: ast.ClassDef) -> Iterator[str]:
    for method in owner.body:
        if isinstance(method, ast.FunctionDef) and _READIES.fullmatch(method.name):
            for each in list_nodes(method):
                match each:
                    case ast.Assign(
                        targets=[ast.Attribute(value=ast.Name(id="self"), attr="forward")],
                        value=ast.Attribute(value=ast.Name(id="self"), attr=name),
                    ):
                        yield name
