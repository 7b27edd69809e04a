"""Finds the files of modules by name: in the project, and in the folders of installed packages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import chain

from lintorch.core.code_tree import ANY_BELOW, is_guide, walk_code
from lintorch.core.file_views import Stamp, count_looks, read_bytes, stamp_file
from lintorch.core.import_roots import list_import_roots, list_module_places
from lintorch.core.kept_by_size import keep_by_size
from lintorch.evaluator.code_files import CodeFile
from lintorch.evaluator.guide_code import read_guide

_FOREIGN = frozenset(
    {"torch", "numpy", "scipy", "pandas", "matplotlib", "cv2", "PIL", "tensorflow"}
)
"""Packages that are never entered: what they do is known by name, or not at all."""


_KEPT = 1_500_000
"""Characters of files that are kept with their trees, for other files that import them."""


def _count_text(path: str, text: str, *more: object) -> int:
    return len(text)


@keep_by_size(_KEPT, _count_text)
def _share_file(path: str, text: str, module: str, package: str, checked: bool) -> CodeFile:
    return CodeFile(path, text, module, package, checked)


_MOST_CALLERS = 3
_MOST_READERS = 30
_CALL = re.compile(r"([A-Z](?<!\w.)\w*)(?:\(| as (?!e:)\w)")
"""Names in capitals that are called, or imported to be called by another name.

What can begin one comes first, so that most of a text is skipped.
"""


def list_callers(folder: str) -> Mapping[str, Sequence[str]]:
    """By the name of a class: the files in and below a folder that call it, READMEs among them."""
    return _list_callers(folder, count_looks())


@lru_cache(maxsize=16)
def _list_callers(folder: str, looks: int) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for whole in walk_code(folder):
        for name in _list_called(whole, stamp_file(whole)):
            found.setdefault(name, []).append(whole)
    return found


@lru_cache(maxsize=3000)
def _list_called(path: str, stamp: Stamp) -> Sequence[str]:
    """The names in capitals that a file calls, each once."""
    text = _read(path).decode("utf-8", errors="replace")
    return tuple(dict.fromkeys(_CALL.findall(read_guide(text) if is_guide(path) else text)))


@lru_cache(maxsize=1000)
def _search_text(folder: str, pattern: bytes, looks: int) -> Sequence[str]:
    """The files in which something is found: asked for rarely, so each by itself."""
    found = re.compile(pattern)
    return tuple(whole for whole in walk_code(folder) if found.search(_read(whole)))


def _search_callers(folder: str, name: str) -> Sequence[str]:
    """The files that call a class in small letters, not as a method."""
    called = rb"(?<![\w.])(?<!class )(?<!def )" + re.escape(f"{name}(".encode())
    return _search_text(folder, called, count_looks())


def _search_readers(folder: str, name: str) -> Sequence[str]:
    """The files that read an attribute."""
    return _search_text(folder, rb"\." + re.escape(name.encode()) + rb"\b", count_looks())


def _read(path: str) -> bytes:
    try:
        return read_bytes(path)
    except OSError:
        return b""


def _is_same(left: str, right: str) -> bool:
    return os.path.abspath(left) == os.path.abspath(right)


class CodeFinder:
    """Reads each file once. `read` gives the text of a path, None where there is none."""

    def __init__(
        self,
        read: Callable[[str], str | None],
        installed: Sequence[str] = (),
        checked: Callable[[str], bool] = lambda path: True,
        looked: Callable[[str], None] = lambda path: None,
    ) -> None:
        """`looked` is told each place at which a file was looked for."""
        self._looked = looked
        self._read = read
        self._installed = tuple(installed)
        self._checked = checked
        self._files: dict[str, CodeFile | None] = {}
        self._found: dict[tuple[str, str], CodeFile | None] = {}
        self._roots: dict[str, tuple[str, ...]] = {}

    def open_file(self, path: str) -> CodeFile | None:
        """The file at a path."""
        if path not in self._files:
            text = self._read(path)
            self._files[path] = None if text is None else self._make_file(path, text)
        return self._files[path]

    def _make_file(self, path: str, text: str) -> CodeFile:
        folder, stem = os.path.split(os.path.abspath(path))
        parts = [] if stem == "__init__.py" else [stem.removesuffix(".py")]
        while os.path.exists(os.path.join(folder, "__init__.py")):
            folder, name = os.path.split(folder)
            parts.insert(0, name)
        module = ".".join(parts)
        package = module if stem == "__init__.py" else module.rpartition(".")[0]
        own = os.path.dirname(os.path.abspath(path))
        self._roots[path] = list_import_roots(folder, own)
        return _share_file(path, text, module, package, self._checked(path))

    def find_module(self, dotted: str, importer: CodeFile) -> CodeFile | None:
        """The file of a module that a file imports."""
        roots = self._roots.get(importer.path, ())
        key = (dotted, roots[0] if roots else "")
        if key not in self._found:
            self._found[key] = self._search(dotted, roots)
        return self._found[key]

    def find_callers(self, name: str, file: CodeFile) -> Sequence[CodeFile]:
        """A few files of the same project that call a class by its name: scripts first, a README last."""
        top, here = self._roots.get(file.path, ("",))[0], os.getcwd()
        if os.path.abspath(file.path).startswith(here + os.sep):
            top = here
        self._looked(os.path.join(top, ANY_BELOW))
        known = list_callers(top).get(name, ())
        calling = known if name[:1].isupper() else _search_callers(top, name)
        paths = [each for each in calling if not _is_same(each, file.path)]
        paths.sort(key=lambda each: (os.path.dirname(each) != top, len(each)))
        guides = [each for each in paths if is_guide(each)]
        scripts = [each for each in paths if not is_guide(each)]
        found = [self.open_file(path) for path in scripts[:_MOST_CALLERS]]
        found += [self._open_guide(path, name) for path in guides[:1]]
        return [each for each in found if each is not None]

    def find_readers(self, name: str, file: CodeFile) -> Sequence[CodeFile]:
        """The files of the same project that read an attribute of this name; () where these are many."""
        top = self._roots.get(file.path, ("",))[0]
        self._looked(os.path.join(top, ANY_BELOW))
        paths = [each for each in _search_readers(top, name) if not is_guide(each)]
        opened = map(self.open_file, paths) if len(paths) <= _MOST_READERS else ()
        return [each for each in opened if each is not None]

    def _open_guide(self, path: str, name: str) -> CodeFile | None:
        """What a README shows of a class."""
        text = self._read(path)
        return None if text is None else self._make_file(path, read_guide(text, name))

    def _search(self, dotted: str, roots: Sequence[str]) -> CodeFile | None:
        top = dotted.partition(".")[0]
        if top in _FOREIGN or not dotted:
            return None
        installed = list_module_places(dotted, self._installed, len(self._installed))
        for path in chain(list_module_places(dotted, roots), installed):
            self._looked(path)
            if os.path.isfile(path):
                return self.open_file(path)
        return None
