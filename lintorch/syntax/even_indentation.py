"""Files whose blocks are indented by tabs here and by spaces there, as Python allows and libcst does not.

libcst asks that the indentation of a block begins with that of the block around it
(https://github.com/Instagram/LibCST/issues/829); Python compares columns.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator

import libcst as cst

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_UNWRITTEN = {tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
_BETWEEN = {tokenize.NL, tokenize.COMMENT}


def parse_text(text: str) -> cst.Module:
    """The tree of a text. Raises `libcst.ParserSyntaxError`.

    Where only evened indentation parses, columns of the tree differ from the text's in it alone.
    """
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError:
        even = even_indentation(text)
        if even == text:
            raise
        return cst.parse_module(even)


def even_indentation(text: str) -> str:
    """The text with spaces for the tabs that its statements are indented by; as it is where it is no Python."""
    lines = _LINES.findall(text)
    try:
        rows = set(_list_begun(lines))
    except (SyntaxError, tokenize.TokenError):
        return text
    for row in rows:
        line = lines[row - 1]
        bare = line.lstrip(" \t\f")
        lines[row - 1] = line[: len(line) - len(bare)].expandtabs(8) + bare
    return "".join(lines)


def _list_begun(lines: list[str]) -> Iterator[int]:
    """The rows, from 1, on which statements and comments of their own begin."""
    inside = False
    for token in tokenize.generate_tokens(iter(lines).__next__):
        if token.type in _UNWRITTEN:
            continue
        if not inside and token.type != tokenize.NL:
            yield token.start[0]
        if token.type not in _BETWEEN:
            inside = token.type != tokenize.NEWLINE
