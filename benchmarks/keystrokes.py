"""How long an editor waits for findings after a key: types into files through a real language server.

    python benchmarks/keystrokes.py FILE... [--places 12]

In each file a statement is typed, key by key, into functions spread over it. A time is from the
message of a change to the first findings for that very text, over standard input and output. On
Linux the processor time that the server and its processes spend until then is told too: on a busy
machine that says more.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TYPED = "value = 1"
BETWEEN_KEYS = 0.15
"""Seconds: eighty words a minute."""
THINKING = 2.0
"""Seconds between two places, in which the whole file is looked at."""


@dataclass(frozen=True)
class Moment:
    """A time, and what the processes of the server have spent of the processor by then; in seconds."""

    clock: float
    spent: float

    def __sub__(self, other: Moment) -> Moment:
        return Moment(self.clock - other.clock, self.spent - other.spent)


class Editor:
    """A client that types, and notes when findings come for which version."""

    def __init__(self) -> None:
        self.client = LanguageClient("keystrokes", "1")
        self.shown: dict[int, asyncio.Future[Moment]] = {}
        self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(partial(self._note))

    def _note(self, params: types.PublishDiagnosticsParams) -> None:
        waiting = self.shown.get(params.version or 0)
        if waiting is not None and not waiting.done():
            waiting.set_result(self._read_clocks())

    async def start(self, folder: Path) -> None:
        await self.client.start_io(sys.executable, "-m", "lintorch", "server", "--isolated")
        asked = types.InitializeParams(types.ClientCapabilities(), root_uri=folder.as_uri())
        await self.client.initialize_async(asked)
        self.client.initialized(types.InitializedParams())

    async def time_open(self, uri: str, text: str) -> Moment:
        begun = self._expect(1)
        item = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.shown[1] - begun

    async def time_change(self, uri: str, version: int, text: str) -> Moment:
        begun = self._expect(version)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        identifier = types.VersionedTextDocumentIdentifier(version, uri)
        told = types.DidChangeTextDocumentParams(identifier, [whole])
        self.client.text_document_did_change(told)
        return await self.shown[version] - begun

    def _expect(self, version: int) -> Moment:
        self.shown[version] = asyncio.get_running_loop().create_future()
        return self._read_clocks()

    def _read_clocks(self) -> Moment:
        server = self.client._server
        spent = sum(map(read_spent, list_family(server.pid))) if server else 0
        return Moment(time.perf_counter(), spent)

    async def end(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()  # type: ignore[no-untyped-call]


def list_family(pid: int) -> list[int]:
    """A process and those that it has started; none where the system does not say."""
    try:
        tasks = Path(f"/proc/{pid}/task").iterdir()
        found = [int(each) for t in tasks for each in (t / "children").read_text().split()]
    except OSError:
        return []
    return [pid, *(each for child in found for each in list_family(child))]


def read_spent(pid: int) -> float:
    """Seconds that a process was on a processor, to a hundredth; 0 where the system does not say."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


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


async def measure(path: Path, places: int) -> tuple[Moment, list[Moment]]:
    """What it takes until an opened file has its findings, and after each key."""
    editor, text = Editor(), path.read_text(encoding="utf-8")
    uri, version, found = path.resolve().as_uri(), 1, list[Moment]()
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
    every: list[Moment] = []
    for path in given.files:
        opened, found = asyncio.run(measure(path, given.places))
        every += found
        rows = len(path.read_text(encoding="utf-8").splitlines())
        print(
            f"{path.name}: {rows} rows, opened {opened.clock:.2f} s ({opened.spent:.2f} s), {describe(found)}",
            flush=True,
        )
    print(f"all: {describe(every)}")


def describe(found: list[Moment]) -> str:
    clocks, spent = [each.clock for each in found], [each.spent for each in found]
    return f"{len(found)} keys: {describe_times(clocks)}; of the processor {describe_times(spent)}"


def describe_times(seconds: list[float]) -> str:
    tenth = statistics.quantiles(seconds, n=10)[-1]
    return f"median {1000 * statistics.median(seconds):.0f} ms, nine of ten under {1000 * tenth:.0f} ms"


if __name__ == "__main__":
    main()
