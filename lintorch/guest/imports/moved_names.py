"""Gives the user's code names that releases have moved or removed since it was written."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from lintorch.guest.imports import moved_functions
from lintorch.guest.imports.dropped_arguments import drop_lost_arguments
from lintorch.guest.imports.user_frames import get_user_code
from lintorch.guest.process.assumptions import note_assumption

_hooked: set[str] = set()


def provide_moved_names() -> None:
    """Have the modules that are loaded by now answer for the names they have lost, when asked by the user's code."""
    drop_lost_arguments()
    for name in _names_by_module().keys() - _hooked:
        module = sys.modules.get(name)
        if isinstance(module, ModuleType):
            _hooked.add(name)
            _answer_for_lost(module, _names_by_module()[name])


def make_moved_module(name: str) -> Any:
    """What is now in the place of a module that is not there; None where nothing is known to be."""
    if name.partition(".")[0] not in sys.modules:
        return None  # what its whole package would be needed for
    for old in _list_packages_around(name):
        if old in _rows():
            return _find_moved(_move_below(_rows()[old], name))
    if name not in _names_by_module():
        return None
    made = ModuleType(name)
    _answer_for_lost(made, _names_by_module()[name])
    return made


def _list_packages_around(name: str) -> list[str]:
    """`a.b.c`, `a.b` and `a`."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(len(parts), 0, -1)]


def _move_below(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The row of what lies below something that has moved."""
    return {"old": name, "to": row.get("to", row["old"]) + name.removeprefix(row["old"])}


def _answer_for_lost(module: ModuleType, rows: Mapping[str, Mapping[str, Any]]) -> None:
    before = vars(module).get("__getattr__")

    def __getattr__(name: str) -> Any:
        code = get_user_code()
        if name in rows and code is not None and code.is_user(_caller_file()):
            guarded = code.is_import_guarded()
            if not guarded and (found := _find_moved(rows[name])) is not None:
                return found
        if before is not None:
            return before(name)
        raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")

    vars(module)["__getattr__"] = __getattr__


def _caller_file() -> str:
    """The file that has asked a module for a name it lacks, be it by `import … from`."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(
        ("importlib", "lintorch.guest.imports")
    ):
        frame = frame.f_back
    return frame.f_code.co_filename


def _find_moved(row: Mapping[str, Any]) -> Any:
    """What a row tells of; None where that is not there, either."""
    if row.get("urls"):
        found: Any = moved_functions.AddressByName()
    elif "is" in row:
        found = getattr(moved_functions, row["is"])
    else:
        found = _look_up(row["to"])
    if found is not None:
        where = f" ({row['to']})" if "to" in row else ""
        note_assumption(f"provided, as releases have moved it: {row['old']}{where}")
    return found


def _look_up(path: str) -> Any:
    """A module, or what is in one, by its dotted path."""
    try:
        return importlib.import_module(path)
    except Exception:  # whatever a package raises
        holder, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(holder), name, None)
    except Exception:  # whatever a package raises
        return None


@cache
def _rows() -> dict[str, Mapping[str, Any]]:
    table = json.loads(Path(__file__).with_name("moved_names.json").read_text("utf-8"))
    return {row["old"]: row for row in table["names"]}


@cache
def _names_by_module() -> dict[str, dict[str, Mapping[str, Any]]]:
    found: dict[str, dict[str, Mapping[str, Any]]] = {}
    for old, row in _rows().items():
        module, _, name = old.rpartition(".")
        found.setdefault(module, {})[name] = row
    return found
