"""Prints how the source tier does on labelled exports, as tables and, if asked for, case by case."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from truth.labels import EXPORTERS
from truth.predictions import ForetoldCell
from truth.source_findings import SourceFinding
from truth.source_scores import count_by_cause, count_by_rule, score_cells

_WITHOUT_SCRIPT = "all but script"
_GROUPS = (*EXPORTERS, _WITHOUT_SCRIPT, "all")


def print_source_tables(cells: Sequence[ForetoldCell], *, details: bool) -> None:
    """The tables, and each miss and false alarm where `details` are wanted."""
    _print_exporters(cells)
    _print_rules(cells)
    _print_causes(cells)
    if details:
        _print_misses(each for each in cells if not each.cell.right and not each.said_bad)
        _print_elsewhere(each for each in cells if not each.cell.right and each.said_bad)
        _print_alarms(each for each in cells if each.cell.right and each.said_bad)


def _print_exporters(cells: Sequence[ForetoldCell]) -> None:
    print(
        "| exporter | cells | bad | recall | precision | undecided | silent right | with Dim.AUTO |"
    )
    print("|---|---|---|---|---|---|---|---|")
    scores = {group: score_cells(_select_group(cells, group)) for group in _GROUPS}
    for group, score in scores.items():
        print(
            f"| {group} | {score.cells} | {score.bad} | {score.recall} | {score.precision} |"
            f" {score.undecided} | {score.silent} | {score.auto} |"
        )
    print("\n| exporter | bad cells told at a line to blame | lines to blame | findings at one |")
    print("|---|---|---|---|")
    for group, score in scores.items():
        print(f"| {group} | {score.cells_at_line} | {score.lines} | {score.findings} |")


def _select_group(cells: Iterable[ForetoldCell], group: str) -> list[ForetoldCell]:
    if group == _WITHOUT_SCRIPT:
        return [each for each in cells if each.exporter != "torchscript-script"]
    return [each for each in cells if group in ("all", each.exporter)]


def _print_rules(cells: Sequence[ForetoldCell]) -> None:
    print("\n| rule | exporter | cells right | at a line to blame | false alarms |")
    print("|---|---|---|---|---|")
    for exporter in EXPORTERS:
        counted = count_by_rule(each for each in cells if each.exporter == exporter)
        for code, (right, at_line, wrong) in counted.items():
            print(f"| {code} | {exporter} | {right} | {at_line} | {wrong} |")


def _print_causes(cells: Sequence[ForetoldCell]) -> None:
    print("\n| exporter | cause | missed |\n|---|---|---|")
    for exporter, cause, share in count_by_cause(cells):
        print(f"| {exporter} | {cause} | {share.part} of {share.whole} |")


def _print_misses(cells: Iterable[ForetoldCell]) -> None:
    print("\nMissed:")
    for each in cells:
        print(f"  {_name_cell(each)}")


def _print_elsewhere(cells: Iterable[ForetoldCell]) -> None:
    print("\nForetold, but not at a line to blame:")
    for each in cells:
        if each.cell.blamed and not each.at_blame:
            print(f"  {_name_cell(each)}")
            _print_findings(each.foretelling, each.exporter)


def _print_alarms(cells: Iterable[ForetoldCell]) -> None:
    print("\nFalse alarms:")
    for each in cells:
        sizes = ", ".join(sorted(each.model.varied))
        print(
            f"  {each.model.name} {each.exporter}: {each.cell.path} {each.cell.status}, {sizes} varied"
        )
        _print_findings(each.foretelling, each.exporter)


def _name_cell(each: ForetoldCell) -> str:
    cell = each.cell
    seen = {True: " (visible there)", False: " (not visible there)", None: ""}[cell.visible]
    lines = " ".join(sorted(cell.blamed)) or f"no line {cell.static_blame}".rstrip()
    return f"{each.model.name} {each.exporter}: {cell.path} {cell.status}: {cell.cause} [{lines}]{seen}"


def _print_findings(findings: Iterable[SourceFinding], exporter: str) -> None:
    for each in findings:
        print(f"      {each.code} {each.harm[exporter]} {each.place} {each.message[:160]}")
