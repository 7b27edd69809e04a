"""The options that say what is deployed with, as settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class UsageProblem(Exception):
    """Options that contradict each other, or name what there is not."""


def deployed(given: Mapping[str, Any]) -> dict[str, object]:
    """What `--opset` and `--target` set. Raises UsageProblem for a target without a table."""
    chosen = {"opset": given["opset"], "target": _named(given["targets"]) or None}
    return {key: value for key, value in chosen.items() if value is not None}


def _named(targets: Sequence[str]) -> tuple[str, ...]:
    if not targets:
        return ()
    from lintorch.targets import TargetError, find

    try:
        return tuple(dict.fromkeys(find(name).name for name in targets))
    except TargetError as error:
        raise UsageProblem(str(error)) from error
