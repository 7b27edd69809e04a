"""What was asked for, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lintorch.core.finding import Applicability
from lintorch.report.result import Repaired, Result

Progress = Callable[[str], None]


def silent(step: str) -> None:
    """Progress that nobody watches."""


@dataclass(frozen=True)
class Order:
    """A check as it was asked for on the command line; `settings` outweigh those of files."""

    paths: tuple[str, ...]
    trace: bool = False
    exporters: tuple[str, ...] = ()
    settings: Mapping[str, object] = field(default_factory=dict)
    fixes: frozenset[Applicability] = frozenset()
    """Which fixes go in; none unless asked for."""
    unsafe: bool = False
    """Whether unsafe fixes count among those that fixing puts in."""
    diff: bool = False
    """Show what fixing would change, and write nothing."""
    show_refuted: bool = False
    jobs: int = 0
    """Processes that lint; 0 for one per core."""
    cache: bool = True
    force_exclude: bool = False
    """Whether settings leave out even files that are given by name."""
    python: str | None = None
    """The interpreter that runs models; None for the project's own."""
    config: str | None = None
    """The settings file that holds for every file, instead of the closest."""
    rules: tuple[str, ...] = ()
    """Folders of rules to load besides what the environment and the user's own settings name."""
    text: str | None = None
    """The text to check instead of what the one path holds."""

    @property
    def runs_models(self) -> bool:
        """Whether code of the user runs."""
        return self.trace or bool(self.exporters)


@dataclass(frozen=True)
class Rewritten:
    """A file and what fixing makes of it."""

    path: str
    before: str
    after: str
    repaired: Repaired


@dataclass(frozen=True)
class Checked:
    """What a check came to. `errors` say what lintorch could not do, one line each."""

    result: Result
    errors: tuple[str, ...] = ()
    rewritten: tuple[Rewritten, ...] = ()
    notes: tuple[str, ...] = ()
    """What was left undone as it was not asked for, one line each."""
