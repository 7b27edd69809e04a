"""What `check --show-settings` prints: settings as TOML, each with a comment on where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from lintorch.report.characters import join_lines, make_writable
from lintorch.report.places import shown_path
from lintorch.report.summary_line import write_count
from lintorch.run.describe_settings import Held, SettingsHeld, describe_settings
from lintorch.run.request import CheckRequest
from lintorch.run.write_toml import write_value


def write_settings(request: CheckRequest, out: TextIO) -> tuple[str, ...]:
    """Write what holds for each of the files; what is none. Raises SettingsError or CatalogError."""
    shown, problems = describe_settings(request)
    for number, each in enumerate(shown):
        for line in (*([""] if number else []), *_list_lines(each)):
            out.write(make_writable(join_lines(line), out) + "\n")
    return problems


def _list_lines(shown: SettingsHeld) -> Iterator[str]:
    first, *others = shown.files
    more = f" and {write_count(len(others), 'more file')}" if others else ""
    yield f"# {shown_path(first)}{more}: {write_count(len(shown.rules), 'rule')} on"
    yield from map(_write_held, shown.held)


def _write_held(held: Held) -> str:
    if held.value is None:
        return f"# {held.key} is not set"
    return f"{held.key} = {write_value(held.value)}  # {held.origin}"
