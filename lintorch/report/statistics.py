"""How many findings there are of each rule."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TextIO

from lintorch.core.finding import Finding
from lintorch.report.result import Result
from lintorch.report.summary_line import mark_fix

STATISTICS_FORMATS = ("full", "concise", "grouped", "json")


def write_statistics(name: str, report: Result, out: TextIO) -> None:
    """`3  LT101  [*] dynamic-size` lines, most frequent first; for "json" an array of the same."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        groups[finding.code].append(finding)
    counted = sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))
    if name == "json":
        values = [
            {
                "code": code,
                "name": found[0].name,
                "count": len(found),
                "fixable_count": sum(_is_fixable(each, report) for each in found),
            }
            for code, found in counted
        ]
        json.dump(values, out, indent=2)
        out.write("\n")
        return
    widest = max((len(str(len(found))) for found in groups.values()), default=0)
    for code, found in counted:
        fixable = sum(_is_fixable(each, report) for each in found)
        mark = "[ ]" if not fixable else "[*]" if fixable == len(found) else "[-]"
        out.write(f"{len(found):>{widest}}  {code}  {mark} {found[0].name}\n")


def _is_fixable(finding: Finding, report: Result) -> bool:
    return mark_fix(finding, report) == "[*] "
