"""How to name the models of a file."""

from __future__ import annotations

import ast
import os
from contextlib import suppress

from lintorch.files import FileText, read_file

_MOST = 6


def name_models(path: str) -> str:
    """How to name a model of a file: each class with a forward, `net.py:Net`, as far as it can be read."""
    found = read_file(path) if os.path.isfile(path) else None
    if not isinstance(found, FileText):
        return "file.py:Class"
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        classes = [node for node in ast.parse(found.text).body if isinstance(node, ast.ClassDef)]
        named = [f"{path}:{node.name}" for node in classes if _has_forward(node)]
        if named:
            return " or ".join(named[:_MOST])
    return f"{path}:Class"


def _has_forward(node: ast.ClassDef) -> bool:
    return any(isinstance(each, ast.FunctionDef) and each.name == "forward" for each in node.body)
