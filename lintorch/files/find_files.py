"""Which files to look at: those given, and the Python files in folders given."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lintorch.files.gitignore import IgnoreRules, read_rules_above
from lintorch.files.patterns import Patterns
from lintorch.files.python_files import NOTEBOOK, why_unread

DEFAULT_EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".hypothesis", ".ipynb_checkpoints",
    ".mypy_cache", ".nox", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache",
    ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build", "buck-out",
    "build", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
SUFFIX = ".py"
_APPLE_DOUBLE = "._"
"""What macOS keeps beside a file on other disks: `._model.py` holds its icon, not its text."""


@dataclass(frozen=True)
class Found:
    """A file to look at; `given` where the user named it, not only a folder it is in."""

    path: str
    given: bool = False


@dataclass(frozen=True)
class Missing:
    """A path that is not there, or a folder that cannot be listed."""

    path: str
    cause: str


@dataclass(frozen=True)
class Skipped:
    """A file given by name that is no Python, or a notebook in a folder."""

    path: str
    cause: str
    given: bool = False


@dataclass(frozen=True)
class _Walk:
    root: str
    exclude: Patterns
    notebooks: bool = False
    seen: set[str] = field(default_factory=set)

    def is_excluded(self, real: str, folder: bool) -> bool:
        """Whether the settings leave a path out, apart from the folders it lies in."""
        return bool(self.exclude.decide_path(self.relative_path(real), folder))

    def relative_path(self, real: str) -> str:
        """The path below the settings' folder; without its leading slash elsewhere."""
        inner = real.removeprefix(self.root) if real.startswith(self.root + os.sep) else real
        return inner.replace(os.sep, "/").lstrip("/")

    def is_met_first(self, real: str) -> bool:
        """Whether a real path was not met before."""
        known = real in self.seen
        self.seen.add(real)
        return not known


def find_files(
    paths: Iterable[str],
    exclude: Iterable[str] = DEFAULT_EXCLUDE,
    root: str = ".",
    force: bool = False,
    notebooks: bool = False,
) -> Iterator[Found | Missing | Skipped]:
    """Each file once, in the order given and by name within folders.

    `exclude` holds patterns as in a `.gitignore` of the folder `root`. What is given by name is
    looked at even where a pattern or git leaves it out, unless `force` holds it to `exclude`.
    Links to folders are followed only where given. Notebooks are skipped unless they are asked for.
    """
    walk = _Walk(os.path.realpath(root), Patterns(tuple(exclude)), notebooks)
    for given in paths:
        real = os.path.realpath(given)
        if force and walk.exclude.covers_file(walk.relative_path(real)):
            continue
        if os.path.isdir(real):
            shown = "" if os.path.normpath(given) == "." else _bare_path(given)
            yield from _walk_folder(shown, real, read_rules_above(real), walk)
        elif not os.path.exists(real):
            yield Missing(given, "no such file or folder")
        elif walk.is_met_first(real):
            cause, path = why_unread(given, notebooks), _bare_path(given)
            yield Skipped(path, cause, given=True) if cause else Found(path, given=True)


def _walk_folder(
    shown: str, real: str, ignored: IgnoreRules, walk: _Walk
) -> Iterator[Found | Missing | Skipped]:
    if not walk.is_met_first(real):
        return
    try:
        with os.scandir(real) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        yield Missing(shown or ".", error.strerror or str(error))
        return
    ignored = ignored.rules_within(real)
    for entry in entries:
        folder = entry.is_dir(follow_symlinks=False)
        if not folder and (
            not entry.name.endswith((SUFFIX, NOTEBOOK)) or entry.name.startswith(_APPLE_DOUBLE)
        ):
            continue
        if walk.is_excluded(entry.path, folder) or ignored.is_ignored(entry.path, folder):
            continue
        path = os.path.join(shown, entry.name)
        if folder:
            yield from _walk_folder(path, entry.path, ignored, walk)
        elif entry.is_file() and walk.is_met_first(_real_path(entry)):
            skipped = entry.name.endswith(NOTEBOOK) and not walk.notebooks
            yield Skipped(path, why_unread(path)) if skipped else Found(path)


def _real_path(entry: os.DirEntry[str]) -> str:
    return os.path.realpath(entry.path) if entry.is_symlink() else entry.path


def _bare_path(given: str) -> str:
    """Without `./` before and slashes behind."""
    separators = os.sep + (os.altsep or "")
    while given.startswith(".") and given[1:2] in tuple(separators):
        given = given[1:].lstrip(separators)
    return given.rstrip(separators) or given
