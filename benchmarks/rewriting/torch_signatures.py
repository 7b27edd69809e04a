"""The parameters of what torch has, from Python or from the schemas of operators; needs torch."""

from __future__ import annotations

import inspect
from typing import Any

import torch


def read_signature(name: str) -> list[list[Any]]:
    """Name, default as Python, and whether it goes by keyword alone, of each parameter; [] if unknown."""
    try:
        target = _find(name)
    except AttributeError:
        return []
    try:
        given = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return read_schema(name)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in given):
        return []
    return [[p.name, _spell_default(p.default), p.kind is p.KEYWORD_ONLY] for p in given]


def read_schema(name: str) -> list[list[Any]]:
    """The same of an operator that is not written in Python, from the overload most often meant."""
    listed = torch._C._jit_get_schemas_for_operator(f"aten::{name.rpartition('.')[2]}")
    schemas = [each for each in listed if not each.overload_name.endswith(("out", "max", "min"))]
    if not schemas:
        return []
    given = min(schemas, key=_rank_overload).arguments
    return [
        ["input" if a.name == "self" else a.name, _spell_default(_default_of(a)), a.kwarg_only]
        for a in given
        if not (name.startswith(".") and a.name == "self")
    ]


def _rank_overload(schema: Any) -> tuple[bool, bool]:
    """Those of a tensor come first, and of these the ones along a dimension."""
    given = schema.arguments
    return str(given[0].type) != "Tensor", all(each.name != "dim" for each in given)


def _find(name: str) -> Any:
    target: Any = torch.Tensor if name.startswith(".") else torch
    for part in name.removeprefix("torch").strip(".").split("."):
        target = getattr(target, part)
    return target


def _default_of(argument: Any) -> Any:
    return argument.default_value if argument.has_default_value() else inspect.Parameter.empty


def _spell_default(value: Any) -> str:
    plain = value is None or isinstance(value, bool | int | float | str)
    return repr(value) if plain else ""
