"""An open notebook as the editor tells of it: the order of its cells, and their texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lsprotocol import types

from lintorch.server.documents import OpenDocument, Units, change_text, open_notebook


@dataclass(frozen=True)
class Notebook:
    """A notebook at one version; `texts` are by the address of a cell."""

    uri: str
    path: str
    cells: tuple[types.NotebookCell, ...]
    texts: Mapping[str, str]

    def as_document(self) -> OpenDocument:
        """Its cells of code as one module."""
        code = [cell for cell in self.cells if cell.kind == types.NotebookCellKind.Code]
        pairs = [(cell.document, self.texts.get(cell.document, "")) for cell in code]
        return open_notebook(self.uri, self.path, pairs)

    def change(self, change: types.NotebookDocumentChangeEvent, units: Units) -> Notebook:
        """The notebook after what the editor tells of it."""
        cells, texts = list(self.cells), dict(self.texts)
        told = change.cells
        if told is None:
            return self
        if told.structure is not None:
            array = told.structure.array
            cells[array.start : array.start + array.delete_count] = array.cells or []
            texts |= {each.uri: each.text for each in told.structure.did_open or ()}
        for each in told.text_content or ():
            text = texts.get(each.document.uri, "")
            for piece in each.changes:
                text = change_text(text, piece, units)
            texts[each.document.uri] = text
        return replace(self, cells=tuple(cells), texts=texts)


def read_notebook(params: types.DidOpenNotebookDocumentParams, path: str) -> Notebook:
    """A notebook that was opened."""
    told = params.notebook_document
    texts = {each.uri: each.text for each in params.cell_text_documents}
    return Notebook(told.uri, path, tuple(told.cells), texts)
