"""Shares of what the source tier foretold: of models, of lines to blame, by rule and by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truth.predictions import ForetoldCell, stands_at

SILENT = ("wrong",)
SILENT_OR_AUTO = ("wrong", "wrong-with-auto")
_WRONG_LATER = ("wrong", "rt_error")


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    def __str__(self) -> str:
        rate = f"{self.part / self.whole:.2f}" if self.whole else "-"
        return f"{self.part} of {self.whole} ({rate})"


@dataclass(frozen=True)
class SourceScore:
    """What is counted of some cells.

    `recall` is of bad cells, `precision` of cells foretold to be bad, `silent` and `auto` of cells
    of which a finding says that they go silently wrong (with `Dim.AUTO` too); wrong numbers and errors
    at other sizes bear it out, unless the model is refused for another line. `cells_at_line` is of
    bad cells with lines to blame, `lines` of these lines, `findings` of findings in these cells.
    """

    cells: int
    bad: int
    recall: Share
    precision: Share
    undecided: int
    silent: Share
    auto: Share
    cells_at_line: Share
    lines: Share
    findings: Share


def score_cells(cells: Sequence[ForetoldCell]) -> SourceScore:
    """One score of all these cells."""
    bad = [each for each in cells if not each.cell.right]
    told = [each for each in cells if each.said_bad]
    blaming = [each for each in bad if each.cell.blamed]
    return SourceScore(
        cells=len(cells),
        bad=len(bad),
        recall=_share(each.said_bad for each in bad),
        precision=_share(not each.cell.right for each in told),
        undecided=sum(bool(each.undecided) and not each.said_bad for each in cells),
        silent=_share_silent(cells, SILENT),
        auto=_share_silent(cells, SILENT_OR_AUTO),
        cells_at_line=_share(bool(each.at_blame) for each in blaming),
        lines=_share_lines(blaming),
        findings=_share_findings(blaming),
    )


def count_by_rule(cells: Iterable[ForetoldCell]) -> dict[str, tuple[int, int, int]]:
    """By rule code: cells foretold rightly, of these at a line to blame, and false alarms."""
    right: Counter[str] = Counter()
    at_line: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for cell in cells:
        (wrong if cell.cell.right else right).update({each.code for each in cell.foretelling})
        at_line.update({each.code for each in cell.at_blame})
    codes = sorted({*right, *wrong})
    return {code: (right[code], at_line[code], wrong[code]) for code in codes}


def count_by_cause(cells: Iterable[ForetoldCell]) -> list[tuple[str, str, Share]]:
    """Exporter, cause and the share of its bad cells that nothing foretold, the most missed first."""
    every: Counter[tuple[str, str]] = Counter()
    missed: Counter[tuple[str, str]] = Counter()
    for each in cells:
        if not each.cell.right:
            key = each.exporter, each.cell.cause
            every[key] += 1
            missed[key] += not each.said_bad
    ranked = sorted(every, key=lambda key: (-missed[key], key))
    return [(*key, Share(missed[key], every[key])) for key in ranked]


def _share(truths: Iterable[bool]) -> Share:
    every = [*truths]
    return Share(sum(every), len(every))


def _share_silent(cells: Iterable[ForetoldCell], words: tuple[str, ...]) -> Share:
    """A model that is refused elsewhere never comes to the line that would be silently wrong."""
    said = [each for each in cells if each.says_silent(words)]
    reached = [each for each in said if each.cell.status != "error" or each.at_blame]
    return _share(each.cell.status in _WRONG_LATER for each in reached)


def _share_lines(cells: Iterable[ForetoldCell]) -> Share:
    """Each line to blame once for each exporter, whichever models run it."""
    lines: dict[tuple[str, str], bool] = {}
    for each in cells:
        for line in each.cell.blamed:
            met = any(stands_at(finding, (line,)) for finding in each.foretelling)
            lines[each.exporter, line] = lines.get((each.exporter, line), False) or met
    return _share(lines.values())


def _share_findings(cells: Iterable[ForetoldCell]) -> Share:
    """Each finding once for each exporter, right where a model that runs it blames its line."""
    findings: dict[tuple[str, str, str], bool] = {}
    for each in cells:
        for finding in each.foretelling:
            key = each.exporter, finding.code, finding.place
            findings[key] = findings.get(key, False) or finding in each.at_blame
    return _share(findings.values())
