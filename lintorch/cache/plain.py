"""A finding as JSON knows it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lintorch.finding import Applicability, Edit, Evidence, Finding, Fix, Place, Severity


def plain(finding: Finding) -> list[Any]:
    """The finding's fields in order, as JSON knows them, without its path."""
    return [_plain(getattr(finding, each.name)) for each in fields(Finding)]


def _plain(value: Any) -> Any:
    if isinstance(value, Place):
        return [value.row, value.column, value.end_row, value.end_column, value.cell]
    if isinstance(value, Fix):
        edits = [[e.start, e.end, e.content] for e in value.edits]
        return [value.message, edits, value.applicability.value]
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
    return Finding(**values)
