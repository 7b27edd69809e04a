"""What each key takes; each raises ValueError, saying what was expected."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from lintorch.core.profile import EXPORTERS
from lintorch.settings.setting_values import NamedPython

T = TypeVar("T")
Kind = Callable[[Any, str], Any]
_MODEL = ("factory", "args", "inputs", "decoder")
_DECODER = ("tokens", "cache", "part", "mask", "positions")


def suggest_word(word: str, known: tuple[str, ...]) -> str:
    """ "; did you mean `x`?" where something known is near, else the known words."""
    from difflib import get_close_matches

    match = get_close_matches(word, known, 1)
    if match:
        return f"; did you mean `{match[0]}`?"
    return f"; known are {', '.join(known)}" if len(known) < 25 else ""


def expect_string(value: Any, root: str) -> str:
    return _expect_kind(str, "a string", value)


def expect_boolean(value: Any, root: str) -> bool:
    return _expect_kind(bool, "true or false", value)


def expect_severity(value: Any, root: str) -> str:
    if value not in ("note", "warning", "error"):
        raise ValueError(f'expected "note", "warning" or "error", not {value!r}')
    return str(value)


def expect_strings(value: Any, root: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"expected a list of strings, not {value!r}")
    return tuple(value)


def expect_count(value: Any, root: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(f"expected an integer above 0, not {value!r}")
    return value


def expect_amount(value: Any, root: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0:
        raise ValueError(f"expected a number above 0, not {value!r}")
    return float(value)


def expect_exporters(value: Any, root: str) -> tuple[str, ...]:
    for name in expect_strings(value, root):
        if name not in EXPORTERS:
            raise ValueError(f"unknown exporter `{name}`{suggest_word(name, EXPORTERS)}")
    return tuple(value)


def expect_targets(value: Any, root: str) -> tuple[str, ...]:
    from lintorch.targets import find_target

    return tuple(dict.fromkeys(find_target(name).name for name in expect_strings(value, root)))


def expect_release(value: Any, root: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d+)\.(\d+)(\.\d+)?", value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f'expected a release in quotes, such as "2.4", not {value!r}')
    return int(match[1]), int(match[2])


def expect_python(value: Any, root: str) -> NamedPython | None:
    return NamedPython(value, root) if expect_string(value, root) else None


def expect_python_for(value: Any, root: str) -> dict[str, NamedPython]:
    """An interpreter by exporter; that of all others, if any, is called `default`."""
    known = ("default", *EXPORTERS)
    for name, path in _expect_kind(dict, "a string, or a table by exporter", value).items():
        if name not in known:
            raise ValueError(f"unknown exporter `{name}`{suggest_word(name, known)}")
        expect_string(path, root)
    return {name: NamedPython(path, root) for name, path in value.items() if path}


def expect_path(value: Any, root: str) -> str | None:
    written = expect_string(value, root)
    return os.path.normpath(os.path.join(root, written)) if written else None


def expect_folders(value: Any, root: str) -> tuple[str, ...]:
    return tuple(os.path.normpath(os.path.join(root, each)) for each in expect_strings(value, root))


def expect_selectors_by_pattern(value: Any, root: str) -> dict[str, tuple[str, ...]]:
    table = _expect_kind(dict, "a table from patterns to lists of rules", value)
    return {pattern: expect_strings(listed, root) for pattern, listed in table.items()}


def expect_models(value: Any, root: str) -> dict[str, Mapping[str, Any]]:
    for name, table in _expect_kind(dict, "a table of models", value).items():
        try:
            _expect_model(_expect_kind(dict, "a table", table), root)
        except ValueError as error:
            raise ValueError(f"`{name}`: {error}") from error
    return dict(value)


def _expect_model(table: Mapping[str, Any], root: str) -> None:
    from lintorch.record.input_notation import parse_argument

    for key in table:
        if key not in _MODEL:
            raise ValueError(f"unknown key `{key}`{suggest_word(key, _MODEL)}")
    if "factory" not in table:
        raise ValueError("`factory` is missing")
    if ":" not in expect_string(table["factory"], root):
        raise ValueError('`factory` is written "package.module:name" or "path.py:name"')
    _expect_kind(dict, "`args` to be a table", table.get("args", {}))
    for written in _expect_kind(list, "`inputs` to be a list", table.get("inputs", [])):
        parse_argument(written)
    _expect_decoder(table.get("decoder", {}))


def _expect_decoder(value: Any) -> None:
    """False, or names of forward's arguments and the part of its output that the cache is."""
    if value is False:
        return
    for key, name in _expect_kind(dict, "`decoder` to be a table, or false", value).items():
        if key not in _DECODER:
            raise ValueError(f"unknown key `{key}` of `decoder`{suggest_word(key, _DECODER)}")
        if not isinstance(name, (str, int) if key == "part" else str):
            raise ValueError(f"`{key}` of `decoder` is no name: {name!r}")


def _expect_kind(kind: type[T], wanted: str, value: Any) -> T:
    if not isinstance(value, kind):
        raise ValueError(f"expected {wanted}, not {value!r}")
    return value
