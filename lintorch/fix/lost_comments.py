"""Comments that a fix would lose, or leave behind beside other code."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator

from lintorch.core.finding import Edit

_NEWLINE = re.compile(r"\r\n|\n|\r")
_TRAILING = re.compile(r"[,;)\]} \t]*#")


def strands_comment(text: str, edits: Iterable[Edit]) -> bool:
    """Whether a comment is in what edits take out and not in what they put in.

    Also where lines go and the comment above or at their end stays: it would speak of others.
    """
    edits = tuple(edits)
    if any(not edit.content and _leaves_its_comment(text, edit) for edit in edits):
        return True
    taken = [edit for edit in edits if "#" in text[edit.start : edit.end]]
    if not taken:
        return False
    put = "".join(edit.content for edit in edits)
    return any(
        text[start:end] not in put
        for start, end in find_comments(text)
        if any(edit.start < end and start < edit.end for edit in taken)
    )


def find_comments(text: str) -> Iterator[tuple[int, int]]:
    """Where the comments of a text stand; up to where it is no Python."""
    starts = [0, *(m.end() for m in _NEWLINE.finditer(text))]
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + token.start[1]
                yield start, start + len(token.string)
    except (tokenize.TokenError, SyntaxError):
        return


def _leaves_its_comment(text: str, edit: Edit) -> bool:
    """Whether what had lines of its own goes, and the comment behind or above it does not."""
    head, _, before = text[: edit.start].rpartition("\n")
    begins = not before.strip()
    own = begins or "\n" in text[edit.start : edit.end]
    headed = begins and head.rpartition("\n")[2].lstrip().startswith("#")
    behind = own and _TRAILING.match(text, edit.end)
    return edit.start < edit.end and bool(headed or behind)
