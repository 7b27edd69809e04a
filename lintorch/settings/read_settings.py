"""Reading settings files: what each key is, and what is wrong with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

from lintorch.settings import key_kinds
from lintorch.settings.setting_values import Selection, Settings, SettingsError

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


def load_settings(file: str) -> Settings:
    """The settings of one file, as given by `--config`. Raises SettingsError."""
    return load_settings_if_any(file) or _make_settings(file, {})


def load_settings_if_any(file: str) -> Settings | None:
    """The settings of a file; None of a `pyproject.toml` without any. Raises SettingsError."""
    table = _read_table(file)
    return None if table is None else _make_settings(file, table)


def _read_table(file: str) -> Mapping[str, Any] | None:
    """The part of a file that is about lintorch; None where a `pyproject.toml` has none."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        with open(file, "rb") as stream:
            whole = tomllib.load(stream)
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


def _make_settings(file: str, table: Mapping[str, Any]) -> Settings:
    root = os.path.dirname(os.path.abspath(file))
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _KEYS:
            raise SettingsError(
                file, f"unknown key `{key}`{key_kinds.suggest_word(key, tuple(_KEYS))}"
            )
        try:
            values[key.replace("-", "_")] = _KEYS[key](value, root)
        except ValueError as error:
            raise SettingsError(file, f"`{key}`: {error}") from error
    chosen = {n: values.pop(n) for n in ("select", "ignore", "extend_select") if n in values}
    return Settings(root, file, (Selection(**chosen, origin=file),), **values)
