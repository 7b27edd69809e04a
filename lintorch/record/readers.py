"""Readers of values as JSON holds them, made from the annotations of the classes of the record."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from lintorch.record.tagged import Tagged, tagged_classes

Reader = Callable[[Any], Any]
_DEEPEST = 40


class MalformedError(ValueError):
    """What was sent is not what the record holds; the text says what is wrong with it."""


@dataclass(frozen=True)
class Within:
    """Says of a whole number in an annotation that it is at least `low` and below `high`."""

    low: int
    high: int
    what: str


@dataclass(frozen=True)
class AsSent:
    """Says of a value in an annotation that it is left as JSON holds it: lists stay lists."""


@cache
def reader_of(hint: Any) -> Reader:
    """What reads a value of a type that the record uses."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return _frozen
    if origin is Annotated:
        return _marked(reader_of(parts[0]), parts[1])
    if origin is Literal:
        return _one_of(parts)
    if origin in (Union, types.UnionType):
        return _either(tuple(map(reader_of, parts)))
    if origin is tuple:
        return _several(reader_of(parts[0])) if parts[1:] == (...,) else _row(parts)
    if origin is not None and issubclass(origin, Mapping):
        return _table(reader_of(parts[1]))
    if issubclass(hint, Tagged):
        return _tagged(hint)
    if issubclass(hint, Enum):
        return _named(hint)
    return _made(hint) if is_dataclass(hint) else _plain(hint)


def _plain(kind: type) -> Reader:
    kinds = (int, float) if kind is float else (kind,)

    def read(data: Any) -> Any:
        if type(data) not in kinds:
            raise MalformedError(f"{kind.__name__} is missing where {_shown(data)} is")
        return data

    return read


def _named(kind: type[Enum]) -> Reader:
    def read(data: Any) -> Any:
        try:
            return kind(data)
        except ValueError as error:
            raise MalformedError(f"there is no {kind.__name__} {_shown(data)}") from error

    return read


def _one_of(values: tuple[str, ...]) -> Reader:
    def read(data: Any) -> Any:
        if type(data) is not str or data not in values:
            raise MalformedError(f"{_shown(data)} is none of {', '.join(values)}")
        return data

    return read


def _marked(reader: Reader, mark: object) -> Reader:
    def within(data: Any) -> Any:
        assert isinstance(mark, Within)
        if not mark.low <= reader(data) < mark.high:
            raise MalformedError(f"there is no {mark.what} {data}")
        return data

    return within if isinstance(mark, Within) else lambda data: data


def _either(readers: tuple[Reader, ...]) -> Reader:
    def read(data: Any) -> Any:
        for reader in readers[:-1]:
            try:
                return reader(data)
            except MalformedError:
                continue
        return readers[-1](data)

    return read


def _tagged(base: type[Tagged]) -> Reader:
    readers = {kind.tag: _made(kind) for kind in tagged_classes(base)}

    def read(data: Any) -> Any:
        pairs = list(_a(dict, data).items())
        if len(pairs) != 1 or pairs[0][0] not in readers:
            raise MalformedError(f"there is nothing known as {_shown(next(iter(data), ''))}")
        ((tag, parts),) = pairs
        return readers[tag](parts)

    return read


def _several(reader: Reader) -> Reader:
    def read(data: Any) -> Any:
        return tuple(map(reader, _a(list, data)))

    return read


def _row(parts: tuple[Any, ...]) -> Reader:
    readers = tuple(map(reader_of, parts))

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
    hints = get_type_hints(kind, include_extras=True)
    readers = {field.name: reader_of(hints[field.name]) for field in fields(kind)}
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
        return kind(**parts)

    return read


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
