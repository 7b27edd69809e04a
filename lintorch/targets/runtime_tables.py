"""The tables of one runtime, release by release, as they lie in `data/`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
_DATA = Path(__file__).with_name("data")


@dataclass(frozen=True)
class Release:
    """One release of a runtime and how much its table is worth.

    `highest` and `lowest` are the opsets it is made for, None where unknown; `limit` says what
    becomes of a higher one: "refused", "printed", "none" (nothing looks) or "unknown". An
    operator that is missing in a `complete` table is not supported. `dynamic` is False where
    every size must be fixed, None where that is unknown. A `variant` stands beside the releases.
    """

    version: str
    highest: int | None
    limit: str
    confidence: str
    basis: str
    complete: bool
    sources: tuple[Mapping[str, str], ...]
    retrieved: str
    lowest: int | None = None
    ir: int | None = None
    """The highest IR version of an ONNX file that it takes; None where nothing looks, or unknown."""
    bounds: tuple[int, int] | None = None
    variant: bool = False
    derived: bool = False
    plugins: bool = False
    dynamic: bool | None = None
    notes: tuple[str, ...] = ()


class Family:
    """All releases of one runtime, oldest first, and what their operators can do."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.name: str = data["family"]
        self.runtime: str = data["runtime"]
        self.names: str = data["names"]
        """What its operators are called: "onnx", "aten" or "torch" (modules and functions)."""
        self.looks_up: str = data.get("looks_up", "")
        """Of which aten operators it says all: "traced", "program", or "" for none."""
        self.casts: Mapping[str, str] = data.get("casts", {})
        """Types that it turns into another one by itself."""
        self.releases = tuple(_read_release(each, data) for each in data["releases"])
        self.promise: str = data.get("promise", "")
        """Where its makers say that a release takes all operators of the opsets it is made for."""
        self._rows: list[Row] = data["rows"]
        self._operators: Mapping[str, int | list[tuple[str, int | None]]] = data["operators"]
        self._order = {release.version: n for n, release in enumerate(self.releases)}

    def release(self, version: str) -> Release:
        """One release. Raises KeyError."""
        return self.releases[self._order[version]]

    def later(self, version: str) -> tuple[Release, ...]:
        """The releases after one, without variants."""
        return tuple(r for r in self.releases[self._order[version] + 1 :] if not r.variant)

    def row(self, operator: str, version: str) -> Row | None:
        """What is known of an operator in a release; None where its table does not name it."""
        changes = self._operators.get(operator)
        if changes is None or isinstance(changes, int):
            return None if changes is None else self._rows[changes]
        found = None
        for begin, number in changes:
            if self._order[begin] <= self._order[version]:
                found = number
        return None if found is None else self._rows[found]

    def operators(self, version: str) -> dict[str, Row]:
        """All operators that a release's table names."""
        rows = ((name, self.row(name, version)) for name in self._operators)
        return {name: row for name, row in rows if row is not None}


@functools.cache
def load_family(name: str) -> Family:
    """The tables of a runtime."""
    return Family(read_table(name))


def read_table(name: str) -> Any:
    """A file of `data/`."""
    return json.loads((_DATA / f"{name}.json").read_text("utf-8"))


@functools.cache
def list_families() -> tuple[str, ...]:
    """The runtimes there are tables of."""
    names = [entry.name for entry in _DATA.iterdir()]
    return tuple(sorted(n.removesuffix(".json") for n in names if n[0] not in "_."))


def _read_release(each: Mapping[str, Any], data: Mapping[str, Any]) -> Release:
    given = {name: value for name, value in each.items() if name in Release.__dataclass_fields__}
    given |= {name: tuple(given[name]) for name in ("notes", "bounds") if name in given}
    given["sources"] = tuple(data["sources"][n] for n in each["sources"])
    return Release(**{"limit": data["limit"], **given})
