"""Imports a user's file under the name its own imports expect."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def package_root(path: Path) -> Path:
    """The folder that must be on sys.path for the file's dotted name to be importable."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def load(path: Path, project: Path) -> ModuleType:
    """Import `path` under its real dotted name in its package, else by its path.

    `project` is where the user stands; its modules are importable as they are to a script run
    there. Raises whatever the file raises.
    """
    root = package_root(path)
    sys.argv = [str(path)]
    sys.path[:0] = [str(root)]
    sys.path += [str(project), str(project / "src")]
    if root != path.parent:
        return importlib.import_module(_dotted(path, root))
    try:
        return _by_path(path)
    except ImportError as error:
        if "relative import" not in str(error) or project not in path.parents:
            raise
    return importlib.import_module(_dotted(path, project))


def _dotted(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _by_path(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module
