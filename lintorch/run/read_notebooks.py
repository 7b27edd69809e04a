"""Notebooks whose models run: the texts of their modules, and where their cells begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lintorch.core.cell_rows import CellRows
from lintorch.files import FileText, UnreadableFile, is_notebook, read_file

NotebookTexts = Mapping[str, FileText | UnreadableFile]
"""What was read, by path."""


def read_notebooks(paths: Iterable[str]) -> NotebookTexts:
    """Those of the files that are notebooks."""
    return {path: read_file(path) for path in paths if is_notebook(path)}


def find_cell_rows(texts: NotebookTexts) -> CellRows:
    """Where the cells of the notebooks among these begin."""
    notebooks = [path for path in texts if is_notebook(path)]
    if not notebooks:
        return CellRows()
    from lintorch.files.notebook_text import NotebookText

    return CellRows(
        {
            path: tuple((cell.row, cell.number, cell.head.count("\n")) for cell in text.cells)
            for path in notebooks
            if isinstance(text := texts[path], NotebookText)
        }
    )
