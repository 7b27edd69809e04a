"""Python's own parser, for facts that need no more than it keeps."""

from __future__ import annotations

import ast
import warnings


def parse_python(text: str | bytes) -> ast.Module:
    """The tree of a text, or of bytes with their coding line; what it warns of is nobody's here.

    Raises SyntaxError, or ValueError (null bytes), or RecursionError or MemoryError where it is
    nested too deeply for the parser.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def parse_or_empty(text: str | bytes) -> ast.Module:
    """The same of another file than the one that is checked: without a tree it says nothing."""
    try:
        return parse_python(text)
    except Exception:  # a codec that its coding line names may raise anything
        return ast.Module([], [])
