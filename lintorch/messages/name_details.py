"""What the words of an error say beyond its class: the module that is missing, the attribute, the signal."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lintorch.messages.message_kinds import Kind, parse_toml

_HERE = Path(__file__)


@dataclass(frozen=True)
class Detail:
    """One way in which errors of a class are worded, and what it says."""

    of: tuple[str, ...]
    """Names of kinds."""
    pattern: re.Pattern[str]
    cause: str
    remedy: str


def add_details(kind: Kind, said: str) -> Kind:
    """The class of an error with what its statement names; the class as it is where it names nothing."""
    for detail in load_details():
        match = detail.pattern.search(said) if kind.name in detail.of else None
        named = None if match is None else _name_groups(match.groupdict())
        if named is not None:
            cause, remedy = (each.format_map(named) for each in (detail.cause, detail.remedy))
            return replace(kind, cause=cause, remedy=remedy)
    return kind


def _name_groups(groups: Mapping[str, str | None]) -> Mapping[str, str] | None:
    """What stands in for the names in braces; None where the module that is `known` is not."""
    named = {key.rstrip("0123456789"): value for key, value in groups.items() if value}
    if "known" in named:
        module = named["known"].partition(".")[0]
        if module not in load_distributions() or "." in named["known"]:
            return None
        return {"name": module, "distribution": load_distributions()[module]}
    return {"name": "", "owner": "", "type": "", "path": ""} | named


@functools.cache
def load_details() -> tuple[Detail, ...]:
    """In the order in which they are asked."""
    tables = parse_toml(_HERE.with_name("class_details.toml"))["detail"]
    return tuple(
        Detail(tuple(each["of"]), re.compile(each["pattern"]), each["cause"], each["remedy"])
        for each in tables
    )


@functools.cache
def load_distributions() -> Mapping[str, str]:
    """By the name of a module: what pip calls the package."""
    return parse_toml(_HERE.with_name("distributions.toml"))
