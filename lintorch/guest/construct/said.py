"""How a model was built, as settings say it: `factory = "nets/seg.py:UNet"`, `args = { width = 8 }`."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any

from lintorch.guest.construct.recipe import Recipe, home


def said(recipe: Recipe, project: str) -> tuple[str, Mapping[str, Any], tuple[str, ...]]:
    """The factory, the arguments that TOML has a value for, and the names of the others.

    No factory where it lies outside the project, has no name there, or takes unnamed arguments.
    """
    try:
        _, path = home(recipe.call)
    except ValueError:
        return "", {}, ()
    inner = os.path.relpath(path, os.path.realpath(project))
    if recipe.args or inner.startswith(os.pardir) or "." in recipe.call.__qualname__:
        return "", {}, ()
    plain = {name: value for name, value in recipe.kwargs.items() if _is_plain(value)}
    factory = f"{inner.replace(os.sep, '/')}:{recipe.call.__qualname__}"
    return factory, plain, tuple(name for name in recipe.kwargs if name not in plain)


def _is_plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(map(_is_plain, value))
    if type(value) is dict:
        return all(type(key) is str and _is_plain(part) for key, part in value.items())
    return type(value) in (bool, int, str) or (type(value) is float and math.isfinite(value))
