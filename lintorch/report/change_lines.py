"""Changes of a record in lines for people, those that are for the worse first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lintorch.report.record_cells import name_column
from lintorch.report.record_changes import Record
from lintorch.report.record_reasons import Reason, list_reasons, write_reason
from lintorch.report.styled_lines import Line, Screen


def summarise_changes(record: Record) -> str:
    """`since main.json: 2 newly wrong, 1 mended`; "" where nothing was compared."""
    changes = record.get("changes")
    if not changes:
        return ""
    told = ", ".join(f"{number} {kind}" for kind, number in changes["counts"].items())
    return f"since {changes['since']}: {told or 'nothing has changed'}"


_Changed = tuple[str, dict[str, Any], list[Reason]]


def list_changes(record: Record) -> Iterator[_Changed]:
    """`net.py:Net with onnx`, the change, and why it is so now."""
    changes = record.get("changes")
    if not changes:
        return
    changed = [(name_trial(t), t["change"], _explain(t)) for t in record["trials"] if t["change"]]
    gone: list[_Changed] = [
        (f"{each['model']} with {each['column']}", each, []) for each in changes["gone"]
    ]
    yield from sorted([*changed, *gone], key=lambda each: not each[1]["worse"])


def draw_changes(record: Record, screen: Screen) -> Iterator[Line]:
    """A line for each change, below what they come to; none where nothing was compared."""
    if not (summary := summarise_changes(record)):
        return
    yield ()
    yield [(summary, "strong")]
    for name, change, reasons in list_changes(record):
        why = "".join(f"; {write_reason(reason)}" for reason in reasons)
        told = f"{name}: {change['kind']}: {change['message']}{why}"
        for place, (margin, line) in enumerate(
            screen.wrap(told, 4, "error" if change["worse"] else "")
        ):
            yield [("  ", "") if place == 0 else margin, line]


def name_trial(trial: dict[str, Any]) -> str:
    """`net.py:Net with onnx`."""
    return f"{trial['model']} with {name_column(trial)}"


def _explain(trial: dict[str, Any]) -> list[Reason]:
    """What is said of a trial that is worse than it was; the line comes first where one is known."""
    if not trial["change"]["worse"]:
        return []
    return sorted(list_reasons({}, [trial]), key=lambda reason: reason.at is None)[:1]
