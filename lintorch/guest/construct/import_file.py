"""Imports a user's file under the name its own imports expect."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from lintorch.guest.imports.cpu_for_gpu import take_kept_devices
from lintorch.guest.imports.definitions_only import run_definitions_only
from lintorch.guest.imports.notebook_modules import NotebookLoader, is_held
from lintorch.guest.imports.prepare_imports import prepare_imports
from lintorch.guest.imports.project_modules import (
    list_import_folders,
    make_bare_package,
    prefer_own_module,
)
from lintorch.guest.imports.stand_in import while_importing
from lintorch.guest.imports.user_frames import UserCode
from lintorch.guest.process import tampering
from lintorch.guest.process.assumptions import note_assumption
from lintorch.guest.process.error_text import class_name_of, is_of_memory
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch.user_lines import walk_frames
from lintorch.guest.weights.prepare_weights import prepare_weights

_FIRST_SHARE, _FURTHER_SHARE = 0.4, 0.2
"""Of the seconds, for importing a file whole, and for each time that less of it is run."""
_USUAL_SECONDS = 60.0
_MOST_REDUCED = 4
"""Files of which only the definitions are run, at most."""


def import_file(path: Path, project: Path, seconds: float = _USUAL_SECONDS) -> ModuleType:
    """Import `path` under its real dotted name in its package, else by its path.

    `project` is where the user stands; its modules are importable as they are to a script run
    there. Packages around the file whose own import fails are passed over. Of a file that raises,
    or takes its share of the `seconds`, only the definitions are run, as of every notebook. Raises
    what it raised first.
    """
    code = UserCode(path, project)
    prepare_user_code(code)
    sys.argv = [str(path)]
    sys.path[:0] = [str(code.root)]
    sys.path += [str(each) for each in list_import_folders(code) if each != code.root]
    try:
        return _import_with_less(code, seconds)
    finally:
        tampering.restore_interpreter()


def prepare_user_code(code: UserCode) -> None:
    """Let this process run the user's code: with its own modules, and what stands in for what is not there."""
    prepare_imports(code)
    prepare_weights()


def _import_with_less(code: UserCode, seconds: float) -> ModuleType:
    """The module, whole or with definitions only of what fails in it."""
    known = set(sys.modules)
    reduced: dict[str, tuple[int, str]] = {}
    share = _FIRST_SHARE
    first: BaseException | None = None
    while True:
        try:
            with limit_seconds(seconds * share), while_importing():
                module = _import_from_root(code)
            break
        except (Exception, SystemExit, TooSlow) as error:
            first = first or error
            place = None if is_of_memory(error) else _find_failing_module(error, code)
            slow = isinstance(error, TooSlow)
            less = place is not None and len(reduced) < _MOST_REDUCED
            own = place is not None and Path(place[0]) == code.path
            if (
                place is None
                or not less
                or not run_definitions_only(place[0], slow=slow, strict=own)
            ):
                raise first from None
            how = "took too long" if slow else f"raised {class_name_of(error)}"
            reduced.setdefault(place[0], (place[1], how))
            share = _FURTHER_SHARE
        _forget_modules(code, known)
    take_kept_devices()
    if is_held(code.path):
        note_assumption(f"only the definitions of {code.shorten_path(str(code.path))} were run")
    for filename, (row, how) in reduced.items():
        shown = code.shorten_path(filename)
        note_assumption(
            f"only the definitions of {shown} were run: its import {how} ({shown}:{row})"
        )
    return module


def _find_failing_module(error: BaseException, code: UserCode) -> tuple[str, int] | None:
    """The innermost file of the user's that was being imported, and the row there."""
    found = None
    for frame, row in walk_frames(error.__traceback__):
        filename = frame.f_code.co_filename
        if frame.f_code.co_name == "<module>" and code.is_user(filename):
            found = filename, row
    return found


def _forget_modules(code: UserCode, known: set[str]) -> None:
    """Have the user's modules imported anew."""
    tampering.restore_interpreter()
    for name in set(sys.modules) - known:
        if code.is_user(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


def _import_from_root(code: UserCode) -> ModuleType:
    path, root = code.path, code.root
    if root == path.parent or is_held(path):
        return _import_by_path(path, code)
    name = _join_dotted_name(path, root)
    prefer_own_module(code, name, ())
    top = sys.modules.get(name.partition(".")[0])
    if top is not None and not any(map(code.is_user, getattr(top, "__path__", ()))):
        return _import_by_path(path, code)
    return _import_in_package(name, root)


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
            sys.modules[parent] = make_bare_package(parent, root.joinpath(*parent.split(".")))
            found = True
    return found


def _join_dotted_name(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _import_by_path(path: Path, code: UserCode) -> ModuleType:
    name = path.stem
    taken = name in sys.modules or name in sys.stdlib_module_names
    taken = taken or is_held(path)  # no import finds a notebook: of that name it is a package
    if taken or any(_is_folder_of(folder, name) for folder in list_import_folders(code)):
        name = f"checked_{name}"
    loader = NotebookLoader(name, str(path)) if is_held(path) else None
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _is_folder_of(folder: Path, name: str) -> bool:
    """Whether a folder of modules has that name, which others import from."""
    return folder.name == name or (folder / name).is_dir()
