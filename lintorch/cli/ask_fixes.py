"""Asks on a terminal, fix by fix, which go in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TextIO

import click

from lintorch.core.finding import Applicability, Finding
from lintorch.core.text_rows import split_rows
from lintorch.report.full import draw_block
from lintorch.report.result import Result
from lintorch.report.styled_lines import Screen
from lintorch.run.request import Progress

_KEYS = {
    "y": "put this fix in",
    "n": "leave this line as it is",
    "a": "put in this and all further fixes of this rule",
    "s": "skip this and all further fixes of this rule",
    "q": "quit: what was chosen in this file is written, other files stay as they are",
    "?": "say this",
}
_Key = tuple[str, str, str]
"""A path, a code, and a line as it reads: what is the same finding when lines have moved."""


@dataclass
class Asker:
    """Takes the fixes from findings that are not wanted; each is asked about once."""

    out: TextIO
    screen: Screen
    allowed: frozenset[Applicability]
    progress: Progress
    wanted: set[str] = field(default_factory=set)
    """Codes of which every fix goes in."""
    skipped: set[str] = field(default_factory=set)
    ended: bool = False
    _seen: dict[tuple[str, Finding], bool] = field(default_factory=dict)
    _taken: set[_Key] = field(default_factory=set)
    _refused: set[_Key] = field(default_factory=set)

    def __call__(self, path: str, text: str, findings: Iterable[Finding]) -> list[Finding]:
        """The findings of a text, without the fixes that are not to go in.

        Raises KeyboardInterrupt where Ctrl-C is the answer.
        """
        taken, refused = set(self._taken), set(self._refused)
        kept = []
        for finding in findings:
            asked = finding.fix is not None and finding.fix.applicability in self.allowed
            if asked and not self._is_wanted(path, text, finding, taken, refused):
                finding = replace(finding, fix=None)
            kept.append(finding)
        return kept

    def _is_wanted(
        self, path: str, text: str, finding: Finding, taken: set[_Key], refused: set[_Key]
    ) -> bool:
        """As answered for this text, else as for the same line of an earlier one, else by asking."""
        known = text, finding
        if known not in self._seen:
            rows = split_rows(text).lines
            row = finding.place.row
            key = path, finding.code, rows[row - 1].strip() if row <= len(rows) else ""
            if key in refused or key in taken:
                wanted = key not in refused
            else:
                wanted = self._decide(path, text, finding)
            self._seen[known] = wanted
            (self._taken if wanted else self._refused).add(key)
        return self._seen[known]

    def _decide(self, path: str, text: str, finding: Finding) -> bool:
        code = finding.code
        if self.ended or code in self.skipped:
            return False
        if code in self.wanted:
            return True
        answer = self._ask(path, text, finding)
        self.ended |= answer == "q"
        self.wanted |= {code} if answer == "a" else set()
        self.skipped |= {code} if answer == "s" else set()
        return answer in ("y", "a")

    def _ask(self, path: str, text: str, finding: Finding) -> str:
        self.progress("")
        self.screen.write(draw_block(finding, Result(texts={path: text}), self.screen))
        while True:
            self.out.write(f"Put this fix in? [{', '.join(_KEYS)}] ")
            self.out.flush()
            try:
                answer = click.getchar().lower()
            except EOFError:
                answer = "q"
            self.out.write(f"{answer if answer.isprintable() else ''}\n")
            if answer in _KEYS and answer != "?":
                return answer
            self.screen.write(
                [[(f"  {key}  ", "strong"), (told, "")] for key, told in _KEYS.items()]
            )
