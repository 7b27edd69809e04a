"""What is said of rules that settings name and nobody asked to load."""

from __future__ import annotations

from collections.abc import Iterable

from lintorch.report.places import shown_path
from lintorch.settings import Settings, not_loaded

_MOST_FOLDERS = 4
"""Named, at most, so that the line can be read."""


def note_unloaded(met: Iterable[Settings], loaded: tuple[str, ...]) -> tuple[str, ...]:
    """One line for all settings of a run: which rules were left, who named them, how to have them."""
    named = {folder: each.file for each in met for folder in not_loaded(each, loaded)}
    if not named:
        return ()
    import shlex

    listed = [f"{shown_path(f)} ({shown_path(file or '')})" for f, file in named.items()]
    if len(listed) > _MOST_FOLDERS:
        listed[_MOST_FOLDERS:] = [f"{len(listed) - _MOST_FOLDERS} more"]
    first = shlex.quote(shown_path(next(iter(named))))
    return (
        f"rules that settings name were not loaded: {', '.join(listed)}; what is checked does not "
        f"decide which code runs: --rules {first} does",
    )
