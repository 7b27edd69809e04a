"""The text of a function or class, as a tree."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any


def tree_of(code: Any) -> ast.Module:
    """What a function or class says; an empty module where its text is not to be had."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(code))))
    except (OSError, TypeError, ValueError, SyntaxError):
        return ast.Module([], [])
