"""What of the protocol the server answers, and who does that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lintorch import __version__
from lintorch.core.finding import Finding
from lintorch.run.request import CheckRequest
from lintorch.server.actions import FIX_ALL
from lintorch.server.answers import EXPORT, TRACE, Answers
from lintorch.server.desk import Desk
from lintorch.server.diagnostics import make_diagnostics
from lintorch.server.documents import OpenDocument
from lintorch.server.model_runs import ModelRuns
from lintorch.server.session import Session

_NOTEBOOKS = types.NotebookDocumentSyncOptions(
    [
        types.NotebookDocumentFilterWithNotebook(
            types.NotebookDocumentFilterNotebookType("jupyter-notebook"),
            [types.NotebookCellLanguage("python")],
        )
    ]
)
_ACTIONS = types.CodeActionOptions([types.CodeActionKind.QuickFix, *FIX_ALL])


def make_server(request: CheckRequest) -> tuple[LanguageServer, list[Callable[[], None]]]:
    """A server, and what is to be called when it ends."""
    server = LanguageServer(
        "lintorch",
        __version__,
        text_document_sync_kind=types.TextDocumentSyncKind.Full,  # it counts lines as Python does
        notebook_document_sync=_NOTEBOOKS,
    )

    def say(problem: str) -> None:
        message = types.ShowMessageParams(types.MessageType.Error, f"lintorch: {problem}")
        server.window_show_message(message)

    def show(
        document: OpenDocument, findings: tuple[Finding, ...], urls: Mapping[str, str]
    ) -> None:
        for uri, found in make_diagnostics(document, findings, urls, desk.units).items():
            told = types.PublishDiagnosticsParams(uri, found, document.version)
            server.text_document_publish_diagnostics(told)

    session = Session(request, show, say)
    desk = Desk(server, session)
    runs = ModelRuns(server, session, request)
    _register_desk(server, desk)
    _register_answers(server, Answers(desk, session))
    _register_runs(server, desk, runs)
    return server, [runs.end, session.end]


# pygls writes a mark on each function, which a bound method takes only as a partial


def _register_desk(server: LanguageServer, desk: Desk) -> None:
    server.feature(types.INITIALIZE)(partial(desk.enter_folder))
    server.feature(types.INITIALIZED)(partial(desk.watch_files))
    server.feature(types.TEXT_DOCUMENT_DID_OPEN)(partial(desk.open_text))
    server.feature(types.TEXT_DOCUMENT_DID_CHANGE)(partial(desk.change_text))
    server.feature(types.TEXT_DOCUMENT_DID_SAVE)(partial(desk.save_text))
    server.feature(types.TEXT_DOCUMENT_DID_CLOSE)(partial(desk.close_text))
    server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)(partial(desk.open_notebook))
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)(partial(desk.change_notebook))
    server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)(partial(desk.close_notebook))
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(partial(desk.meet_changes))


def _register_answers(server: LanguageServer, answers: Answers) -> None:
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, _ACTIONS)(partial(answers.list_actions))
    server.feature(types.TEXT_DOCUMENT_HOVER)(partial(answers.explain))
    server.feature(types.TEXT_DOCUMENT_CODE_LENS)(partial(answers.list_lenses))


def _register_runs(server: LanguageServer, desk: Desk, runs: ModelRuns) -> None:
    async def trace(uri: str, name: str) -> None:
        if document := desk.find_document(uri):
            await runs.run(document, name, exports=False)

    async def export(uri: str, name: str) -> None:
        if document := desk.find_document(uri):
            await runs.run(document, name, exports=True)

    server.command(TRACE)(trace)
    server.command(EXPORT)(export)
