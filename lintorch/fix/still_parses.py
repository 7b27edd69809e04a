"""Whether a text still parses, judged as strictly as the text it was made from allows."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable

Parses = Callable[[str], bool]


def choose_judge(text: str) -> Parses | None:
    """The strictest judge that accepts this text; None where none does.

    The compiler (nothing is run) also sees repeated keywords and a misplaced `__future__`;
    `ast` accepts what only a notebook may write; libcst knows newer syntax than an old Python.
    """
    return next((judge for judge in (_is_compiled, _has_ast, _has_cst) if judge(text)), None)


def _is_compiled(text: str) -> bool:
    return _parses_quietly(lambda: compile(text, "<text>", "exec", dont_inherit=True))


def _has_ast(text: str) -> bool:
    return _parses_quietly(lambda: ast.parse(text))


def _has_cst(text: str) -> bool:
    import libcst as cst

    try:
        cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError):
        return False
    return True


def _parses_quietly(parse: Callable[[], object]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parse()
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return False
    return True
