"""Python with the kind of each piece: `k` keywords, `s` strings, `c` comments, `m` numbers, `f` names, `d` decorators."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pygments.lexers import PythonLexer
from pygments.token import Token

Piece = tuple[str, str]
"""A kind, "" for plain text, and the text."""
_KINDS = (
    (Token.Comment, "c"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "m"),
    (Token.Name.Decorator, "d"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Operator.Word, "k"),
    (Token.Keyword, "k"),
)


def highlight_lines(text: str) -> list[list[Piece]]:
    """The pieces of each line; together they are the text, without the ends of its lines."""
    lines: list[list[Piece]] = [[]]
    for kind, part in _split_text(text):
        first, *others = part.split("\n")
        lines[-1] += [(kind, first)] if first else []
        lines += [[(kind, line)] if line else [] for line in others]
    return lines[: text.count("\n") + 1]


def _split_text(text: str) -> Iterator[Piece]:
    """Neighbours of one kind are one piece; no line is stripped, and none is added but at the end."""
    lexer = PythonLexer(stripnl=False, ensurenl=False)
    named = ((_name_kind(token), part) for token, part in lexer.get_tokens(text))
    for kind, pieces in groupby(named, key=lambda piece: piece[0]):
        yield kind, "".join(part for _, part in pieces)


def _name_kind(token: object) -> str:
    return next((kind for parent, kind in _KINDS if token in parent), "")
