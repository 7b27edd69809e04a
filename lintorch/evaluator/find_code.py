"""Finds the files of modules by name: in the project, and in the folders of installed packages."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import lru_cache

from lintorch.evaluator.code_files import CodeFile

_FOREIGN = frozenset(
    {"torch", "numpy", "scipy", "pandas", "matplotlib", "cv2", "PIL", "tensorflow"}
)
"""Packages that are never entered: what they do is known by name, or not at all."""


_KEPT = 128
"""Files that are kept with their trees, for other files that import them."""


@lru_cache(_KEPT)
def _share_file(path: str, text: str, module: str, package: str, checked: bool) -> CodeFile:
    return CodeFile(path, text, module, package, checked)


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
        self._roots[path] = tuple(dict.fromkeys([folder, own, os.getcwd()]))
        return _share_file(path, text, module, package, self._checked(path))

    def find_module(self, dotted: str, importer: CodeFile) -> CodeFile | None:
        """The file of a module that a file imports."""
        roots = self._roots.get(importer.path, ())
        key = (dotted, roots[0] if roots else "")
        if key not in self._found:
            self._found[key] = self._search(dotted, roots)
        return self._found[key]

    def _search(self, dotted: str, roots: Sequence[str]) -> CodeFile | None:
        top = dotted.partition(".")[0]
        if top in _FOREIGN or not dotted:
            return None
        relative = dotted.replace(".", os.sep)
        for root in (*roots, *self._installed):
            for ending in (f"{relative}.py", os.path.join(relative, "__init__.py")):
                path = os.path.join(root, ending)
                self._looked(path)
                if os.path.isfile(path):
                    return self.open_file(path)
        return None
