"""The record as JSON and back: what the worker sends, and what is read from it.

Who sends may be code that is not ours: what is read is of the types that the record says, or
refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

from lintorch.record.readers import MalformedError, reader_of
from lintorch.record.tagged import Tagged

__all__ = ["MalformedError", "pack_value", "read_value"]
Value = TypeVar("Value")
_PLAIN = (str, int, float, bool, type(None))


def pack_value(value: Any) -> Any:
    """A value of the record as JSON holds it; fields at their default are left out."""
    if isinstance(value, _PLAIN):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        parts = {
            field.name: pack_value(part)
            for field in fields(value)
            if (part := getattr(value, field.name)) != field.default
        }
        return {value.tag: parts} if isinstance(value, Tagged) else parts
    if isinstance(value, Mapping):
        return {str(key): pack_value(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [pack_value(part) for part in value]
    return value.value if isinstance(value, Enum) else str(value)


def read_value(kind: type[Value], data: Any) -> Value:
    """A value of a class of the record, as `pack_value` wrote it. Raises MalformedError."""
    hint: Any = kind
    value: Value = reader_of(hint)(data)
    return value
