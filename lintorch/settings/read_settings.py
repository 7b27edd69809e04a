"""Reading settings files: what each key is, and what is wrong with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lintorch.settings import key_kinds
from lintorch.settings.setting_values import (
    Selection,
    Settings,
    SettingsError,
    override_settings,
)

EXTEND = "extend"
"""The key that names another settings file, which the rest of a file changes."""
_KEYS: Mapping[str, key_kinds.Kind] = {
    "select": key_kinds.expect_strings,
    "ignore": key_kinds.expect_strings,
    "extend-select": key_kinds.expect_strings,
    "per-file-ignores": key_kinds.expect_selectors_by_pattern,
    "fixable": key_kinds.expect_strings,
    "unfixable": key_kinds.expect_strings,
    "exporters": key_kinds.expect_exporters,
    "opset": key_kinds.expect_count,
    "target-torch": key_kinds.expect_release,
    "target": key_kinds.expect_targets,
    "fail-on": key_kinds.expect_severity,
    "dynamic": key_kinds.expect_boolean,
    "baseline": key_kinds.expect_path,
    "exclude": key_kinds.expect_strings,
    "extend-exclude": key_kinds.expect_strings,
    "models": key_kinds.expect_models,
    "rules": key_kinds.expect_folders,
    "trace-seconds": key_kinds.expect_amount,
    "trial-seconds": key_kinds.expect_amount,
    "trace-memory": key_kinds.expect_count,
    "trace-disk": key_kinds.expect_count,
    "python": key_kinds.expect_python,
}


def known_keys() -> tuple[str, ...]:
    """Every key that a settings file may hold."""
    return (*_KEYS, EXTEND)


def load_settings(file: str) -> Settings:
    """The settings of one file, as given by `--config`. Raises SettingsError."""
    return load_settings_if_any(file) or _make_settings(file, {})


def load_settings_if_any(file: str) -> Settings | None:
    """The settings of a file; None of a `pyproject.toml` without any. Raises SettingsError."""
    table = _read_table(file)
    return None if table is None else _make_settings(file, table)


def read_inline(text: str) -> dict[str, Any]:
    """A setting written as `key = value`, by field of `Settings` or `Selection`. Raises SettingsError."""
    origin = f"--config {text!r}"
    try:
        table = _parse_toml(text)
    except ValueError as error:
        raise SettingsError(origin, str(error)) from error
    return _read_values(origin, os.getcwd(), table)


def _parse_toml(text: str) -> dict[str, Any]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    return tomllib.loads(text)


def _read_table(file: str) -> Mapping[str, Any] | None:
    """The part of a file that is about lintorch; None where a `pyproject.toml` has none."""
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            whole = _parse_toml(stream.read())
    except OSError as error:
        raise SettingsError(file, error.strerror or str(error)) from error
    except ValueError as error:  # not TOML, or not UTF-8
        raise SettingsError(file, str(error)) from error
    if os.path.basename(file) != "pyproject.toml":
        return whole
    tool = whole.get("tool", {})
    table = tool.get("lintorch") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError(file, "`tool.lintorch` is not a table")
    return table


def _make_settings(file: str, table: Mapping[str, Any], seen: tuple[str, ...] = ()) -> Settings:
    root = os.path.dirname(os.path.abspath(file))
    table = dict(table)
    base = _load_base(file, root, table.pop(EXTEND), seen) if EXTEND in table else None
    values = _read_values(file, root, table)
    chosen = {n: values.pop(n) for n in ("select", "ignore", "extend_select") if n in values}
    selection = Selection(**chosen, origin=file)
    if base is None:
        return Settings(root, file, (selection,), **values, origins=dict.fromkeys(values, file))
    extended = replace(base, root=root, file=file, selections=(*base.selections, selection))
    return override_settings(extended, file, **values)


def _load_base(file: str, root: str, named: Any, seen: tuple[str, ...]) -> Settings:
    """The settings that those of a file change. Raises SettingsError."""
    if not isinstance(named, str):
        raise SettingsError(file, f"`{EXTEND}`: expected a string, not {named!r}")
    path = os.path.realpath(os.path.join(root, os.path.expanduser(named)))
    around = (*seen, os.path.realpath(file))
    if path in around:
        raise SettingsError(file, f"`{EXTEND}`: {named} extends this file in turn")
    return _make_settings(path, _read_table(path) or {}, around)


def _read_values(file: str, root: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a table, by the names of fields."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise SettingsError(
                file, f"unknown key `{key}`{key_kinds.suggest_word(key, known_keys())}"
            )
        try:
            if key == "python" and not isinstance(value, str):
                values["python_for"] = key_kinds.expect_python_for(value, root)
                continue
            values[key.replace("-", "_")] = _KEYS[key](value, root)
        except ValueError as error:
            raise SettingsError(file, f"`{key}`: {error}") from error
    if default := values.get("python_for", {}).pop("default", None):
        values["python"] = default
    return values
