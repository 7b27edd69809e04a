"""The last line of a report for people: how much was found and what can be done about it."""

from __future__ import annotations

from collections import Counter

from lintorch.finding import Applicability, Finding, Severity
from lintorch.report.result import Result

MARKS = {Applicability.SAFE: "[*] ", Applicability.UNSAFE: "[?] "}


def mark(finding: Finding) -> str:
    """`[*] ` where `--fix` mends the finding, `[?] ` where `--unsafe-fixes` does, else nothing."""
    return MARKS.get(finding.fix.applicability, "") if finding.fix else ""


def summary(report: Result) -> str:
    """One line, such as `Found 3 findings (1 error, 2 warnings). 2 fixable with --fix.`"""
    total = len(report.findings)
    if not total:
        fixed = f"Fixed {count(report.fixed, 'finding')}. " if report.fixed else ""
        return f"{fixed}{_nothing_found(report)}"
    opening = f"Found {count(total, 'finding')}"
    if report.fixed:
        remain = "1 remains" if total == 1 else f"{total} remain"
        opening = f"Fixed {count(report.fixed, 'finding')}, {remain}"
    return f"{opening} ({_severities(report)}).{_fixable(report)}"


def unread(report: Result) -> str:
    """` (2 notebooks are not read)` where folders hold some; else nothing."""
    number = report.notebooks
    told = f"{count(number, 'notebook')} {'is' if number == 1 else 'are'} not read"
    return f" ({told})" if number else ""


def count(number: int, noun: str) -> str:
    """A number and its noun, in the plural where needed."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nothing_found(report: Result) -> str:
    if not report.files:
        return f"No Python files checked{unread(report)}."
    return "All checks passed!" if report.whole else "No findings in what was checked."


def _severities(report: Result) -> str:
    found = Counter(finding.severity for finding in report.findings)
    return ", ".join(count(found[kind], str(kind)) for kind in reversed(Severity) if found[kind])


def _fixable(report: Result) -> str:
    kinds = Counter(finding.fix.applicability for finding in report.findings if finding.fix)
    safe, unsafe = kinds[Applicability.SAFE], kinds[Applicability.UNSAFE]
    if safe and unsafe:
        return f" {safe} fixable with --fix, {unsafe} more with --unsafe-fixes."
    if safe:
        return f" {safe} fixable with --fix."
    return f" {unsafe} fixable with --unsafe-fixes." if unsafe else ""
