"""A log as one line of plain text, whatever program, terminal or collector it went through."""

from __future__ import annotations

import html
import re

_COLORS = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]|\x1b\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)")
_PREFIX = re.compile(
    r"(?:"
    r"[│┃|]\s?|>(?!=)\s?"  # boxes, tables and quotations
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?(?=\s)"
    r"|[EWIVF]\d{4} \d\d:\d\d:\d\d(?:\.\d{1,9})? +\d{1,9} [^\s\]]{1,200}\](?: \[\d{1,5}/\d{1,5}\])?"
    r")\s{0,8}"
)
_SPACED = re.compile(r"(?:\S {1,3}){20,}")
_BOX_END = re.compile(r"\s*[│┃]$")
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "：": ":", "İ": "I", "\0": " "})


def unify_text(text: str) -> str:
    """Without colours, boxes, time stamps at the head of lines, and with single blanks between words.

    Escapes of JSON and HTML become what they stand for.
    """
    if "\x1b" in text:
        text = _COLORS.sub("", text)
    text = text.translate(_QUOTES)
    if "&" in text:
        text = html.unescape(text)
    if '\\"' in text:
        text = text.replace("\\n", "\n").replace('\\"', '"')
    return " ".join(" ".join(_strip_line(line) for line in text.splitlines()).split())


def _strip_line(line: str) -> str:
    if _SPACED.search(line[:400]):  # UTF-16 that was read as another encoding
        line = " ".join(word.replace(" ", "") for word in re.split(r" {3}", line))
    for _ in range(3):
        match = _PREFIX.match(line.lstrip())
        if match is None:
            break
        line = line.lstrip()[match.end() :]
    return _BOX_END.sub("", line) if line.endswith(("│", "┃")) else line
