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
    Note,
    Place,
    Severity,
)

_PLACE = [each.name for each in fields(Finding)].index("place")


def make_plain(path: str, finding: Finding) -> list[Any]:
    """The finding's fields in order, as JSON knows them; its path only where it is another."""
    plain = [_plain_value(getattr(finding, each.name)) for each in fields(Finding)]
    if finding.place.path != path:
        plain[_PLACE].append(finding.place.path)
    return plain


def read_finding(path: str, stored: list[Any]) -> Finding:
    """The finding that `make_plain` made this of, for a path."""
    values = _name_fields(Finding, stored)
    values["severity"] = Severity(values["severity"])
    span, other = values["place"][:4], values["place"][4:]
    values["place"] = Place(other[0] if other else path, *span)
    values["notes"] = tuple(_read_note(each) for each in values["notes"])
    values["fix"] = values["fix"] and _read_fix(*values["fix"])
    values["also"] = tuple(Place(path, *span) for span in values["also"])
    return Finding(**_type_fields(values))


def _plain_value(value: Any) -> Any:
    if isinstance(value, Place):
        return [value.row, value.column, value.end_row, value.end_column]
    if isinstance(value, Fix):
        edits = [[e.start, e.end, e.content] for e in value.edits]
        return [value.message, edits, value.applicability.value]
    if isinstance(value, (Hazard, Note)):
        return [_plain_value(getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, tuple):
        return [_plain_value(each) for each in value]
    return value


def _name_fields(kind: type[Finding | Note], stored: list[Any]) -> dict[str, Any]:
    return dict(zip((each.name for each in fields(kind)), stored, strict=True))


def _read_note(stored: list[Any]) -> Note:
    return Note(**_type_fields(_name_fields(Note, stored)))


def _type_fields(values: dict[str, Any]) -> dict[str, Any]:
    """The fields that findings and notes share, of the types they have there."""
    values["evidence"] = Evidence(values["evidence"])
    values["hazard"] = values["hazard"] and _read_hazard(*values["hazard"])
    values["tried"] = None if values["tried"] is None else Harm(values["tried"])
    values["sizes"] = tuple(map(tuple, values["sizes"]))
    return values


def _read_fix(message: str, edits: list[list[Any]], applicability: str) -> Fix:
    return Fix(message, tuple(Edit(*each) for each in edits), Applicability(applicability))


def _read_hazard(
    harm: list[tuple[str, int]],
    fine: list[str],
    refused: int,
    fixed: int | None,
    untried: list[str],
) -> Hazard:
    return Hazard(
        tuple((name, Harm(kind)) for name, kind in harm),
        tuple(fine),
        Severity(refused),
        None if fixed is None else Severity(fixed),
        tuple(untried),
    )
