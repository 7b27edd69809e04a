"""Every model through every exporter: the value that `export` reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lintorch.finding import Finding
from lintorch.trace.record import Failure, Model, Outcome

OK, WRONG, FAILED, UNAVAILABLE = "ok", "wrong", "failed", "unavailable"
STATUSES = (OK, WRONG, FAILED, UNAVAILABLE)


@dataclass(frozen=True)
class Tried:
    """One export that was tried, and what the rules say of it.

    `artifact` and `script` are the files that were written; "" where none was.
    """

    outcome: Outcome
    findings: tuple[Finding, ...] = ()
    artifact: str = ""
    script: str = ""

    @property
    def status(self) -> str:
        """One of `STATUSES`; a model that is itself random runs, and its numbers are not compared."""
        return OK if self.outcome.status == "random" else self.outcome.status

    @property
    def message(self) -> str:
        """What the exporter, or the comparison, says."""
        return self.outcome.message or self.outcome.detail


@dataclass(frozen=True)
class Row:
    """A model that ran, or why it did not; a file that cannot be imported has no model either."""

    model: Model | None
    failure: Failure | None = None
    problem: Finding | None = None
    """The finding that the failure is."""
    tried: tuple[Tried, ...] = ()

    @property
    def path(self) -> str:
        """The file it is in."""
        return (self.model or self.failure or _NOTHING).path

    @property
    def qualname(self) -> str:
        """Its class or factory; "" for a file."""
        return (self.model or self.failure or _NOTHING).qualname


_NOTHING = Failure("", "", 1, "", "")


@dataclass(frozen=True)
class Matrix:
    """All rows, in the order they were found; `exporters` in the order they were asked for.

    `errors` say what lintorch could not do, one line each.
    """

    exporters: tuple[str, ...]
    rows: tuple[Row, ...]
    errors: tuple[str, ...] = ()

    def count(self) -> dict[str, int]:
        """How many exports came to each status, in the order of `STATUSES`."""
        counted = Counter(each.status for row in self.rows for each in row.tried)
        return {status: counted[status] for status in STATUSES if counted[status]}
