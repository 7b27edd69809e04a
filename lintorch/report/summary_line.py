"""The last line of a report for people: how much was found and what can be done about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from lintorch.core.finding import ADVICE, Applicability, Finding, Severity
from lintorch.report.places import shown_path
from lintorch.report.result import Result

MARKS = {Applicability.SAFE: "[*] ", Applicability.UNSAFE: "[?] "}


def mark_fix(finding: Finding, report: Result) -> str:
    """`[*] ` where `--fix` mends it, `[?] ` where only `--fix --unsafe-fixes` does, else nothing."""
    if finding.fix is None:
        return ""
    unsafe = finding.fix.applicability is Applicability.UNSAFE
    promise = Applicability.SAFE if unsafe and report.unsafe else finding.fix.applicability
    return MARKS.get(promise, "")


def write_repairs(report: Result) -> Iterator[str]:
    """What was mended, a line for each file: `Fixed net.py: LT401 loss-keeps-graph (2), LT603 …`."""
    for each in report.repaired:
        counted = Counter(f"{finding.code} {finding.name}" for finding in each.findings)
        told = [f"{rule} ({n})" if n > 1 else rule for rule, n in sorted(counted.items())]
        told += [write_count(each.imports, "unused import")] if each.imports else []
        yield f"Fixed {shown_path(each.path)}: {', '.join(told)}"
        yield from (f"  {verdict}" for verdict in each.verdicts)


def write_summary(report: Result) -> str:
    """One line, such as `Found 3 findings (1 error, 2 warnings). [*] 2 fixable with --fix.`"""
    total = len(report.findings)
    if not total:
        fixed = f"Fixed {write_count(report.fixed, 'finding')}. " if report.fixed else ""
        return f"{fixed}{_nothing_found(report)}{_offer_advice(report)}"
    opening = f"Found {write_count(total, 'finding')}"
    if report.fixed:
        remain = "1 remains" if total == 1 else f"{total} remain"
        opening = f"Fixed {write_count(report.fixed, 'finding')}, {remain}"
    told = f"{opening} ({_count_severities(report)}).{_count_fixable(report)}"
    return f"{told}{_offer_advice(report)}"


def write_unread(report: Result) -> str:
    """` (2 notebooks are not read)` where folders hold some; else nothing."""
    number = report.notebooks
    told = f"{write_count(number, 'notebook')} {'is' if number == 1 else 'are'} not read"
    return f" ({told})" if number else ""


def write_count(number: int, noun: str) -> str:
    """A number and its noun, in the plural where needed."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _nothing_found(report: Result) -> str:
    if not report.files:
        return f"No Python files checked{write_unread(report)}."
    return "All checks passed!" if report.whole else "No findings in what was checked."


def _offer_advice(report: Result) -> str:
    """What is left to be asked for."""
    if not report.advice:
        return ""
    return f" {report.advice} more with --extend-select {ADVICE}."


def _count_severities(report: Result) -> str:
    found = Counter(finding.severity for finding in report.findings)
    return ", ".join(
        write_count(found[kind], str(kind)) for kind in reversed(Severity) if found[kind]
    )


def _count_fixable(report: Result) -> str:
    kinds = Counter(finding.fix.applicability for finding in report.findings if finding.fix)
    hidden = 0 if report.unsafe else kinds[Applicability.UNSAFE]
    fixable = kinds[Applicability.SAFE] + kinds[Applicability.UNSAFE] - hidden
    if fixable and hidden:
        return f" [*] {fixable} fixable with --fix, {hidden} more with --fix --unsafe-fixes."
    if fixable:
        return f" [*] {fixable} fixable with --fix."
    return f" {hidden} fixable with --fix --unsafe-fixes." if hidden else ""
