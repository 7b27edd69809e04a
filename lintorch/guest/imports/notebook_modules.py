"""Notebooks as modules: this side is told the text of their cells, and runs what of it defines things.

No cell is guarded by `if __name__ == "__main__"`: to run them all would train and download.
"""

from __future__ import annotations

import io
import linecache
from importlib.machinery import SourceFileLoader
from pathlib import Path

from lintorch.guest.imports.definitions_only import run_definitions_only

_texts: dict[str, bytes] = {}


def hold_modules(texts: dict[str, str]) -> None:
    """Have these files read as these texts from now on: modules of cells by the paths of notebooks."""
    for path, text in texts.items():
        _texts[path] = text.encode()
        lines = io.StringIO(text, newline=None).readlines()
        linecache.cache[path] = (len(text), None, lines, path)
        run_definitions_only(path, slow=False, strict=True)


def is_held(path: Path) -> bool:
    """Whether a file is a notebook whose module is known."""
    return str(path) in _texts


def read_source(path: str | Path) -> bytes:
    """The Python text of a file. Raises OSError."""
    held = _texts.get(str(path))
    return Path(path).read_bytes() if held is None else held


class NotebookLoader(SourceFileLoader):
    """Loads the module of a notebook, and no compiled file that a script of that name left."""

    def get_data(self, path: str) -> bytes:
        """The text of the module."""
        return read_source(path)

    def path_stats(self, path: str) -> dict[str, float]:
        """None, so that nothing compiled is looked for. Raises OSError."""
        raise OSError(f"{path} is no file of Python")
