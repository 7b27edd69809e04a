"""The record as JSON and back: what the worker sends, and what is read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from lintorch.trace.record import (
    Event,
    Failure,
    Input,
    Model,
    OperatorUse,
    Outcome,
    Run,
    Rung,
    Site,
)

Value = TypeVar("Value")
_PLAIN = (str, int, float, bool, type(None))


def packed(value: Any) -> Any:
    """A value of the record as JSON holds it; fields at their default are left out."""
    if isinstance(value, _PLAIN):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: packed(part)
            for field in fields(value)
            if (part := getattr(value, field.name)) != field.default
        }
    if isinstance(value, Mapping):
        return {str(key): packed(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [packed(part) for part in value]
    return str(value)


def run(data: Mapping[str, Any]) -> Run:
    """A run, as `packed` wrote it."""
    return Run(data["sizes"], tuple(map(event, data["events"])), data.get("error", ""))


def event(data: Mapping[str, Any]) -> Event:
    """An event, as `packed` wrote it."""
    return _made(Event, data, site=site(data["site"]), built=site(data.get("built")))


def rung(data: Mapping[str, Any]) -> Rung:
    """A rung, as `packed` wrote it."""
    operators = tuple((name, site(where)) for name, where in data.get("operators", ()))
    return _made(Rung, data, site=site(data.get("site")), operators=operators)


def model(data: Mapping[str, Any]) -> Model:
    """A model, as `packed` wrote it."""
    inputs = tuple(map(given, data.get("inputs", ())))
    return _made(Model, data, inputs=inputs, unsaid=tuple(data.get("unsaid", ())))


def given(data: Mapping[str, Any]) -> Input:
    """An input, as `packed` wrote it."""
    return _made(Input, data, at=tuple(data.get("at", ())))


def failure(data: Mapping[str, Any]) -> Failure:
    """A failure, as `packed` wrote it."""
    return _made(Failure, data, raised=tuple(map(event, data.get("raised", ()))))


def outcome(data: Mapping[str, Any]) -> Outcome:
    """An outcome, as `packed` wrote it."""
    warnings = tuple((text, site(where)) for text, where in data.get("warnings", ()))
    graph = tuple(
        _made(OperatorUse, use, site=site(use.get("site"))) for use in data.get("graph", ())
    )
    return _made(Outcome, data, site=site(data.get("site")), warnings=warnings, graph=graph)


def site(data: Mapping[str, Any] | None) -> Site | None:
    """A site, as `packed` wrote it; None of None."""
    return None if data is None else _made(Site, data)


def _made(kind: type[Value], data: Mapping[str, Any], **parts: Any) -> Value:
    return kind(**{**{name: _frozen(part) for name, part in data.items()}, **parts})


def _frozen(value: Any) -> Any:
    """JSON has one kind of sequence, and so has the record: tuples."""
    if isinstance(value, list):
        return tuple(map(_frozen, value))
    if isinstance(value, dict):
        return {name: _frozen(part) for name, part in value.items()}
    return value
