"""What `from fastai.vision import *` binds where the package is not there: the names that the file has from nowhere else."""

from __future__ import annotations

import ast
import builtins
import importlib
from collections.abc import Collection, Iterator
from types import ModuleType
from typing import Any

from lintorch.guest.imports.notebook_modules import read_source
from lintorch.guest.imports.stand_in import StandIn

_PASSED_ON = {
    "torch": "torch",
    "nn": "torch.nn",
    "F": "torch.nn.functional",
    "Tensor": "torch.Tensor",
    "np": "numpy",
    "math": "math",
    "os": "os",
    "re": "re",
    "partial": "functools.partial",
    "Path": "pathlib.Path",
    "OrderedDict": "collections.OrderedDict",
}
"""Names that such packages have of others, which are there."""


def provide_starred_names(stand_in: StandIn, importer: str, bound: Collection[str]) -> ModuleType:
    """A module with the names that the importing file uses and binds nowhere; `bound` are those that it has by now."""
    module = ModuleType(stand_in.__name__)
    names = [name for name in _list_free_names(importer) if name not in bound]
    found: dict[str, Any] = {name: _find_passed_on(name) for name in names}
    for name, value in found.items():
        setattr(module, name, getattr(stand_in, name) if value is None else value)
    vars(module)["__all__"] = names
    return module


def _find_passed_on(name: str) -> Any:
    holder, _, last = _PASSED_ON.get(name, "").rpartition(".")
    if not last:
        return None
    return (
        getattr(importlib.import_module(holder), last) if holder else importlib.import_module(last)
    )


def _list_free_names(filename: str) -> list[str]:
    """The names that a file reads and nothing in it, or in Python, gives."""
    try:
        tree = ast.parse(read_source(filename))
    except (OSError, SyntaxError, ValueError):
        return []
    given = {*vars(builtins), *(name for node in ast.walk(tree) for name in _list_given(node))}
    read = (n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return [name for name in dict.fromkeys(read) if name not in given and name[0] != "_"]


def _list_given(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name) | ast.ExceptHandler(name=name):
            yield name or ""
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.alias(name, other):
            yield (other or name).partition(".")[0]
