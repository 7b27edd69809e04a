"""Imports a user's file under the name its own imports expect."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from lintorch.guest.process import tampering
from lintorch.guest.process.error_text import text_of
from lintorch.record.user_files import package_root


def import_file(path: Path, project: Path) -> ModuleType:
    """Import `path` under its real dotted name in its package, else by its path.

    `project` is where the user stands; its modules are importable as they are to a script run
    there. Packages around the file whose own import fails are passed over. Raises whatever the
    file raises.
    """
    root = package_root(path)
    sys.argv = [str(path)]
    sys.path[:0] = [str(root)]
    sys.path += [str(folder) for folder in _list_project_folders(root, project)]
    try:
        return _import_from_root(path, project, root)
    finally:
        tampering.restore_interpreter()


def _import_from_root(path: Path, project: Path, root: Path) -> ModuleType:
    if root != path.parent:
        return _import_in_package(_join_dotted_name(path, root), root)
    try:
        return _import_by_path(path)
    except ImportError as error:
        if "relative import" not in text_of(error) or project not in path.parents:
            raise
    return importlib.import_module(_join_dotted_name(path, project))


def _list_project_folders(root: Path, project: Path) -> list[Path]:
    """Folders whose modules a script of the project may import, nearest first."""
    inside = project in root.parents
    around = [folder for folder in root.parents if project in folder.parents] if inside else []
    return [*around, project, project / "src"]


def _import_in_package(name: str, root: Path) -> ModuleType:
    try:
        return importlib.import_module(name)
    except Exception:  # the file's own fault, or that of a package around it
        parts = name.split(".")
        parents = [".".join(parts[:count]) for count in range(1, len(parts))]
        if not _enter_bare_packages(parents, root):
            raise
    return importlib.import_module(name)


def _enter_bare_packages(parents: list[str], root: Path) -> bool:
    """Enter bare modules for packages that cannot be imported; whether there was one."""
    found = False
    for parent in parents:
        try:
            importlib.import_module(parent)
        except Exception:  # whatever a package's __init__ raises
            bare = ModuleType(parent)
            bare.__path__ = [str(root.joinpath(*parent.split(".")))]
            sys.modules[parent] = bare
            found = True
    return found


def _join_dotted_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _import_by_path(path: Path) -> ModuleType:
    name = path.stem
    if name in sys.modules or name in sys.stdlib_module_names:
        name = f"checked_{name}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
