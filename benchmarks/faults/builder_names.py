"""The names that builders of the labels call: `from truth_rb import *` gives them these.

`R` is the folder of repositories, with a slash at its end.
"""

from __future__ import annotations

import ast
import importlib
import sys
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

_KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign)
_HARMLESS_CALLS = frozenset({"int", "float", "tuple", "list", "dict", "len", "np", "math"})
NS = types.SimpleNamespace


def provide_builder_names(repositories: Path) -> None:
    """Put the modules that builders import into `sys.modules`."""
    module = types.ModuleType("truth_rb")
    given = {"R": f"{repositories}/", "NS": NS, "pkg": pkg, "stub": stub, "defs": defs}
    vars(module).update(given, basicsr=basicsr)
    sys.modules["truth_rb"] = module
    sys.modules["tvshim"] = types.ModuleType("tvshim")


def pkg(name: str, folder: str | None = None, **attributes: Any) -> types.ModuleType:
    """A package whose `__init__` does not run."""
    module = types.ModuleType(name)
    module.__path__ = [folder] if folder else []
    vars(module).update(attributes)
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], last, module)
    return module


def stub(*names: str) -> None:
    """Modules that have every name."""
    for name in names:
        sys.modules[name] = MagicMock(name=name)


def basicsr(root: str, part: str) -> types.ModuleType:
    """`importlib`, where the package of this name has only the models of a repository.

    What it reads its data sets with is a stub.
    """
    stub("lmdb")
    pkg("basicsr", f"{root}/basicsr")
    pkg(f"basicsr.{part}", f"{root}/basicsr/{part}")
    pkg(f"basicsr.{part}.archs", f"{root}/basicsr/{part}/archs")
    return importlib


def defs(file: str, name: str = "script", ns: Mapping[str, Any] | None = None) -> types.ModuleType:
    """What a script defines, without running it: imports, functions, classes, and plain values.

    `ns` are names that it has beforehand, and keeps.
    """
    module = types.ModuleType(name)
    module.__file__ = file
    given = dict(ns or {})
    vars(module).update(given)
    sys.modules[name] = module
    for statement in ast.parse(Path(file).read_bytes()).body:
        if isinstance(statement, _KEPT) and _is_plain(statement, given):
            _run_statement(statement, file, vars(module))
    return module


def _is_plain(statement: ast.stmt, given: Mapping[str, Any]) -> bool:
    if not isinstance(statement, ast.Assign):
        return True
    names = {node.id for node in statement.targets if isinstance(node, ast.Name)}
    calls = [node for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
    heads = {ast.unparse(call.func).partition(".")[0] for call in calls}
    return not names & given.keys() and heads <= _HARMLESS_CALLS


def _run_statement(statement: ast.stmt, file: str, names: dict[str, Any]) -> None:
    try:
        exec(compile(ast.Module([statement], []), file, "exec"), names)
    except Exception as error:  # of what is missing here the model may have no need
        print(f"{file}:{statement.lineno}: {error}", file=sys.stderr)
