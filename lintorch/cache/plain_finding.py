"""A finding as JSON knows it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lintorch.core.finding import (
    Applicability,
    Edit,
    Evidence,
    Finding,
    Fix,
    Harm,
    Hazard,
    Place,
    Severity,
)


def plain(finding: Finding) -> list[Any]:
    """The finding's fields in order, as JSON knows them, without its path."""
    return [_plain(getattr(finding, each.name)) for each in fields(Finding)]


def _plain(value: Any) -> Any:
    if isinstance(value, Place):
        return [value.row, value.column, value.end_row, value.end_column]
    if isinstance(value, Fix):
        edits = [[e.start, e.end, e.content] for e in value.edits]
        return [value.message, edits, value.applicability.value]
    if isinstance(value, Hazard):
        return [getattr(value, each.name) for each in fields(Hazard)]
    return value


def finding(path: str, stored: list[Any]) -> Finding:
    """The finding that `plain` made this of, at a path."""
    values = dict(zip((each.name for each in fields(Finding)), stored, strict=True))
    values["severity"] = Severity(values["severity"])
    values["evidence"] = Evidence(values["evidence"])
    values["place"] = Place(path, *values["place"])
    values["notes"] = tuple(values["notes"])
    if values["fix"]:
        message, edits, applicability = values["fix"]
        every = tuple(Edit(*each) for each in edits)
        values["fix"] = Fix(message, every, Applicability(applicability))
    if values["hazard"]:
        values["hazard"] = _hazard(*values["hazard"])
    return Finding(**values)


def _hazard(
    said: str,
    harm: list[tuple[str, int]],
    fine: list[str],
    refused: int,
    fixed: int | None,
    untried: list[str],
) -> Hazard:
    return Hazard(
        said,
        tuple((name, Harm(kind)) for name, kind in harm),
        tuple(fine),
        Severity(refused),
        None if fixed is None else Severity(fixed),
        tuple(untried),
    )
