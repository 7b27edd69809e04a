"""Takes what the editor tells of files: opened, changed, saved, closed, changed by others."""

from __future__ import annotations

import os
from urllib.parse import unquote

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from lintorch.server.documents import OpenDocument, Units, change_text, open_file
from lintorch.server.notebooks import Notebook, read_notebook
from lintorch.server.session import Session
from lintorch.settings.settings_files import FILES

_WATCHED = (*(f"**/{name}" for name in FILES), "**/*.py", "**/*.ipynb")


class Desk:
    """The documents of the editor by address, as the session has them by path."""

    def __init__(self, server: LanguageServer, session: Session) -> None:
        self._server, self._session = server, session
        self._paths: dict[str, str] = {}
        self._notebooks: dict[str, Notebook] = {}

    @property
    def units(self) -> Units:
        """How the editor counts columns."""
        return self._server.workspace.position_codec.client_num_units

    def find_document(self, uri: str) -> OpenDocument | None:
        """The open document that an address, of a file or a cell, belongs to."""
        return self._session.documents.get(self._paths.get(uri, ""))

    def open_text(self, params: types.DidOpenTextDocumentParams) -> None:
        """A file is opened."""
        told = params.text_document
        self._update(open_file(told.uri, _find_path(told.uri), told.text, told.version))

    def change_text(self, params: types.DidChangeTextDocumentParams) -> None:
        """A file is changed in the editor."""
        told = params.text_document
        if document := self.find_document(told.uri):
            text = document.text.text
            for change in params.content_changes:
                text = change_text(text, change, self.units)
            self._update(open_file(told.uri, document.path, text, told.version))

    def save_text(self, params: types.DidSaveTextDocumentParams) -> None:
        """A file is saved: settings may have been, too."""
        if document := self.find_document(params.text_document.uri):
            self._session.look_soon(document.path, 0)

    def close_text(self, params: types.DidCloseTextDocumentParams) -> None:
        """A file is closed."""
        self._close(params.text_document.uri)

    def open_notebook(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """A notebook is opened."""
        uri = params.notebook_document.uri
        self._notebooks[uri] = read_notebook(params, _find_path(uri))
        self._update(self._notebooks[uri].as_document())

    def change_notebook(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Cells of a notebook are changed, moved, added or taken out."""
        uri = params.notebook_document.uri
        if uri in self._notebooks:
            self._notebooks[uri] = self._notebooks[uri].change(params.change, self.units)
            self._update(self._notebooks[uri].as_document())

    def close_notebook(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """A notebook is closed."""
        self._notebooks.pop(params.notebook_document.uri, None)
        self._close(params.notebook_document.uri)

    def meet_changes(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Files were changed by others; where some came or went, modules may be found elsewhere."""
        kinds = {change.type for change in params.changes}
        self._session.look_at_all(afresh=kinds != {types.FileChangeType.Changed})

    def enter_folder(self, params: types.InitializeParams) -> None:
        """Work in the editor's folder: settings, excludes and imports of scripts count from there."""
        root = self._server.workspace.root_path
        folders = [to_fs_path(each.uri) for each in params.workspace_folders or ()]
        for folder in (root, *folders):
            if folder and os.path.isdir(folder):
                os.chdir(folder)
                return

    def watch_files(self, params: types.InitializedParams) -> None:
        """Ask the editor to tell of files that change."""
        workspace = self._server.client_capabilities.workspace
        watches = workspace and workspace.did_change_watched_files
        if not (watches and watches.dynamic_registration):
            return
        watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
        options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        registration = types.Registration("lintorch-files", method, options)
        self._server.client_register_capability(types.RegistrationParams([registration]))

    def _update(self, document: OpenDocument) -> None:
        gone = {uri for uri, path in self._paths.items() if path == document.path}
        for uri in gone - {document.uri, *(sheet.uri for sheet in document.sheets)}:
            del self._paths[uri]
            self._show_nothing(uri)
        uris = (document.uri, *(sheet.uri for sheet in document.sheets))
        self._paths |= dict.fromkeys(uris, document.path)
        self._session.update(document)

    def _close(self, uri: str) -> None:
        path = self._paths.get(uri, "")
        self._session.close(path)
        for each in [each for each, found in self._paths.items() if found == path]:
            del self._paths[each]
            self._show_nothing(each)

    def _show_nothing(self, uri: str) -> None:
        self._server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def _find_path(uri: str) -> str:
    """The path of an address; of one that is no file's, a name in the working directory."""
    scheme, _, rest = uri.partition(":")
    path = to_fs_path(uri) if scheme == "file" else None
    return os.path.abspath(path or os.path.basename(unquote(rest)) or "untitled.py")
