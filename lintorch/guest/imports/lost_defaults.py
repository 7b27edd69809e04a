"""Lets the user's code leave out an argument that releases ask for since it was written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from lintorch.guest.imports.replace_functions import Replacement
from lintorch.guest.process.assumptions import note_assumption


def _load_safely(place: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`yaml.load(stream)`, which had a loader of its own before PyYAML 6."""
    if len(args) < 2 and "Loader" not in kwargs:
        kwargs["Loader"] = sys.modules["yaml"].SafeLoader
        note_assumption(f"Loader=SafeLoader given to yaml.{function.__name__} ({place})")
    return function(*args, **kwargs)


LOST_DEFAULTS: Mapping[str, Replacement] = {
    "yaml.load": _load_safely,
    "yaml.load_all": _load_safely,
}
"""By dotted path, what calls a function with the argument that it asks for.

Source: CHANGES of PyYAML 6.0.
"""
