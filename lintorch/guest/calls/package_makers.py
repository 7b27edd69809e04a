"""Which calls of a script have a package build a model: what they call is no code of the project's."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

from torch import nn

from lintorch.guest.calls.needed_names import list_stores, spell_dotted
from lintorch.guest.calls.package_models import ScriptModel
from lintorch.guest.construct.tensor_calls import strip_moves
from lintorch.guest.process import tampering
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.record.repository import find_repository

_FOREIGN_FOLDERS = frozenset(("site-packages", "dist-packages"))
_MOST_SECONDS = 10.0
"""For one call, whose package a function may import."""
_NO_MAKERS = frozenset(("torch", "numpy", "lintorch", *sys.stdlib_module_names))
"""Packages whose functions build no model from nothing: `torch.load`, `copy.deepcopy`."""


def pick_package_models(
    found: Iterable[ScriptModel], module: ModuleType, tree: ast.Module, project: Path
) -> Iterator[ScriptModel]:
    """Those of the models of an imported script that a package builds."""
    root = find_repository(project)
    named: set[str] = set()
    for model in found:
        if model.name in named:
            continue
        if _is_built_by_package(model, module, tree, root):
            named.add(model.name)
            yield model


def _is_built_by_package(
    model: ScriptModel, module: ModuleType, tree: ast.Module, root: Path
) -> bool:
    made = model.made.node
    try:
        with limit_seconds(_MOST_SECONDS):
            value = _resolve(spell_dotted(made.func), vars(module), tree)
            return _is_maker(value, made, root, model.exported) or _hands_on(value, root)
    except (Exception, SystemExit, TooSlow):  # whatever user code raises that is looked at
        return False
    finally:
        tampering.restore_interpreter()


def is_project_code(value: Any, root: Path) -> bool:
    """Whether a class or function is defined in the project, and not in a package installed below it."""
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if not file:
        return module is not None and module.__name__ == "__main__"
    path = Path(file).resolve()
    return path.is_relative_to(root) and not _FOREIGN_FOLDERS & set(path.parts)


def _resolve(spelled: str, scope: Mapping[str, Any], tree: ast.AST) -> Any:
    """What a dotted name of a file means, one that a function imports too; None where that is not known."""
    root, *rest = spelled.split(".")
    if root not in scope:
        local: dict[str, Any] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and root in list_stores(node):
                with suppress(Exception, SystemExit):  # whatever an import raises
                    exec(compile(ast.Module([node], []), "<import>", "exec"), local)
        scope = local
    value = scope.get(root)
    for name in rest:
        value = getattr(value, name, None)
    return value


def _is_maker(value: Any, call: ast.Call, root: Path, exported: bool) -> bool:
    """Whether a value is a class of models, or may be a function that builds some, of a package."""
    package = str(getattr(value, "__module__", None) or "").partition(".")[0]
    if isinstance(value, type):
        if not issubclass(value, nn.Module) or is_project_code(value, root):
            return False
        return package != "torch" or (exported and _is_bare(call)) or value is nn.Sequential
    if not isinstance(value, (FunctionType, MethodType)) or package in _NO_MAKERS:
        return False
    if isinstance(value, MethodType) and not isinstance(value.__self__, type):
        return False
    return not is_project_code(value, root)


def _is_bare(call: ast.Call) -> bool:
    """Whether a call is given no variable first, as a wrapper of a model is."""
    return not call.args or not isinstance(call.args[0], (ast.Name, ast.Attribute))


def _hands_on(value: Any, root: Path) -> bool:
    """Whether a value is a function of the project that gives back what a package builds."""
    if not isinstance(value, FunctionType) or not is_project_code(value, root):
        return False
    tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    given = {spell_dotted(n.value) for n in ast.walk(tree) if isinstance(n, ast.Return) and n.value}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.Return)):
            continue
        if isinstance(node, ast.Assign) and not given & list_stores(node):
            continue
        call = strip_moves(node.value)
        if isinstance(call, ast.Call):
            maker = _resolve(spell_dotted(call.func), value.__globals__, tree)
            if maker is not None and _is_maker(maker, call, root, exported=False):
                return True
    return False
