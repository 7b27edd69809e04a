"""Runs a model because somebody clicked, shows how far that is, and stops it where that is asked."""

from __future__ import annotations

import os
import uuid
from collections import defaultdict

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lintorch.core.finding import Finding
from lintorch.files import FileText, is_notebook, read_file
from lintorch.run.request import CheckRequest
from lintorch.server.documents import OpenDocument
from lintorch.server.jobs import Ran, RunJob
from lintorch.server.own_process import OwnProcess, ProcessLost
from lintorch.server.session import Session

_UNSAVED = "is not saved: models are run as they lie on disk"


class ModelRuns:
    """Runs models of open files, one process for each, and none twice at a time."""

    def __init__(self, server: LanguageServer, session: Session, request: CheckRequest) -> None:
        self._server, self._session, self._request = server, session, request
        self._running: dict[tuple[str, str], OwnProcess] = {}

    async def run(self, document: OpenDocument, name: str, exports: bool) -> None:
        """Run a model, export it where asked, and let its file say what came of that."""
        path = document.path
        if problem := self._why_not(document, name):
            self._say(problem, types.MessageType.Warning)
            return
        process = OwnProcess(self._request)
        self._running[path, name] = process
        token = await self._begin(f"lintorch: {'export' if exports else 'trace'} {name}", process)
        try:
            known = self._session.findings_of(document)
            job = RunJob(path, name, exports, known)
            answer = await process.ask(job, tell=lambda line: self._report(token, line))
            ended = self._take(document, name, answer.value, answer.defect) if answer else ""
        except ProcessLost:
            ended = "stopped"
        finally:
            del self._running[path, name]
            process.end()
        if token:
            self._server.work_done_progress.end(token, types.WorkDoneProgressEnd(message=ended))

    def end(self) -> None:
        """End all runs."""
        for process in self._running.values():
            process.end_and_wait()

    def _why_not(self, document: OpenDocument, name: str) -> str:
        if (document.path, name) in self._running:
            return f"{name} is running"
        if is_notebook(document.path):
            return "models of notebooks are not run: to have one, all cells would have to run"
        lies = read_file(document.path)
        saved = isinstance(lies, FileText) and lies.text == document.text.text
        return "" if saved else f"{os.path.basename(document.path)} {_UNSAVED}"

    def _take(self, document: OpenDocument, name: str, ran: object, defect: str) -> str:
        """Hand findings to the session; a few words on how it ended."""
        if not isinstance(ran, Ran):
            self._say(f"{name} was not run: {defect}", types.MessageType.Error)
            return "failed"
        by_path: dict[str, list[Finding]] = defaultdict(list)
        for finding in ran.findings:
            by_path[os.path.abspath(finding.place.path)].append(finding)
        for path in {document.path, *by_path}:
            lies = read_file(path)
            text = lies.text if isinstance(lies, FileText) else ""
            self._session.take_run(path, f"{document.path}:{name}", text, tuple(by_path[path]))
        for line in ran.lines:
            self._server.window_log_message(
                types.LogMessageParams(types.MessageType.Info, f"lintorch: {line}")
            )
        for error in ran.errors:
            self._say(error, types.MessageType.Error)
        return "not run" if ran.errors else "done"

    async def _begin(self, title: str, process: OwnProcess) -> str:
        """A token to show progress by; "" where the editor shows none."""
        window = self._server.client_capabilities.window
        if window is None or not window.work_done_progress:
            return ""
        token, progress = str(uuid.uuid4()), self._server.work_done_progress
        await progress.create_async(token)
        progress.tokens[token].add_done_callback(lambda _: process.end())
        progress.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
        return token

    def _report(self, token: str, line: str) -> None:
        if token:
            report = types.WorkDoneProgressReport(message=line, cancellable=True)
            self._server.work_done_progress.report(token, report)

    def _say(self, text: str, kind: types.MessageType) -> None:
        self._server.window_show_message(types.ShowMessageParams(kind, f"lintorch: {text}"))
