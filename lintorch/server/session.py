"""What the server knows of the open files, and when it looks at which.

A change is looked at as soon as typing pauses for a moment. Of a file that takes long, the part
that the change is about is looked at first, the whole when nobody types. What a look says of a
text that is no more the newest is dropped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lintorch.core.codes import SYNTAX_ERROR
from lintorch.core.finding import Finding
from lintorch.files import FileText
from lintorch.run.request import CheckRequest
from lintorch.server.changed_part import blank_others
from lintorch.server.documents import OpenDocument
from lintorch.server.jobs import LookJob, Told
from lintorch.server.moved_findings import find_change, move_findings
from lintorch.server.own_process import OwnProcess, ProcessLost

_PAUSE = 0.02
"""Seconds without a change after which a text is looked at: an editor tells of each key by itself."""
_REST = 0.4
"""Seconds without a change after which the whole is looked at where a part was."""
_LONG = 0.06
"""Seconds that a look may take before a part is looked at first."""
_ROUNDS = 4
"""Looks at other files that one change may lead to, one after the other."""


@dataclass(frozen=True)
class Known:
    """What the last look at the whole of a text said, that parsed."""

    text: str
    findings: tuple[Finding, ...] = ()
    seconds: float = 0
    urls: Mapping[str, str] = field(default_factory=dict)


class Session:
    """The open documents by path, and what is known of them.

    `show` is given a document with its findings and the addresses of their pages, `say` a problem
    that people should read.
    """

    def __init__(
        self,
        request: CheckRequest,
        show: Callable[[OpenDocument, tuple[Finding, ...], Mapping[str, str]], None],
        say: Callable[[str], None],
    ) -> None:
        self.whole, self.parts = OwnProcess(request), OwnProcess(request)
        self.documents: dict[str, OpenDocument] = {}
        self._show, self._say = show, say
        self._known: dict[str, Known] = {}
        self._shown: dict[str, tuple[str, tuple[Finding, ...]]] = {}
        self._ran: dict[str, dict[str, tuple[str, tuple[Finding, ...]]]] = {}
        self._looks: dict[str, asyncio.Task[None]] = {}
        self._warming: asyncio.Task[None] | None = None
        self._said = ""

    def texts(self) -> dict[str, FileText]:
        """The texts of all open files."""
        return {path: document.text for path, document in self.documents.items()}

    def update(self, document: OpenDocument) -> None:
        """Take a new text, and look at it soon."""
        self.documents[document.path] = document
        self.look_soon(document.path, _PAUSE)

    def close(self, path: str) -> OpenDocument | None:
        """Forget a file; others see it as it lies on disk."""
        self._known.pop(path, None)
        self._shown.pop(path, None)
        self._ran.pop(path, None)
        if look := self._looks.pop(path, None):
            look.cancel()
        closed = self.documents.pop(path, None)
        self.look_at_all()
        return closed

    def look_at_all(self, afresh: bool = False) -> None:
        """Look at all open files again; `afresh` with nothing of what was read of others."""
        if afresh:
            self.whole.kill()
            self.parts.kill()
        for path in self.documents:
            self.look_soon(path, _PAUSE)

    def look_soon(self, path: str, pause: float, rounds: int = _ROUNDS) -> None:
        """Look at a file after a pause, unless it changes before."""
        if last := self._looks.get(path):
            last.cancel()
        self._looks[path] = asyncio.ensure_future(self._look_after(path, pause, rounds))

    def findings_of(self, document: OpenDocument) -> tuple[Finding, ...]:
        """What was last shown of a file, where it stands now."""
        text, findings = self._shown.get(document.path, ("", ()))
        return _move(findings, text, document.text.text)

    def take_run(self, path: str, model: str, text: str, findings: tuple[Finding, ...]) -> None:
        """Keep what a run of a model said of a file that held this text, in place of its last run."""
        self._ran.setdefault(path, {})[model] = (text, findings)
        if path in self.documents:
            self.look_soon(path, 0)

    async def _look_after(self, path: str, pause: float, rounds: int) -> None:
        await asyncio.sleep(pause)
        try:
            await self._look(self.documents[path], rounds)
        except ProcessLost:
            try:
                await self._look_at_whole(self.documents[path], rounds)
            except ProcessLost:
                self._say(f"{path}: lintorch crashed on it, and will try again when it changes")

    async def _look(self, document: OpenDocument, rounds: int) -> None:
        known, text = self._known.get(document.path), document.text.text
        is_long = known is not None and known.text != text and known.seconds > _LONG
        if known and is_long and await self._look_at_part(document, known):
            await asyncio.sleep(_REST)
        await self._look_at_whole(document, rounds)

    def _is_newest(self, document: OpenDocument) -> bool:
        return self.documents.get(document.path) is document

    async def _look_at_part(self, document: OpenDocument, known: Known) -> bool:
        """Show what is known of unchanged rows, and what the changed ones say by themselves."""
        path, text = document.path, document.text.text
        change = find_change(known.text, text)
        part = blank_others(text, change)
        if part is None:
            return False
        job = LookJob(path, self.texts(), part=part)
        answer = await self.parts.ask(job, lambda: self._is_newest(document))
        if answer is None or not self._is_newest(document) or not isinstance(answer.value, Told):
            return False
        kept = move_findings(known.findings, change)
        new = (f for f in answer.value.findings if f.place.row in change.new_rows)
        self._tell(document, (*kept, *new), known.urls)
        return True

    async def _look_at_whole(self, document: OpenDocument, rounds: int) -> None:
        path, text = document.path, document.text.text
        runs = self._ran.get(path, {}).values()
        ran = tuple(f for then, said in runs for f in _move(said, then, text))
        job = LookJob(path, self.texts(), ran)
        begun = time.monotonic()
        answer = await self.whole.ask(job, lambda: self._is_newest(document))
        if answer is None or not self._is_newest(document):
            return
        told = answer.value
        self._tell_problem(answer.defect or told.problem)
        if not isinstance(told, Told):
            return
        findings, known = told.findings, self._known.get(path)
        if known and any(finding.code == SYNTAX_ERROR for finding in findings):
            findings += _move(known.findings, known.text, text)
        else:
            seconds = time.monotonic() - begun
            if seconds > _LONG and known is None:
                self._warming = asyncio.ensure_future(self._warm(job))
            self._known[path] = Known(text, findings, seconds, told.urls)
        self._tell(document, findings, told.urls)
        for other in told.again if rounds else ():
            if other in self.documents:
                self.look_soon(other, 0, rounds - 1)

    async def _warm(self, job: LookJob) -> None:
        """Let the process for parts load what it will need."""
        try:
            await self.parts.ask(job)
        except ProcessLost:
            return

    def _tell(
        self, document: OpenDocument, findings: tuple[Finding, ...], urls: Mapping[str, str]
    ) -> None:
        self._shown[document.path] = (document.text.text, findings)
        self._show(document, findings, urls)

    def _tell_problem(self, problem: str) -> None:
        if problem and problem != self._said:
            self._say(problem)
        self._said = problem

    def end(self) -> None:
        """End all work."""
        for look in self._looks.values():
            look.cancel()
        self.whole.kill()
        self.parts.kill()


def _move(findings: tuple[Finding, ...], old: str, new: str) -> tuple[Finding, ...]:
    if old == new or not findings:
        return findings
    return tuple(move_findings(findings, find_change(old, new)))
