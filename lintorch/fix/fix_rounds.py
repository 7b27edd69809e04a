"""Fixes in rounds until nothing changes; what breaks the text or never settles is undone and named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lintorch.core.finding import Applicability, Edit, Finding, Fix
from lintorch.fix.apply_edits import apply_edits, apply_fixes
from lintorch.fix.idle_imports import Taken, drop_idle_imports, taken_by_nobody
from lintorch.fix.still_parses import Parses, choose_judge

Check = Callable[[str], Iterable[Finding]]


_ROUNDS = 10
"""Rounds without progress after which fixes are taken for endless: chains that end are shorter."""


@dataclass(frozen=True)
class Settled:
    """A text in which no allowed fix is left, except those of rules that could not be fixed."""

    text: str
    applied: tuple[Finding, ...] = ()
    """The findings whose fixes went in, in that order."""
    remaining: tuple[Finding, ...] = ()
    """The findings of the final text."""
    imports: int = 0
    """How many imports went that the fixes had left idle."""
    unsettled: tuple[str, ...] = ()
    """Codes of rules whose fixes broke the text or never came to an end, and were undone."""


def settle(
    text: str,
    check: Check,
    allowed: frozenset[Applicability],
    limit: int = _ROUNDS,
    path: str = "",
    taken: Taken = taken_by_nobody,
) -> Settled:
    """Fix what `check` finds as far as `allowed` goes; then drop the imports this made idle.

    At most `limit` rounds may pass in which the fixes left to do do not get fewer. A text that
    does not parse is left alone. `path` tells an `__init__.py`, whose imports are kept,
    `taken` which names other files import from this one.
    """
    parses = choose_judge(text)
    if parses is None:
        return Settled(text, remaining=tuple(check(text)))
    banned: frozenset[str] = frozenset()
    while True:
        reached = _run_rounds(text, check, _Terms(allowed, parses, limit), banned)
        if not reached.endless:
            edits = (
                drop_idle_imports(text, reached.text, path, taken) if reached.text != text else ()
            )
            return _drop_idle(reached, edits, check, parses)
        banned = reached.banned | reached.endless


@dataclass(frozen=True)
class _Terms:
    allowed: frozenset[Applicability]
    parses: Parses
    limit: int

    def fixable(self, findings: Iterable[Finding], banned: frozenset[str]) -> list[Finding]:
        """The findings that may be fixed now."""
        return [
            finding
            for finding in findings
            if finding.fix
            and finding.fix.applicability in self.allowed
            and finding.code not in banned
        ]


@dataclass(frozen=True)
class _Reached:
    """Where rounds came to; `endless` are the codes that were still at work when they ran out."""

    text: str
    applied: tuple[Finding, ...]
    remaining: tuple[Finding, ...]
    banned: frozenset[str]
    endless: frozenset[str] = frozenset()


def _run_rounds(text: str, check: Check, terms: _Terms, banned: frozenset[str]) -> _Reached:
    applied: list[Finding] = []
    spent, fewest = 0, -1
    while True:
        findings = tuple(check(text))
        todo = terms.fixable(findings, banned)
        if 0 <= fewest <= len(todo):
            spent += 1
        else:
            fewest = len(todo)
        done, after, broken = _run_round(text, todo, terms.parses)
        banned |= broken
        if after == text and not broken:
            return _Reached(text, tuple(applied), findings, banned)
        if spent >= terms.limit and done:
            endless = frozenset(finding.code for finding in done)
            return _Reached(text, tuple(applied), findings, banned, endless)
        applied += done
        text = after


def _run_round(
    text: str, todo: Sequence[Finding], parses: Parses
) -> tuple[list[Finding], str, frozenset[str]]:
    """The findings fixed, the text after, and the codes whose fixes would have broken it."""
    result = apply_fixes(text, _list_fixes(todo))
    if parses(result.text):
        return _find_fixed(todo, result.applied), result.text, frozenset()
    good: list[Finding] = []
    broken: set[str] = set()
    for finding in _find_fixed(todo, result.applied):
        if parses(apply_fixes(text, _list_fixes([*good, finding])).text):
            good.append(finding)
        else:
            broken.add(finding.code)
    return good, apply_fixes(text, _list_fixes(good)).text, frozenset(broken)


def _list_fixes(findings: Sequence[Finding]) -> list[Fix]:
    return [finding.fix for finding in findings if finding.fix]


def _find_fixed(findings: Sequence[Finding], fixes: Sequence[Fix]) -> list[Finding]:
    """The findings that these very fixes belong to."""
    wanted = {id(fix) for fix in fixes}
    return [finding for finding in findings if id(finding.fix) in wanted]


def _drop_idle(reached: _Reached, edits: tuple[Edit, ...], check: Check, parses: Parses) -> Settled:
    named = tuple(sorted(reached.banned))
    text = apply_edits(reached.text, edits)
    if not edits or not parses(text):
        return Settled(reached.text, reached.applied, reached.remaining, 0, named)
    return Settled(text, reached.applied, tuple(check(text)), len(edits), named)
