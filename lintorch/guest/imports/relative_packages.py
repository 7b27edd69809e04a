"""Packages for files that import relatively and are in none: a script beside its modules."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

from lintorch.guest.imports.project_modules import make_bare_package
from lintorch.guest.imports.user_frames import UserCode
from lintorch.guest.process.error_text import text_of

_ENTERED = "__lintorch_entered__"
"""Among a module's names where it was put into a package."""


def enter_package(
    error: Exception, code: UserCode, importer: Mapping[str, Any] | None, level: int
) -> bool:
    """Put a module whose relative import found no package into one; whether to try it again."""
    if importer is None or "relative import" not in text_of(error) or _ENTERED in importer:
        return False
    filename = importer["__file__"]
    path = Path(filename).resolve()
    folders = [path.parents[count] for count in range(level)]
    outer = code.project.resolve()
    if outer in folders[-1].parents:
        folders += [folder for folder in folders[-1].parents if outer in folder.parents]
    name = ""
    for folder in reversed(folders):
        name = f"{name}.{_name_folder(folder)}".removeprefix(".")
        _make_importable(name, folder)
    vars_of_module: Any = importer
    vars_of_module[_ENTERED] = True
    vars_of_module["__package__"] = name
    vars_of_module["__spec__"] = ModuleSpec(f"{name}.{path.stem}", None, origin=filename)
    return True


def _name_folder(folder: Path) -> str:
    return re.sub(r"\W", "_", folder.name) or "_"


def _make_importable(name: str, folder: Path) -> None:
    known = sys.modules.get(name)
    if known is not None and str(folder) in map(str, getattr(known, "__path__", ())):
        return
    if (folder / "__init__.py").exists():
        try:
            importlib.import_module(name)
        except Exception:  # whatever a package's __init__ raises
            sys.modules.pop(name, None)
        else:
            return
    sys.modules[name] = make_bare_package(name, folder)
