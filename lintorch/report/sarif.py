"""SARIF 2.1.0: one run, with its rules, results and fixes, for code scanning."""

from __future__ import annotations

import json
from typing import Any, TextIO

from lintorch import __version__
from lintorch.report.fingerprints import mark_findings
from lintorch.report.result import Result
from lintorch.report.rule_page import write_page
from lintorch.report.sarif_results import LEVELS, result_values

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def render(report: Result, out: TextIO, *, color: bool, width: int | None) -> None:
    """Write the log in ASCII; columns count characters, files are named from the repository."""
    names = {finding.code: finding.name for finding in report.findings}
    rules = [_rule_values(code, name, report) for code, name in names.items()]
    run = {
        "tool": {"driver": {"name": "lintorch", "version": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": report.whole}],
        "results": [
            result_values(finding, mark, list(names).index(finding.code), report)
            for finding, mark in mark_findings(report)
        ],
    }
    json.dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, out, indent=2)
    out.write("\n")


def _rule_values(code: str, name: str, report: Result) -> dict[str, Any]:
    """A rule with its page as help; only its names where the rule itself is not known."""
    values: dict[str, Any] = {"id": code, "name": name}
    if url := report.urls.get(code):
        values["helpUri"] = url
    rule = report.rules.get(code)
    if rule is None:
        return values
    page = write_page(rule)
    return {
        **values,
        "shortDescription": {"text": f"{_begin_sentence(rule.summary)}."},
        "fullDescription": {"text": rule.why or rule.summary},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": LEVELS[rule.severity], "enabled": rule.default},
    }


def _begin_sentence(text: str) -> str:
    """The text with a capital, but for a name of code that it begins with."""
    first = text.partition(" ")[0]
    return text if set("._(") & set(first) else f"{text[:1].upper()}{text[1:]}"
