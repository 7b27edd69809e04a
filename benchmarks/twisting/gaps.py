"""What may stand between tokens: comments, line breaks, blanks."""

from __future__ import annotations

import tokenize
from collections.abc import Callable, Iterator
from itertools import pairwise

from twisting.tokens import Token, insert_into, read_tokens

Gap = Callable[[Token, Token, int], str]
"""From two neighbours and a number to what comes between them."""


def comment_above(text: str) -> str:
    """A comment above each statement, as deep as it."""
    return insert_into(text, _list_above(text))


def comment_behind(text: str) -> str:
    """A comment at the end of each statement."""
    ends = [t.start for t in read_tokens(text) if t.kind == tokenize.NEWLINE and t.string]
    return insert_into(text, [(end, f"  # behind {n}") for n, end in enumerate(ends)])


def comment_inside(text: str) -> str:
    """A comment in each gap of brackets."""
    return _fill(text, lambda a, b, n: f"  # inside {n}\n        ", _breaks)


def put_type_comments(text: str) -> str:
    """`# type: …` behind assignments and definitions."""
    ends, head, assigns = [], "", False
    for token in read_tokens(text):
        if token.kind == tokenize.NEWLINE and token.string:
            kind = "(...) -> Tensor" if head == "def" else "Tensor" if assigns else ""
            ends += [(token.start, f"  # type: {kind}")] if kind else []
            head, assigns = "", False
        elif token.is_code:
            head = head or token.string
            assigns |= token.string == "=" and token.depth == 0
    return insert_into(text, ends)


def break_in_brackets(text: str) -> str:
    """A line break in each gap of brackets."""
    return _fill(text, lambda a, b, n: "\n   ", _breaks)


def give_arguments_lines(text: str) -> str:
    """A line for what each comma ends, the outermost ones."""

    def breaks(first: Token, second: Token) -> bool:
        opens = first.string == "(" and first.depth == 0
        closes = second.string == ")" and second.depth == 0
        return (opens != closes) or (first.string == "," and first.depth == 1)

    return _fill(text, lambda a, b, n: "\n        ", breaks)


def continue_lines(text: str) -> str:
    """A backslash and a line break around `=`, and ahead of dots and operators."""
    signs = {"=", "+", "-", "*", "/", ".", "==", "and", "or", "in", "if", "import"}

    def breaks(first: Token, second: Token) -> bool:
        return second.depth == 0 and second.string in signs and first.is_code

    heads = {t.start for t in _list_heads(read_tokens(text))}
    return _fill(
        text, lambda a, b, n: " \\\n    ", lambda a, b: b.start not in heads and breaks(a, b)
    )


def spread_tokens(text: str) -> str:
    """Blanks around brackets, commas and dots."""

    def breaks(first: Token, second: Token) -> bool:
        signs = {"(", ")", "[", "]", ",", ".", "="}
        return first.is_code and bool(signs & {first.string, second.string})

    heads = {t.start for t in _list_heads(read_tokens(text))}
    return _fill(text, lambda a, b, n: "  ", lambda a, b: b.start not in heads and breaks(a, b))


def _breaks(first: Token, second: Token) -> bool:
    inside = second.depth > 0 or (first.depth > 0 and second.string in ")]}")
    return inside and (first.string in ("(", "[", "{", ",") or second.string in (")", "]", "}"))


def _fill(text: str, gap: Gap, wanted: Callable[[Token, Token], bool]) -> str:
    """The text with something in each wanted gap; not where a line ends already."""
    tokens = read_tokens(text)
    pieces = [
        (second.start, gap(first, second, number))
        for number, (first, second) in enumerate(pairwise(tokens))
        if first.is_code
        and second.is_code
        and not (first.quoted or second.quoted or _is_sign(first, second))
        and wanted(first, second)
    ]
    return insert_into(text, pieces)


def _is_sign(first: Token, second: Token) -> bool:
    """Whether a number and a dot would be read as another number."""
    return first.kind == tokenize.NUMBER and second.string == "."


def _list_above(text: str) -> Iterator[tuple[int, str]]:
    for number, token in enumerate(_list_heads(read_tokens(text))):
        start = text.rfind("\n", 0, token.start) + 1
        indent = text[start : token.start]
        if not indent.strip() and token.string not in ("else", "elif", "except", "finally", "case"):
            yield start, f"{indent}# above {number}\n"


def _list_heads(tokens: list[Token]) -> Iterator[Token]:
    """The first token of each logical line."""
    fresh = True
    for token in tokens:
        if token.kind == tokenize.NEWLINE:
            fresh = True
        elif fresh and token.is_code:
            fresh = False
            yield token
