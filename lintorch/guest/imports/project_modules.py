"""Finds the project's own modules, wherever scripts of it put them on their path."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType

from lintorch.guest.imports.user_frames import UserCode

_MOST_FOLDERS = 3000
"""Folders of a project that are looked into, at most."""
_PASSED_OVER = {"site-packages", "dist-packages", "node_modules", "__pycache__", "build", "dist"}
_USUAL = ("src", "lib", "source", "python")
"""Folders of a project whose modules are imported without their name."""


def list_import_folders(code: UserCode) -> list[Path]:
    """Folders whose modules a script of the project may import, nearest first."""
    project, folder = code.project, code.path.parent
    around = [each for each in (folder, *folder.parents) if project in (each, *each.parents)]
    return list(dict.fromkeys([code.root, *around, project, *(project / name for name in _USUAL)]))


def prefer_own_module(code: UserCode, name: str, wanted: Collection[str]) -> None:
    """Load the project's own module where the name's first part is also that of an installed one.

    Of several of that name it is the nearest that holds what is `wanted` of it.
    """
    top = name.partition(".")[0]
    if top in sys.modules:
        return
    folders = list_import_folders(code)
    if top in sys.stdlib_module_names:
        folders = folders[:1]
    if own := [folder for folder in folders if _can_resolve(folder, name, wanted)]:
        fitting = (folder for folder in own if _holds_names(folder, name, wanted))
        folder = next(fitting, None) or _find_folder(code, name, wanted, str(code.path)) or own[0]
        _load_top(top, folder)


def find_own_module(code: UserCode, name: str, wanted: Collection[str], importer: str) -> bool:
    """Make a module importable that lies anywhere in the project; whether there is one."""
    top = name.partition(".")[0]
    folder = _find_folder(code, name, wanted, importer) or _find_folder(code, name, (), importer)
    if folder is None:
        return _name_project(code, name, wanted)
    known = sys.modules.get(top)
    if known is None:
        return _load_top(top, folder)
    if not code.is_user(getattr(known, "__file__", None) or f"{folder}/{top}"):
        return False
    inside = [*getattr(known, "__path__", ()), str(folder / top)]
    known.__path__ = list(dict.fromkeys(inside))
    return True


def _name_project(code: UserCode, name: str, wanted: Collection[str]) -> bool:
    """Take the project's root for a package of a name that its folder has elsewhere: `Tacotron.text`; whether it holds that."""
    top, _, rest = name.partition(".")
    if not rest or top in sys.modules or not _can_resolve(code.project, rest, wanted):
        return False
    if not _holds_names(code.project, rest, wanted):
        return False  # `from sklearn.utils import shuffle` where the project has a `utils`, too
    sys.modules[top] = make_bare_package(top, code.project)
    return True


def make_bare_package(name: str, folder: Path) -> ModuleType:
    """A package of this name whose modules lie in a folder, and that runs nothing of its own."""
    spec = ModuleSpec(name, None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    return module_from_spec(spec)


def _find_folder(code: UserCode, name: str, wanted: Collection[str], importer: str) -> Path | None:
    """The folder of the project, nearest to a file, that has such a module with what is wanted of it."""
    near = os.path.dirname(os.path.realpath(importer))
    found = [
        each
        for each in map(Path, _list_folders(os.path.realpath(code.project)))
        if _can_resolve(each, name, wanted) and _holds_names(each, name, wanted)
    ]
    return min(
        found,
        key=lambda each: (-len(os.path.commonpath([each, near])), len(each.parts)),
        default=None,
    )


def _holds_names(folder: Path, name: str, wanted: Collection[str]) -> bool:
    """Whether the text of a module mentions each name that is wanted of it, or it is a module below."""
    module = folder.joinpath(*name.split("."))
    below = list(module.glob("*.py"))
    text = _read_texts([module.with_name(f"{module.name}.py"), module / "__init__.py"])
    if re.search(r"import \*|__getattr__", text):
        text += _read_texts(below)
    known = {*re.findall(r"\w+", text), *(each.stem for each in below)}
    return all(each in known or (module / each).is_dir() for each in wanted)


def _read_texts(files: Iterable[Path]) -> str:
    return "\n".join(each.read_text("utf-8", "replace") for each in files if each.is_file())


def _load_top(top: str, folder: Path) -> bool:
    """Load a top-level module from this folder and no other; whether that is done."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    spec = PathFinder.find_spec(top, [str(folder)])
    if spec is None:
        return False
    module = module_from_spec(spec)
    sys.modules[top] = module
    try:
        if spec.loader is not None:
            spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(top, None)
        raise
    return True


def _can_resolve(folder: Path, name: str, wanted: Collection[str]) -> bool:
    """Whether the whole dotted name is a module below the folder, or a folder that holds one that is wanted."""
    *parents, last = name.split(".")
    inside = folder.joinpath(*parents)
    if (inside / f"{last}.py").is_file() or (inside / last / "__init__.py").is_file():
        return True
    return any((inside / last / f"{each}.py").is_file() for each in wanted)


@cache
def _list_folders(project: str) -> tuple[str, ...]:
    return tuple(
        folder for folder, _ in zip(_walk_folders(project), range(_MOST_FOLDERS), strict=False)
    )


def _walk_folders(project: str) -> Iterator[str]:
    for folder, inner, _ in os.walk(project):
        inner[:] = sorted(n for n in inner if n not in _PASSED_OVER and not n.startswith("."))
        yield folder
