"""The edit that takes a suppression, or some of its words, out of a text."""

from __future__ import annotations

from collections.abc import Collection

from lintorch.core.finding import Edit
from lintorch.suppress.read_comments import Comment


def remove_words(text: str, comment: Comment, idle: Collection[str]) -> tuple[Edit, ...]:
    """Keep the words that are not idle; without any, drop the comment, and its line if empty."""
    kept = [word for word in comment.words if word not in idle]
    if kept:
        return (Edit(*comment.listed, ", ".join(kept)),)
    start, end = comment.start, comment.end
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    if text[end : end + 1] not in ("", "\n", "\r"):  # another comment follows on the line
        return (Edit(start, end, ""),)
    while start and text[start - 1] in " \t":
        start -= 1
    if start == 0 or text[start - 1] in "\r\n":
        end += 2 if text[end : end + 2] == "\r\n" else len(text[end : end + 1])
    return (Edit(start, end, ""),)
