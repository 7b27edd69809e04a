"""Tables of facts that lie beside a rule as JSON, read when they are first asked for."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Release = tuple[int, int]


@dataclass(frozen=True)
class Table:
    """The JSON file `name` beside `file`, usually a rule's own `__file__`."""

    file: str
    name: str

    @cached_property
    def rows(self) -> Any:
        """What the file holds."""
        with open(os.path.join(os.path.dirname(self.file), self.name), encoding="utf-8") as stream:
            return json.load(stream)

    @cached_property
    def by_name(self) -> dict[str, dict[str, Any]]:
        """Rows that are a list of objects, by their `name` and by the other names in `also`."""
        return {name: row for row in self.rows for name in (row["name"], *row.get("also", ()))}


def release(written: str) -> Release:
    """`"1.13"` as (1, 13), which compares as releases do."""
    major, minor = written.split(".")
    return int(major), int(minor)
