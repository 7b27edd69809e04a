"""The record as JSON and back: what the worker sends, and what is read from it.

Who sends may be code that is not ours: what is read is of the types that the record says, or
refused.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from lintorch.record.trace import Event, Failure, Input, Model, Outcome, Run, Rung, Site

Value = TypeVar("Value")
Reader = Callable[[Any], Any]
_PLAIN = (str, int, float, bool, type(None))
_DEEPEST = 40


class MalformedError(ValueError):
    """What was sent is not what the record holds; the text says what is wrong with it."""


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


def read(kind: type[Value], data: Any) -> Value:
    """A value of a dataclass of the record, as `packed` wrote it. Raises MalformedError."""
    hint: Any = kind
    value: Value = _reader(hint)(data)
    return value


def run(data: Any) -> Run:
    """A run, as `packed` wrote it."""
    return read(Run, data)


def event(data: Any) -> Event:
    """An event, as `packed` wrote it."""
    return read(Event, data)


def rung(data: Any) -> Rung:
    """A rung, as `packed` wrote it."""
    return read(Rung, data)


def model(data: Any) -> Model:
    """A model, as `packed` wrote it."""
    return read(Model, data)


def given(data: Any) -> Input:
    """An input, as `packed` wrote it."""
    return read(Input, data)


def failure(data: Any) -> Failure:
    """A failure, as `packed` wrote it."""
    return read(Failure, data)


def outcome(data: Any) -> Outcome:
    """An outcome, as `packed` wrote it."""
    return read(Outcome, data)


@cache
def _reader(hint: Any) -> Reader:
    """What reads a value of a type that the record uses."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return _frozen
    if origin in (Union, types.UnionType):
        return _either(tuple(map(_reader, parts)))
    if origin is tuple:
        return _several(_reader(parts[0])) if parts[1:] == (...,) else _row(parts)
    if origin is not None and issubclass(origin, Mapping):
        return _table(_reader(parts[1]))
    if is_dataclass(hint):
        return _made(hint)
    return _plain(hint)


def _plain(kind: type) -> Reader:
    kinds = (int, float) if kind is float else (kind,)

    def read(data: Any) -> Any:
        if type(data) not in kinds:
            raise MalformedError(f"{kind.__name__} is missing where {_shown(data)} is")
        return data

    return read


def _either(readers: tuple[Reader, ...]) -> Reader:
    def read(data: Any) -> Any:
        for reader in readers[:-1]:
            try:
                return reader(data)
            except MalformedError:
                continue
        return readers[-1](data)

    return read


def _several(reader: Reader) -> Reader:
    def read(data: Any) -> Any:
        return tuple(map(reader, _a(list, data)))

    return read


def _row(parts: tuple[Any, ...]) -> Reader:
    readers = tuple(map(_reader, parts))

    def read(data: Any) -> Any:
        if len(_a(list, data)) != len(readers):
            raise MalformedError(f"{len(readers)} values are missing where {len(data)} are")
        return tuple(reader(part) for reader, part in zip(readers, data, strict=True))

    return read


def _table(reader: Reader) -> Reader:
    def read(data: Any) -> Any:
        return {name: reader(part) for name, part in _a(dict, data).items()}

    return read


def _made(kind: Any) -> Reader:
    hints = get_type_hints(kind)
    readers = {field.name: _reader(hints[field.name]) for field in fields(kind)}
    needed = {
        field.name
        for field in fields(kind)
        if field.default is MISSING and field.default_factory is MISSING
    }

    def read(data: Any) -> Any:
        try:
            parts = {name: readers[name](part) for name, part in _a(dict, data).items()}
        except KeyError as error:
            raise MalformedError(f"{kind.__name__} has no field {_shown(error.args[0])}") from error
        if needed - parts.keys():
            raise MalformedError(f"{kind.__name__} lacks {min(needed - parts.keys())}")
        if kind is Site and not 0 < parts["row"] < _MOST_ROWS:
            raise MalformedError(f"there is no row {parts['row']}")
        return kind(**parts)

    return read


_MOST_ROWS = 2**31


def _frozen(value: Any, depth: int = 0) -> Any:
    """JSON has one kind of sequence, and so has the record: tuples."""
    if depth > _DEEPEST:
        raise MalformedError("a value is nested too deeply")
    if isinstance(value, list):
        return tuple(_frozen(part, depth + 1) for part in value)
    if isinstance(value, dict):
        return {name: _frozen(part, depth + 1) for name, part in value.items()}
    return value


def _a(kind: type, data: Any) -> Any:
    if type(data) is not kind:
        raise MalformedError(f"{kind.__name__} is missing where {_shown(data)} is")
    return data


def _shown(data: Any) -> str:
    text = repr(data) if isinstance(data, (str, int, float)) else type(data).__name__
    return text if len(text) < 60 else text[:59] + "…"
