"""What libraries offer, read off tables: which names a module has, and what its callables take."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

from lintorch.core.tables import Table
from lintorch.facts.api.nearest_name import nearest_names


@dataclass(frozen=True)
class CallableParameters:
    """The parameters of a callable, written as `a,b#,c?,*,d`.

    `#` marks a whole number by default, `?` a bool; what follows `*` goes by keyword only, `*name` takes
    any number of positions and `**` any keyword; `~` in front means that the order is not known.
    """

    written: str

    @cached_property
    def names(self) -> frozenset[str]:
        """What may be given by keyword."""
        parts = self.written.lstrip("~").split(",")
        return frozenset(part.rstrip("#?") for part in parts if not part.startswith("*"))

    @cached_property
    def positional(self) -> tuple[str, ...] | None:
        """What may be given by position, marks kept; None where the order is not known."""
        if self.written.startswith("~"):
            return None
        parts = self.written.split(",")
        end = next((n for n, part in enumerate(parts) if part.startswith("*")), len(parts))
        return tuple(parts[:end])

    @property
    def any_keyword(self) -> bool:
        """Whether a keyword of any name is taken."""
        return self.written.endswith("**")

    @property
    def any_position(self) -> bool:
        """Whether any number of positional arguments is taken, or it is not known how many."""
        starred = [part for part in self.written.split(",") if part.startswith("*")]
        return self.positional is None or bool(starred and starred[0] not in ("*", "**"))

    def nearest_keyword(self, keyword: str) -> str:
        """The one parameter whose name is close to `keyword`; "" if there is none, or two."""
        shown = [name for name in self.names if len(name) > 2 and name[0] != "_"]
        found = nearest_names(keyword, shown)
        if not found and "_" in keyword:
            found = [name for name in shown if name.startswith(f"{keyword}_")]
        return found[0] if len(found) == 1 else ""


@cache
def names_by_module(table: Table) -> dict[str, frozenset[str]]:
    """From module to all public names it may have."""
    return {name: frozenset(names.split()) for name, names in table.rows["names"].items()}


@cache
def parameters_by_callable(table: Table) -> dict[str, CallableParameters]:
    """From the full name of a callable to what it takes."""
    return {name: CallableParameters(written) for name, written in table.rows.items()}


@cache
def last_parts(table: Table) -> frozenset[str]:
    """The last part of the name of each callable of a table: a cheap test of a call."""
    return frozenset(name.rpartition(".")[2] for name in table.rows)
