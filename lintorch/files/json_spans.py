"""Where the values of a JSON text stand, so that one of them can be replaced and all else stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
Span = tuple[int, int]


def find_members(text: str, begin: int) -> Iterator[tuple[str, Span]]:
    """Each key of the object that begins there, and the span of its value. Raises ValueError."""
    at = _expect(text, begin, "{")
    while text[at : at + 1] != "}":
        key, at = _DECODER.raw_decode(text, at)
        first = _expect(text, _skip(text, at), ":")
        _, end = _DECODER.raw_decode(text, first)
        yield str(key), (first, end)
        at = _after_comma(text, end)


def find_items(text: str, begin: int) -> Iterator[Span]:
    """The span of each item of the array that begins there. Raises ValueError."""
    at = _expect(text, begin, "[")
    while text[at : at + 1] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        at = _after_comma(text, end)


def write_source(text: str, span: Span, source: str, is_ascii: bool) -> str:
    """Another source for a cell, laid out as the one in this span is: a text, or one for each line."""
    if text[span[0]] != "[":
        return json.dumps(source, ensure_ascii=is_ascii)
    items = list(find_items(text, span[0]))
    if items:
        opening, closing = text[span[0] + 1 : items[0][0]], text[items[-1][1] : span[1] - 1]
        between = text[items[0][1] : items[1][0]] if len(items) > 1 else f",{opening or ' '}"
    else:
        opening, between, closing = "", ", ", ""
    raw = {json.loads(text[a:b]): text[a:b] for a, b in items}
    lines = re.findall(r"[^\n]*\n|[^\n]+", source)
    written = (raw.get(line) or json.dumps(line, ensure_ascii=is_ascii) for line in lines)
    return f"[{opening}{between.join(written)}{closing}]" if lines else "[]"


def _expect(text: str, at: int, sign: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] != sign:
        raise ValueError(f"`{sign}` expected at character {at}")
    return _skip(text, at + 1)


def _after_comma(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at : at + 1] == "," else at


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
