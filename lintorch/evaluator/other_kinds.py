"""What has methods that tensors have, and is none: objects of a class of the file, or of one that is annotated."""

from __future__ import annotations

import ast
import re

from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.kept_beside import keep_beside

_OF_TENSORS = re.compile(r"Tensor|\bAny\b|\bobject\b")


@keep_beside
def list_own_methods(file: CodeFile) -> frozenset[str]:
    """The names of methods that classes of a file define."""
    classes = (each for each in ast.walk(file.tree) if isinstance(each, ast.ClassDef))
    methods = (each for kind in classes for each in kind.body)
    return frozenset(each.name for each in methods if isinstance(each, ast.FunctionDef))


def is_of_other_kind(function: ast.AST | None, name: str) -> bool:
    """Whether a parameter is annotated as something that is no tensor."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    spec = function.args
    said = (
        e.annotation for e in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs) if e.arg == name
    )
    return any(each is not None and not _OF_TENSORS.search(ast.unparse(each)) for each in said)
