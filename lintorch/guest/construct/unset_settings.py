"""Settings that a file of the project holds as None, or empty, until a script sets them: `FLAGS = None`, `M = Box()`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lintorch.guest.construct.found_settings import CONFIG_NAME, make_found_settings
from lintorch.guest.construct.setting_paths import find_settings_read
from lintorch.guest.process.assumptions import note_assumption
from lintorch.record.repository import find_repository

_ABSENT = object()


def fill_unset_settings(call: Callable[..., Any] | None, error: Exception) -> bool:
    """Whether an error came of such settings, which are there from now on, as what the repository ships tells them."""
    missed = isinstance(error, AttributeError) and (error.obj is None or _is_empty(error.obj))
    if call is None or not (missed or isinstance(error, KeyError)):
        return False
    found = _find_unset(call)
    if found is None:
        return False
    name, unset = found
    settings = make_found_settings(call, name)
    home = find_repository(Path(inspect.getfile(call)).resolve().parent)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and vars(module).get(name, _ABSENT) is unset and Path(file).is_relative_to(home):
            setattr(module, name, settings)
    what = "None" if unset is None else "empty"
    note_assumption(f"{name}, which is {what} until a script sets it: {settings!r}")
    return True


def _find_unset(call: Callable[..., Any]) -> tuple[str, object] | None:
    """The name in a class's file that settings are read of, and what it holds, which is None or empty."""
    scope = vars(inspect.getmodule(call) or inspect)
    named = (
        (name, value)
        for name, value in scope.items()
        if (value is None and CONFIG_NAME.fullmatch(name.lower())) or _is_empty(value)
    )
    return next((each for each in named if find_settings_read(call, each[0])), None)


def _is_empty(value: object) -> bool:
    """Whether it is a mapping of a class of its own, whose items are attributes too, that holds nothing yet."""
    return isinstance(value, dict) and type(value).__module__ != "builtins" and not value
