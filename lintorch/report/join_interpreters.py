"""Exports of the same models by several interpreters as one record: which upgrade breaks what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from lintorch.report.record_cells import name_column
from lintorch.report.record_changes import Record, mark_changes


def join_interpreters(records: Sequence[tuple[str, str, Record]]) -> Record:
    """One record of those of each interpreter, by name and path, in the order of upgrades.

    A column stands for an exporter and an interpreter; each but the first is compared with the one
    before it. Models, findings and source are those of the last interpreter that has them.
    """
    last = records[-1][2]
    marked = [*_compare_neighbours(records)]
    return {
        **last,
        "interpreters": [{"name": name, "python": python} for name, python, _ in records],
        "columns": _list_columns(records),
        "models": [*_list_models([record for _, _, record in records])],
        "trials": [
            {**trial, "column": _name_column(name_column(trial), name), "interpreter": name}
            for name, record in marked
            for trial in record["trials"]
        ],
        "changes": _sum_up(marked, [name for name, _, _ in records]),
    }


def _compare_neighbours(
    records: Sequence[tuple[str, str, Record]],
) -> Iterator[tuple[str, Record]]:
    first, _, earlier = records[0]
    yield first, {**earlier, "trials": [{**each, "change": None} for each in earlier["trials"]]}
    for (before, _, old), (name, _, record) in pairwise(records):
        yield name, mark_changes(record, old, before)


def _list_columns(records: Sequence[tuple[str, str, Record]]) -> list[str]:
    """Those of one exporter beside each other."""
    columns = dict.fromkeys(column for _, _, record in records for column in record["columns"])
    return [_name_column(column, name) for column in columns for name, _, _ in records]


def _name_column(column: str, interpreter: str) -> str:
    return f"{column} @ {interpreter}"


def _list_models(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Those of the last record, then those that only earlier ones have, without its findings."""
    seen: set[str] = set()
    for number, record in enumerate(reversed(records)):
        for model in record["models"]:
            if model["model"] not in seen:
                seen.add(model["model"])
                yield {**model, "findings": []} if number else model


def _sum_up(marked: Sequence[tuple[str, Record]], names: Sequence[str]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    gone: list[dict[str, Any]] = []
    worse = 0
    for name, record in marked[1:]:
        changes = record["changes"]
        counts.update(changes["counts"])
        worse += changes["worse"]
        gone += [{**e, "column": _name_column(e["column"], name)} for e in changes["gone"]]
    since = names[0] if len(names) == 2 else "the interpreter before"
    return {"since": since, "worse": worse, "counts": dict(counts.most_common()), "gone": gone}
