"""A rule's page, and the list of all rules, as text."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import indent, wrap
from typing import Any

from lintorch.core.finding import Evidence
from lintorch.core.rule import Rule

_TIERS = {Evidence.SOURCE: "source", Evidence.TRACE: "trace", Evidence.EXPORT: "export"}
_FIX = {
    "safe": "`--fix` fixes it: the meaning stays the same.",
    "unsafe": "`--fix --unsafe-fixes` fixes it; numbers or behaviour may change.",
    "display": "A rewrite is shown, and left to you.",
}
_SEEN = "Run after the first example, this goes wrong; after the better one it does not:"


def write_page(rule: Rule) -> str:
    """The page as Markdown."""
    parts = [f"# {rule.code} {rule.name}", f"{rule.summary[:1].upper()}{rule.summary[1:]}."]
    parts += [_write_standing(rule), rule.why]
    if rule.bad:
        title = (
            "## For example" if not rule.example_profile else _title_example(rule.example_profile)
        )
        parts += [title, _indent_code(rule.bad)]
    if rule.good:
        parts += ["## Better", _indent_code(rule.good)]
    if rule.proof:
        parts += ["## Seen", _SEEN, _indent_code(rule.proof)]
    if rule.unproven:
        parts += ["## Not shown", rule.unproven]
    if rule.remedy:
        parts.append(f"Instead: {rule.remedy}.")
    if rule.fix:
        parts.append(_FIX[str(rule.fix)])
    parts.append(f"To allow it on one line: `# lintorch: ignore[{rule.name}]`")
    return "\n\n".join(part for part in parts if part) + "\n"


def list_facts(rule: Rule) -> dict[str, Any]:
    """A rule as plain values, for programs."""
    return {
        "code": rule.code,
        "name": rule.name,
        "theme": rule.theme,
        "summary": rule.summary,
        "remedy": rule.remedy or None,
        "severity": str(rule.severity),
        "evidence": list_tiers(rule),
        "fix": rule.fix and str(rule.fix),
        "default": rule.default,
        "since": rule.since,
        "formerly": list(rule.formerly),
    }


def write_table(rules: Iterable[Rule], width: int | None = None) -> str:
    """One line for each rule, in columns; a block for each where a terminal is too narrow for that."""
    rules = list(rules)
    table = _write_columns(rules)
    if width is None or max(map(len, table.splitlines())) <= width:
        return table
    return "".join(_write_block(rule, width) for rule in rules)


def _write_block(rule: Rule, width: int) -> str:
    fix = f"{rule.fix} fix" if rule.fix else "no fix"
    seen = "+".join(list_tiers(rule)) or "engine"
    told = f"{rule.severity}; {_name_standing(rule)}; {seen}; {fix}"
    lines = [
        line
        for text in (f"{rule.code}  {rule.name}", f"       {rule.summary}", f"       ({told})")
        for line in wrap(text, width, subsequent_indent=" " * 7, break_on_hyphens=False)
    ]
    return "\n".join(lines) + "\n"


def _name_standing(rule: Rule) -> str:
    """When it is shown."""
    if not rule.default:
        return "off by default"
    return "advice" if rule.is_advice else "default"


def _write_columns(rules: Iterable[Rule]) -> str:
    rows = [
        (
            r.code,
            r.name,
            str(r.severity),
            _name_standing(r),
            "+".join(list_tiers(r)) or "engine",
            str(r.fix or "-"),
            r.summary,
        )
        for r in rules
    ]
    rows.insert(0, ("code", "name", "severity", "shown", "evidence", "fix", "what it flags"))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    lines = (
        "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), row[6]])
        for row in rows
    )
    return "\n".join(lines) + "\n"


def list_tiers(rule: Rule) -> list[str]:
    """The kinds of evidence that the rule has a detector for, weakest first."""
    return [_TIERS[kind] for kind in Evidence if any(d.evidence is kind for d in rule.detectors)]


def _write_standing(rule: Rule) -> str:
    seen = ", ".join(list_tiers(rule)) or "lintorch itself"
    shown = "on by default" if rule.default else "off by default, selected by `advice`"
    if rule.default and rule.is_advice:
        shown = "as far as it is a note, shown where `advice` is selected"
    since = f"since {rule.since}"
    if rule.formerly:
        since += f"; before that a part of {' '.join(rule.formerly)}, which selects and suppresses it still"
    return f"{str(rule.severity).capitalize()}; evidence: {seen}; {shown}; {since}."


def _title_example(profile: tuple[str, ...]) -> str:
    words = [word.removeprefix("target:").replace("@", " at opset ") for word in profile]
    return "## For example, under " + " and ".join(words)


def _indent_code(text: str) -> str:
    return indent(text.rstrip("\n"), "    ")
