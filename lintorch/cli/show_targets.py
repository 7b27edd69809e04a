"""What `lintorch targets` prints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill, wrap
from typing import Any

from lintorch.targets import Target

_HEADER = ("target", "opset", "operators", "confidence", "basis")
_LABEL = re.compile(r" +(?:[\w ]+: +)?")
"""What stands before the words of a line."""
_WIDTH = 100
"""Columns of a paragraph where no terminal says how many."""
_LEAST = 20
"""Columns that the last of a table has at least."""


def format_target_table(targets: Sequence[Target], width: int | None = None) -> str:
    """A row for each target, in columns; on a terminal the last one is folded to its `width`."""
    rows = [_HEADER, *(_table_row(target) for target in targets)]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    left = sum(widths) + 2 * len(widths)
    room = None if width is None else max(width - left, _LEAST)
    lines = [
        "  ".join([*(c.ljust(w) for c, w in zip(row, widths, strict=False)), part])
        if number == 0
        else f"{'':{left}}{part}"
        for row in rows
        for number, part in enumerate(
            wrap(row[4], room, break_on_hyphens=False) if room else [row[4]]
        )
    ]
    return "\n".join(lines) + "\n"


def format_target(target: Target, width: int | None = None) -> str:
    """A target with its sources and operators, in paragraphs of a terminal's `width`."""
    found = _detail_lines(target)
    return "\n".join(fold_lines(found, max(width or _WIDTH, _LEAST))) + "\n"


def fold_lines(lines: Iterable[str], width: int) -> Iterator[str]:
    """Lines folded to a width, each below where its words begin: its label's, or its own."""
    for line in lines:
        label = _LABEL.match(line)
        indent = " " * (label.end() if label else 0)
        yield fill(
            line,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )


def format_targets_json(shown: Target | Sequence[Target]) -> str:
    """An object for one target, operators included; an array of objects for several."""
    if isinstance(shown, Target):
        operators = {name: dict(row) for name, row in sorted(shown.operators.items())}
        value: Any = {**_target_object(shown), "operators": operators}
    else:
        value = [_target_object(target) for target in shown]
    return json.dumps(value, indent=2) + "\n"


def _table_row(target: Target) -> tuple[str, str, str, str, str]:
    release = target.release
    count = _count_operators(target)
    return target.name, _highest_opset(target), count, release.confidence, release.basis


def _highest_opset(target: Target) -> str:
    """`17`; `20 to 24` where only bounds are known; `-` where nothing is known, or nothing meant."""
    bounds = target.release.bounds
    if target.highest is not None:
        return str(target.highest)
    return f"{bounds[0]} to {bounds[1]}" if bounds else "-"


def _count_operators(target: Target) -> str:
    taken = sum(row["supported"] is True for row in target.operators.values())
    return str(taken) if target.operators else "unknown"


def _target_object(target: Target) -> dict[str, Any]:
    release, rows = target.release, target.operators
    return {
        "name": target.name,
        "runtime": target.tables.runtime,
        "operator_names": target.tables.names,
        "highest_opset": target.highest,
        "highest_opset_bounds": release.bounds,
        "lowest_opset": release.lowest,
        "opset_limit": release.limit,
        "highest_ir_version": release.ir,
        "operators_supported": sum(r["supported"] is True for r in rows.values()),
        "operators_named": len(rows),
        "checked": describe_checks(target),
        "complete": release.complete,
        "dynamic_sizes": release.dynamic,
        "confidence": release.confidence,
        "basis": release.basis,
        "retrieved": release.retrieved,
        "sources": [dict(source) for source in release.sources],
        "notes": list(release.notes),
    }


def _detail_lines(target: Target) -> Iterator[str]:
    release, rows = target.release, target.operators
    yield f"{target.name}: {target.tables.runtime}"
    yield f"  opset:       {_highest_opset(target)} at most, {_LIMITS[release.limit]}"
    if release.lowest is not None:
        yield f"  from opset:  {release.lowest}"
    if release.ir is not None:
        yield f"  IR version:  {release.ir} at most; a newer file is refused"
    yield f"  sizes:       {_SIZES[release.dynamic]}"
    yield f"  confidence:  {release.confidence}: {release.basis}"
    yield f"  checked:     {describe_checks(target)}"
    yield f"  not listed:  {'not supported' if release.complete else 'unknown'}"
    yield from (f"  note:        {note}" for note in release.notes)
    yield from (f"  source:      {_source_line(s)}" for s in release.sources)
    yield f"  retrieved:   {release.retrieved}"
    yield from _operator_lines("Supported", rows, lambda row: row["supported"] is True)
    yield from _operator_lines("Not supported", rows, lambda row: row["supported"] is False)
    yield from _operator_lines("Tried without a result", rows, lambda row: row["supported"] is None)
    disputed = {n: r for n, r in rows.items() if r["supported"] and r.get("documented") == "N"}
    yield from _operator_lines("In the code, denied by the documentation", disputed, bool)


def describe_checks(target: Target) -> str:
    """What the rules look up in a target's table, and what not."""
    tables = target.tables
    if tables.names != "aten":
        return _CHECKED[tables.names]
    return _CHECKED[tables.looks_up] if tables.looks_up else _READ_ONLY[target.release.complete]


_CHECKED = {
    "onnx": (
        "layers and functions of the source as both ONNX exporters write them (LT901), opsets of "
        "export calls (LT902), sizes declared dynamic (LT906); with --export onnx or onnx-legacy "
        "each node of the graph, its type and its dimensions (LT901, LT903, LT906)"
    ),
    "torch": "layers and functions of the source by their names (LT901); nothing of a graph",
    "traced": "layers and functions of the source as the operators that tracing finds (LT901)",
    "program": (
        "with --trace, the operators of the torch.export program that torch has no decomposition "
        "of (LT901); nothing of the source, nor of what the converter decomposes"
    ),
}
_READ_ONLY = {
    True: "nothing: the table is there to be read; arguments decide what is converted",
    False: "nothing: the table is there to be read, and does not tell what is not supported",
}
"""By whether the table is complete."""
_LIMITS = {
    "refused": "a newer one is refused",
    "printed": "a newer one is printed and read all the same",
    "none": "and nothing looks at it",
    "unknown": "what becomes of a newer one is unknown",
}
_SIZES = {True: "may vary", False: "fixed only", None: "unknown whether they may vary"}


def _operator_lines(title: str, rows: Mapping[str, Any], wanted: Any) -> Iterator[str]:
    names = sorted(name for name, row in rows.items() if wanted(row))
    if names:
        yield ""
        yield f"{title} ({len(names)}):"
        yield f"  {', '.join(names)}"


def _source_line(source: Mapping[str, str]) -> str:
    order = ("repo", "wheel", "title", "wheels", "path", "commit", "test_models", "role", "how")
    return ", ".join(str(source[key]) for key in order if key in source)
