"""Lets a file that reads its command line while it is imported have the defaults: it is given none."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.process.assumptions import note_assumption

_parse = argparse.ArgumentParser.parse_known_args


def relax_command_line() -> None:
    """Take None for each argument that a parser asks for, where no command line is given."""
    argparse.ArgumentParser.parse_known_args = _parse_relaxed  # type: ignore[method-assign]


def _parse_relaxed(self: Any, args: Any = None, namespace: Any = None) -> Any:
    code = get_user_code()
    place = code.name_place() if code is not None else ""
    if args is not None or not place:
        return _parse(self, args, namespace)
    with _ask_for_nothing(self) as left_out:
        found = _parse(self, [], namespace)
    chosen = dict(_choose_first(self, left_out, found))
    for name, value in chosen.items():
        setattr(found[0], name, value)
    lacking = [name for name in left_out if name not in chosen]
    if lacking:
        note_assumption(f"None for arguments of the command line: {', '.join(lacking)} ({place})")
    if chosen:
        said = ", ".join(f"{name}={value}" for name, value in chosen.items())
        note_assumption(f"the first choice of the command line: {said} ({place})")
    return found


def _choose_first(parser: Any, names: list[str], found: Any) -> Iterator[tuple[str, Any]]:
    """Of arguments that have to be given and are one of several words, the first of these."""
    for action in parser._actions:
        asked = action.dest in names and getattr(found[0], action.dest, None) is None
        if asked and isinstance(action.choices, (list, tuple)) and action.choices:
            yield action.dest, action.choices[0]


@contextmanager
def _ask_for_nothing(parser: Any) -> Iterator[list[str]]:
    """Meanwhile nothing is required; the names of what was."""
    asked = [action for action in parser._actions if action.required]
    before = [(action, action.nargs) for action in asked]
    for action in asked:
        action.required = False
        if not action.option_strings and action.nargs in (None, "+"):
            action.nargs = "?" if action.nargs is None else "*"
    try:
        yield [action.dest for action in asked]
    finally:
        for action, nargs in before:
            action.required, action.nargs = True, nargs
