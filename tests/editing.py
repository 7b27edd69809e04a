"""An editor that a program drives: a client of the protocol over standard input and output."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from running import CHECKOUT, OWN, warm_environment

SECONDS = 120
"""Until which something must have come."""
Shown = Sequence[types.Diagnostic]
T = TypeVar("T")


class Editor:
    """Runs `lintorch server` in a folder, and waits for what it shows."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.said: list[str] = []
        self.progress: list[Any] = []
        self._shown: dict[str, types.PublishDiagnosticsParams] = {}
        self._versions: dict[str, int] = {}
        self._told = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._run(self._start(options))

    async def _start(self, options: Sequence[str]) -> None:
        self.client = LanguageClient("tests", "1")
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._note_shown))
        self.client.feature(types.WINDOW_SHOW_MESSAGE)(partial(self._note_said))
        self.client.feature(types.PROGRESS)(partial(self._note_progress))
        self.client.feature(types.WINDOW_LOG_MESSAGE)(lambda told: None)
        self.client.feature(types.WINDOW_WORK_DONE_PROGRESS_CREATE)(lambda told: None)
        given = {
            **os.environ,
            **OWN,
            "PYTHONPATH": str(CHECKOUT),
            "VIRTUAL_ENV": str(warm_environment()),
        }
        command = [sys.executable, "-m", "lintorch", "server", *options]
        await self.client.start_io(*command, cwd=self.folder, env=given)
        window = types.WindowClientCapabilities(work_done_progress=True)
        can = types.ClientCapabilities(window=window)
        asked = types.InitializeParams(can, root_uri=self.folder.as_uri())
        self.capabilities = (await self.client.initialize_async(asked)).capabilities
        self.client.initialized(types.InitializedParams())

    def _note_shown(self, told: types.PublishDiagnosticsParams) -> None:
        with self._told:
            self._shown[told.uri] = told
            self._told.notify_all()

    def _note_said(self, told: types.ShowMessageParams) -> None:
        with self._told:
            self.said.append(told.message)
            self._told.notify_all()

    def _note_progress(self, told: types.ProgressParams) -> None:
        with self._told:
            self.progress.append((told.token, told.value))
            self._told.notify_all()

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(SECONDS)

    def ask(self, request: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The answer to a request."""
        return self.begin(request).result(SECONDS)

    def begin(self, request: Callable[[], Coroutine[Any, Any, T]]) -> Future[T]:
        """Ask without waiting."""

        async def wait() -> T:
            return await request()

        return asyncio.run_coroutine_threadsafe(wait(), self._loop)

    def tell(self, notify: Callable[[], None]) -> None:
        """Send a notification."""
        self._loop.call_soon_threadsafe(notify)

    def open(self, path: Path, text: str | None = None) -> str:
        """Open a file, as it lies on disk or with another text; its address."""
        uri, held = path.as_uri(), path.read_text("utf-8") if text is None else text
        item = types.TextDocumentItem(uri, "python", 1, held)
        self._versions[uri] = 1
        told = types.DidOpenTextDocumentParams(item)
        self.tell(lambda: self.client.text_document_did_open(told))
        return uri

    def change(self, uri: str, text: str) -> None:
        """Give an open file another text."""
        self._versions[uri] += 1
        identifier = types.VersionedTextDocumentIdentifier(self._versions[uri], uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        told = types.DidChangeTextDocumentParams(identifier, [whole])
        self.tell(lambda: self.client.text_document_did_change(told))

    def save(self, uri: str) -> None:
        """Say that a file was saved."""
        told = types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
        self.tell(lambda: self.client.text_document_did_save(told))

    def wait(
        self, uri: str, *lines: str, until: Callable[[Shown], bool] = lambda shown: True
    ) -> Shown:
        """What is shown of a document's newest text once it is this: `4 LT101` for each finding."""

        def came() -> bool:
            told = self._shown.get(uri)
            newest = told and told.version in (None, self._versions.get(uri))
            said = told is not None and newest and self._list_shown(uri) == [*lines]
            return told is not None and bool(said) and until(told.diagnostics)

        with self._told:
            assert self._told.wait_for(came, SECONDS), (
                f"{self._list_shown(uri)} is shown; said: {self.said}"
            )
            return self._shown[uri].diagnostics

    def _list_shown(self, uri: str) -> list[str]:
        shown = self._shown[uri].diagnostics if uri in self._shown else ()
        return [f"{each.range.start.line + 1} {each.code}" for each in shown]

    def wait_for_word(self, word: str) -> None:
        """Wait until a message holds a word."""
        with self._told:
            assert self._told.wait_for(lambda: any(word in m for m in self.said), SECONDS)

    def wait_for_progress(self, kind: str) -> Any:
        """The first word on progress that is a `begin`, `report` or `end`: its token and what it says."""
        with self._told:
            came = self._told.wait_for(lambda: self._find_progress(kind) is not None, SECONDS)
            assert came, f"{self.progress}; said: {self.said}"
            return self._find_progress(kind)

    def _find_progress(self, kind: str) -> Any:
        return next((each for each in self.progress if each[1]["kind"] == kind), None)

    def list_actions(
        self, uri: str, shown: Iterable[types.Diagnostic] = (), only: Sequence[str] | None = None
    ) -> Sequence[types.CodeAction]:
        """The actions at the first of these findings; without one, at the top of the file."""
        found = list(shown)
        top = types.Position(0, 0)
        where = found[0].range if found else types.Range(top, top)
        context = types.CodeActionContext(found, only)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), where, context)
        actions = self.ask(lambda: self.client.text_document_code_action_async(asked))
        return [each for each in actions or () if isinstance(each, types.CodeAction)]

    def leave(self, politely: bool = True) -> int:
        """End the server as editors do; its exit code."""

        async def end() -> int:
            if politely:
                await self.client.shutdown_async(None)
            self.client.exit(None)
            await self.client.stop()  # type: ignore[no-untyped-call]
            assert self.client._server is not None
            return await self.client._server.wait()

        code = self._run(end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        return code


def apply_edits(text: str, edits: Sequence[types.TextEdit]) -> str:
    """A text with edits put in; columns are characters, as in a text of ASCII."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(at: types.Position) -> int:
        return starts[at.line] + at.character

    for edit in sorted(edits, key=lambda each: offset(each.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text


def edits_of(action: types.CodeAction, uri: str) -> Sequence[types.TextEdit]:
    """What an action changes in one document."""
    assert action.edit is not None
    assert action.edit.changes is not None
    return action.edit.changes[uri]
