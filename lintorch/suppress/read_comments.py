"""Reads suppressions out of comments: `# lintorch: ignore[...]`, `ignore-file[...]`, `# noqa: LT...`."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace
from tokenize import TokenInfo

_MENTION = re.compile(r"#\s*lintorch\s*:|#\s*noqa\s*:[^\n\r]*\b(?:LT|TOR)\d{3}\b", re.IGNORECASE)
_DIRECTIVE = re.compile(r"#\s*(?:(lintorch)|noqa)\s*:\s*([^#]*)", re.IGNORECASE)
_OURS = re.compile(
    r"(?P<verb>ignore-file|ignore)(?![\w-])\s*(?:\[(?P<codes>[^\]]*)\](?P<reason>.*))?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NOQA = re.compile(r"[A-Z]+\d+(?:[,\s]+[A-Z]+\d+)*", re.IGNORECASE)
_SKIPPED = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


@dataclass(frozen=True)
class Comment:
    """One suppression as written. Rows from 1; offsets into the text."""

    start: int
    end: int
    """Behind its reason."""
    row: int
    words: tuple[str, ...]
    """Codes and names as written."""
    listed: tuple[int, int]
    """Where the words stand."""
    rows: range
    """The rows it is about; empty where it is about the whole file."""
    alone: bool = False
    """Whether it stands on a line without code, and so concerns what begins in its rows."""
    whole_file: bool = False
    noqa: bool = False
    malformed: str = ""
    """What is wrong with it; "" where nothing is."""


def mentions_suppression(text: str) -> bool:
    """Whether a text may hold a suppression: a cheap test before its comments are read."""
    return bool(_MENTION.search(text))


def read_comments(text: str) -> tuple[list[Comment], list[range]]:
    """The suppressions of a text, and the rows of each logical line that has more than one."""
    tokens = list(split_tokens(text))
    lines = list(_logical_lines(tokens))
    starts = [0, *(m.end() for m in re.finditer(r"\r\n|\n|\r", text))]
    comments = [
        comment
        for index, token in enumerate(tokens)
        if token.type == tokenize.COMMENT
        for comment in _read_comment(
            token, starts[token.start[0] - 1], _rows_concerned(tokens, index, lines)
        )
    ]
    return comments, lines


def split_tokens(text: str) -> Iterator[TokenInfo]:
    """The tokens of a text, up to what is no Python."""
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline="").readline)
    except (tokenize.TokenError, SyntaxError):  # what follows is no Python
        return


def _logical_lines(tokens: list[TokenInfo]) -> Iterator[range]:
    first = 0
    for token in tokens:
        if token.type == tokenize.NEWLINE and first:
            yield range(first, token.start[0] + 1)
            first = 0
        elif not first and token.type not in _SKIPPED:
            first = token.start[0]


def _rows_concerned(tokens: list[TokenInfo], index: int, lines: list[range]) -> tuple[range, bool]:
    """The rows a comment is about: its own, or, alone on a line, those of what comes next.

    Next is a whole logical line, with all of them from a decorator to what it decorates; within
    brackets it is the next row with code.
    """
    row = tokens[index].start[0]
    if any(t.end[0] == row and t.type not in _SKIPPED for t in tokens[max(0, index - 1) : index]):
        return range(row, row + 1), False
    code = (t for t in tokens[index:] if t.type not in _SKIPPED)
    following = next((t for t in code if t.type != tokenize.NEWLINE), None)
    if following is None or following.type == tokenize.ENDMARKER:
        return range(0), True
    next_row = following.start[0]
    if any(line.start <= row < line.stop for line in lines):
        return range(next_row, next_row + 1), True
    firsts = {t.start[0]: t.string for t in reversed(tokens) if t.type not in _SKIPPED}
    for line in lines:
        if line.start >= next_row and firsts.get(line.start) != "@":
            return range(next_row, line.stop), True
    return range(next_row, next_row + 1), True


def _read_comment(
    token: TokenInfo, line_start: int, about: tuple[range, bool]
) -> Iterator[Comment]:
    rows, alone = about
    for match in _DIRECTIVE.finditer(token.string):
        offset = line_start + token.start[1]
        body = offset + match.start(2)
        start, end = offset + match.start(), offset + match.start() + len(match[0].rstrip())
        blank = Comment(start, end, token.start[0], (), (body, body), rows, alone)
        comment = (
            _read_own(blank, match[2], body) if match[1] else _read_noqa(blank, match[2], body)
        )
        if comment:
            yield comment


def _read_noqa(blank: Comment, text: str, body: int) -> Comment | None:
    match = _NOQA.match(text)
    words = tuple(re.split(r"[,\s]+", match[0])) if match else ()
    if match is None or not any(re.fullmatch(r"(LT|TOR)\d{3}", w, re.IGNORECASE) for w in words):
        return None
    span = body, body + match.end()
    return replace(blank, words=words, listed=span, noqa=True)


def _read_own(blank: Comment, text: str, body: int) -> Comment:
    match = _OURS.match(text)
    if match is None:
        word = text.split()[0] if text.split() else ""
        return replace(blank, malformed=f"`{word}` is neither ignore[...] nor ignore-file[...]")
    verb = match["verb"].lower()
    if match["codes"] is None and match["rest"].lstrip().startswith("["):
        return replace(blank, malformed="its bracket is not closed")
    if match["codes"] is None and re.match(r"[:=(\s]*LT\d", match["rest"], re.IGNORECASE):
        return replace(blank, malformed=f"codes are written in brackets: {verb}[LT101]")
    words = tuple(word for word in re.split(r"[,\s]+", match["codes"] or "") if word)
    span = (body + match.start("codes"), body + match.end("codes")) if words else (body, body)
    return replace(blank, words=words, listed=span, whole_file=verb == "ignore-file")
