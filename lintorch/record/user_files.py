"""Which files are the user's: told alike on both sides of the wall. Imports no torch."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

_FOREIGN = ("site-packages", "dist-packages")
_OURS = str(Path(__file__).resolve().parents[1]) + os.sep


class UserFiles:
    """The user's files: those checked, and what lies beside them in their packages and project.

    `checked` maps the real path of each checked file to the path it was given by; `roots` are
    folders of the project. Installed packages are the user's only where a checked file is inside.
    """

    def __init__(self, checked: Mapping[str, str], roots: Iterable[str]) -> None:
        self._checked = dict(checked)
        self._roots = tuple(root.rstrip(os.sep) + os.sep for root in roots)
        self._known: dict[str, bool] = {}
        self._shown = dict.fromkeys(checked.values(), True)

    @property
    def checked(self) -> tuple[str, ...]:
        """The real paths of the files that are checked."""
        return tuple(self._checked)

    def is_user(self, filename: str) -> bool:
        """Whether a file is the user's."""
        known = self._known.get(filename)
        if known is None:
            known = self._known[filename] = self._judge(filename)
        return known

    def shown(self, filename: str) -> str:
        """A path as the user gave it, else whole: the project need not be the working directory."""
        real = os.path.realpath(filename)
        return self._checked.get(real, real)

    def is_shown(self, path: str) -> bool:
        """Whether a path is as `shown` gives those of the user's files."""
        if path not in self._shown:
            self._shown[path] = os.path.isabs(path) and self.is_user(path)
        return self._shown[path]

    def _judge(self, filename: str) -> bool:
        if filename.startswith("<"):
            return False
        real = _real_path(filename)
        if real in self._checked:
            return True
        if real.startswith((_OURS, _torch_folder())):
            return False
        inside = (real.removeprefix(root) for root in self._roots if real.startswith(root))
        return any(not set(_FOREIGN).intersection(path.split(os.sep)) for path in inside)


def _torch_folder() -> str:
    where = getattr(sys.modules.get("torch"), "__file__", None)
    return _folder_around(where) if where else "\0"


@cache
def _folder_around(path: str) -> str:
    return os.path.dirname(os.path.realpath(path)) + os.sep


def _real_path(filename: str) -> str:
    """As os.path.realpath, which looks at all folders above anew: at those of 2,000 modules, per run."""
    folder, name = os.path.split(filename)
    if not os.path.isabs(filename) or name in ("", ".", "..") or os.path.islink(filename):
        try:
            return os.path.realpath(filename)
        except OSError:  # the working directory is gone
            return filename
    return os.path.join(_real_folder(folder), name)


@cache
def _real_folder(folder: str) -> str:
    return os.path.realpath(folder)


def user_files_of(checked: Mapping[str, str], project: str) -> UserFiles:
    """The user's files: `checked` maps the real path of each checked file to the path as given."""
    return UserFiles(checked, project_roots(checked, project))


def project_roots(checked: Mapping[str, str], project: str) -> set[str]:
    """The folders that are the user's: the project, and the packages around the checked files."""
    return {project, *(str(_package(Path(path))) for path in checked)}


def package_root(path: Path) -> Path:
    """The folder that must be on sys.path for the file's dotted name to be importable."""
    folder = path.parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return folder


def _package(path: Path) -> Path:
    """The outermost package that holds a file; a file outside of packages holds only itself."""
    root = package_root(path)
    return root / path.relative_to(root).parts[0]
