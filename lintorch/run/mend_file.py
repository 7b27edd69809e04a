"""One file and the fixes that may go into it: what it is with some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from lintorch.core.finding import Applicability, Evidence, Finding
from lintorch.core.merge import merge_findings
from lintorch.core.text_rows import split_rows
from lintorch.files import FileText, is_notebook
from lintorch.fix.fix_rounds import Settled, settle
from lintorch.host.prove_models import FixedFile
from lintorch.run.check_files import CheckedFiles
from lintorch.run.demote_fixes import demote_fixes
from lintorch.run.importers import Importers
from lintorch.run.lint_led import lint_led
from lintorch.run.moved_rows import list_moved
from lintorch.run.request import CheckRequest, Choose
from lintorch.run.scope import Scope
from lintorch.run.suppress_findings import suppress_by_comments
from lintorch.syntax.deep_stack import call_deeply

FixKey = tuple[str, str]
"""A finding's code and its line as it reads, which stays when lines move."""
NO_KEYS: frozenset[FixKey] = frozenset()


@dataclass(frozen=True)
class Mended:
    """A text with fixes in it. `applied` holds, by finding, the text in which it was found."""

    settled: Settled
    applied: tuple[tuple[Finding, str], ...]

    @property
    def text(self) -> str:
        """The fixed text."""
        return self.settled.text


class FileMending:
    """A file with what was found in it; what is `seen` besides tells which findings are left out.

    Where it is `eager`, fixes that wait for a run are taken too, and what they lead to: behind a number
    that an export keeps, a run tells nothing of what is worked out of that.
    """

    def __init__(
        self,
        original: FileText,
        found: Sequence[Finding],
        seen: CheckedFiles,
        scope: Scope,
        request: CheckRequest,
        importers: Importers,
        choose: Choose | None = None,
        eager: bool = False,
    ) -> None:
        self.original, self.path, self.before = original, original.path, original.text
        self._found, self._seen, self._request = list(found), seen, request
        self.scope, self.importers, self._choose = scope, importers, choose
        self._task = seen.tasks.get(self.path) or scope.make_task(self.path)
        self._leads = seen.leads.get(self.path, ())
        left_out = (f for f in (*seen.withdrawn, *seen.known) if f.place.path == self.path)
        self._left_out = {key_of(finding, self.before) for finding in left_out}
        self._eager = eager
        self._shown = [f for f in self._found if f.fix and f.evidence is not Evidence.SOURCE]
        if eager:
            told = {(f.code, f.place.row) for f in self._found if f.fix}
            more = (f for f in self._lint(self.before) if f.fix and f.evidence is Evidence.SOURCE)
            self._found += [f for f in more if (f.code, f.place.row) not in told]

    @property
    def fixed_file(self) -> FixedFile:
        """The file as workers know it that run its models."""
        return FixedFile(self.path, self.before if is_notebook(self.path) else None)

    @property
    def has_fixes(self) -> bool:
        """Whether anything that was found in the file has a fix that may go in."""
        shown = Applicability.DISPLAY
        return any(f.fix and f.fix.applicability is not shown for f in self._found)

    def encode_module(self, text: str) -> bytes:
        """What workers read in the place of the file: its bytes, or the module of a notebook's cells."""
        return text.encode() if is_notebook(self.path) else self.original.encode_text(text)

    def mend(
        self, allowed: frozenset[Applicability], barred: frozenset[FixKey] = NO_KEYS
    ) -> Mended:
        """The file with all fixes that are allowed and not barred. Raises whatever a rule raises."""
        texts: dict[int, tuple[Finding, str]] = {}

        def check(text: str) -> Iterable[Finding]:
            known = self._check(text)
            chosen = known if self._choose is None else self._choose(self.path, text, known)
            found = [_hold_back(f, text, barred) for f in chosen]
            texts.update((id(finding), (finding, text)) for finding in found)
            return found

        taken = partial(self.importers.names_taken, self.path)
        mending = partial(settle, self.before, check, allowed, path=self.path, taken=taken)
        settled = call_deeply(mending)
        return Mended(settled, tuple(texts[id(finding)] for finding in settled.applied))

    def _check(self, text: str) -> Iterable[Finding]:
        """Findings of a text between rounds; of the text as it was, those that are known."""
        if text == self.before:
            return self._found
        return self._lint(text)

    def _lint(self, text: str) -> Iterable[Finding]:
        found = lint_led(self._task, text, self._leads)
        standing = merge_findings(self._wake_shown(found, text)).standing
        standing = tuple(f for f in standing if key_of(f, text) not in self._left_out)
        scope, withdrawn = self.scope, self._seen.withdrawn
        heeded = suppress_by_comments(text, self.path, standing, scope, self._request, withdrawn)
        return demote_fixes(heeded, text, scope, self.importers)

    def _wake_shown(self, found: Sequence[Finding], text: str) -> Iterable[Finding]:
        """What is found, and of what waits that for which a run of the file as it was has shown something."""
        if self._eager:
            return map(_wake, found)
        codes = {finding.code for finding in self._shown}
        if not any(each.confirms and each.code in codes for each in found):
            return found
        rows = dict[int, set[int]]()
        for row, now in list_moved(self.before, text, (f.place.row for f in self._shown)):
            rows.setdefault(row, set()).add(now)
        shown = {(f.code, row) for f in self._shown for row in rows.get(f.place.row, ())}
        return [_wake(f) if (f.code, f.place.row) in shown else f for f in found]


def _wake(finding: Finding) -> Finding:
    """A finding that need not wait for a run to offer its fix."""
    return replace(finding, confirms=False) if finding.fix else finding


def key_of(finding: Finding, text: str) -> FixKey:
    """What a finding of this text is known by when lines move."""
    lines = split_rows(text).lines
    row = finding.place.row
    return finding.code, lines[row - 1].strip() if row <= len(lines) else ""


def _hold_back(finding: Finding, text: str, barred: frozenset[FixKey]) -> Finding:
    if barred and key_of(finding, text) in barred:
        return replace(finding, fix=None)
    return finding
