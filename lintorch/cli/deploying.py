"""The options that say what is deployed with, as settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def deployed(given: Mapping[str, Any]) -> dict[str, object]:
    """What `--opset` and `--target` set. Raises TargetError for a target without a table."""
    from lintorch.targets import find

    named = tuple(dict.fromkeys(find(name).name for name in given["targets"]))
    chosen = {"opset": given["opset"], "target": named or None}
    return {key: value for key, value in chosen.items() if value is not None}
