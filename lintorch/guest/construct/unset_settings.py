"""Settings that a file of the project holds as None until a script sets them: `FLAGS = None`."""

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
    if not isinstance(error, AttributeError) or error.obj is not None or call is None:
        return False
    name = _find_unset(call)
    if not name:
        return False
    settings = make_found_settings(call, name)
    home = find_repository(Path(inspect.getfile(call)).resolve().parent)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and vars(module).get(name, _ABSENT) is None and Path(file).is_relative_to(home):
            setattr(module, name, settings)
    note_assumption(f"{name}, which is None until a script sets it: {settings!r}")
    return True


def _find_unset(call: Callable[..., Any]) -> str:
    """The name in a class's file that settings are read of, and that is None; "" for none."""
    scope = vars(inspect.getmodule(call) or inspect)
    named = (n for n, value in scope.items() if value is None and CONFIG_NAME.fullmatch(n.lower()))
    return next((name for name in named if find_settings_read(call, name)), "")
