"""What a returned expression holds, by its own form: dicts and their keys, sets, plain values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeGuard

import libcst as cst

from lintorch.facts.exporting.export_calls import literal_strings
from lintorch.syntax.literals import UNKNOWN, literal


class Names(Protocol):
    """What knows the names of a file."""

    def name(self, expression: cst.CSTNode | None) -> str:
        """The full name of what it stands for."""


def list_kinds(value: cst.BaseExpression, source: Names) -> Iterator[str]:
    """The keys of RETURNED that hold for a value and what is in it."""
    if isinstance(value, (cst.Tuple, cst.List)):
        for element in value.elements:
            yield from list_kinds(element.value, source)
    elif isinstance(value, cst.Dict) or is_dict_call(value, source):
        yield "dict"
        parts: Sequence[cst.BaseDictElement | cst.Arg]
        parts = value.elements if isinstance(value, cst.Dict) else value.args
        for part in parts:
            yield from list_kinds(part.value, source) if not is_star(part) else ()
    elif isinstance(value, (cst.Set, cst.SetComp)):
        yield "set"
    elif (plain := literal(value)) is not UNKNOWN:
        yield "none" if plain is None else "text" if isinstance(plain, str) else "number"


def is_star(element: cst.CSTNode) -> bool:
    return isinstance(element, cst.StarredDictElement) or bool(getattr(element, "star", ""))


def is_dict_call(value: cst.BaseExpression, source: Names) -> TypeGuard[cst.Call]:
    """`dict(a=x)`."""
    return isinstance(value, cst.Call) and source.name(value.func) == "dict"


def keys_of(value: cst.BaseExpression, source: Names) -> list[str]:
    """The keys of a dict, where all of them are read off the source."""
    if isinstance(value, cst.Dict):
        keys = [*literal_strings(value)]
        return keys if len(keys) == len(value.elements) else []
    given = value.args if is_dict_call(value, source) else ()
    return [a.keyword.value for a in given if a.keyword] if all(a.keyword for a in given) else []
