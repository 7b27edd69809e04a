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
    if left_out:
        note_assumption(f"None for arguments of the command line: {', '.join(left_out)} ({place})")
    return found


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
