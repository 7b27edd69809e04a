"""Models that the configuration describes: whether they are checked, and what else would find them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def is_wanted(setting: Mapping[str, Any], checked: Mapping[str, str], project: str) -> bool:
    """Whether a configured model lies in the checked files, or may do so."""
    places = _factory_files(setting, project)
    if not places:
        return True
    return any(
        real in checked or any(os.path.dirname(real) == os.path.dirname(path) for path in checked)
        if real.endswith("__init__.py")
        else real in checked
        for real in places
    )


def _factory_files(setting: Mapping[str, Any], project: str) -> list[str]:
    """The file that the factory of a configured model is in, where that can be told."""
    where = str(setting["factory"]).rpartition(":")[0]
    if where.endswith((".py", ".ipynb")):
        return [os.path.realpath(os.path.join(project, where))]
    parts = where.split(".")
    found = [Path(project, folder, *parts).with_suffix(".py") for folder in ("", "src")] + [
        Path(project, folder, *parts, "__init__.py") for folder in ("", "src")
    ]
    return [os.path.realpath(path) for path in found if path.is_file()]


def inferred_name(setting: Mapping[str, Any], checked: Mapping[str, str], project: str) -> str:
    """What inference would call the configured class or factory."""
    name = str(setting["factory"]).rpartition(":")[2]
    places = _factory_files(setting, project)
    return f"{checked.get(places[0], places[0])}:{name}" if places else name
