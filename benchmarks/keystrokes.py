"""How long an editor waits for findings after a key: types into files through a real language server.

    python benchmarks/keystrokes.py FILE... [--places 12]

In each file a statement is typed, key by key, into functions spread over it. A time is from the
message of a change to the first findings for that very text, over standard input and output.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import statistics
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TYPED = "value = 1"
BETWEEN_KEYS = 0.15
"""Seconds: eighty words a minute."""
THINKING = 2.0
"""Seconds between two places, in which the whole file is looked at."""


class Editor:
    """A client that types, and notes when findings come for which version."""

    def __init__(self) -> None:
        self.client = LanguageClient("keystrokes", "1")
        self.shown: dict[int, asyncio.Future[float]] = {}
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._note))

    def _note(self, params: types.PublishDiagnosticsParams) -> None:
        waiting = self.shown.get(params.version or 0)
        if waiting is not None and not waiting.done():
            waiting.set_result(time.perf_counter())

    async def start(self, folder: Path) -> None:
        await self.client.start_io(sys.executable, "-m", "lintorch", "server", "--isolated")
        asked = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
        await self.client.initialize_async(asked)
        self.client.initialized(types.InitializedParams())

    async def time_open(self, uri: str, text: str) -> float:
        begun = self._expect(1)
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.shown[1] - begun

    async def time_change(self, uri: str, version: int, text: str) -> float:
        begun = self._expect(version)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        told = types.DidChangeTextDocumentParams(identifier, [whole])
        self.client.text_document_did_change(told)
        return await self.shown[version] - begun

    def _expect(self, version: int) -> float:
        self.shown[version] = asyncio.get_running_loop().create_future()
        return time.perf_counter()

    async def end(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]


def type_into(text: str, places: int) -> Iterator[list[str]]:
    """By place, the text after each key."""
    rows = text.splitlines(keepends=True)
    bodies = [
        statement
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef)
        for statement in node.body[-1:]
    ]
    bodies.sort(key=lambda statement: statement.lineno)
    step = max(1, len(bodies) // places)
    for statement in bodies[::step][:places]:
        above, below = rows[: statement.lineno - 1], rows[statement.lineno - 1 :]
        begin = " " * statement.col_offset
        yield [
            "".join([*above, f"{begin}{TYPED[:end]}\n", *below]) for end in range(1, len(TYPED) + 1)
        ]


async def measure(path: Path, places: int) -> tuple[float, list[float]]:
    """Seconds until an opened file has its findings, and after each key."""
    editor, text = Editor(), path.read_text(encoding="utf-8")
    uri, version, found = path.resolve().as_uri(), 1, list[float]()
    await editor.start(path.resolve().parent)
    opened = await editor.time_open(uri, text)
    for keys in type_into(text, places):
        await asyncio.sleep(THINKING)
        for changed in keys:
            version += 1
            found.append(await editor.time_change(uri, version, changed))
            await asyncio.sleep(BETWEEN_KEYS)
    await editor.end()
    return opened, found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--places", type=int, default=12)
    given = parser.parse_args()
    every: list[float] = []
    for path in given.files:
        opened, found = asyncio.run(measure(path, given.places))
        every += found
        rows = len(path.read_text(encoding="utf-8").splitlines())
        print(f"{path.name}: {rows} rows, opened {opened:.2f} s, {describe(found)}", flush=True)
    print(f"all: {describe(every)}")


def describe(seconds: list[float]) -> str:
    median = statistics.median(seconds)
    tenth = statistics.quantiles(seconds, n=10)[-1]
    return f"{len(seconds)} keys, median {1000 * median:.0f} ms, nine of ten under {1000 * tenth:.0f} ms"


if __name__ == "__main__":
    main()
