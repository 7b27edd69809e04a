"""Small edits of calls that keep the layout they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from lintorch.finding import Edit

if TYPE_CHECKING:
    from lintorch.source.source import Source

_FREE = (cst.Arg, cst.Element, cst.Assign, cst.Index, cst.Slice, cst.Return)


def insert_argument(source: Source, call: cst.Call, content: str) -> Edit:
    """Add `content` after the last argument; a trailing comma and its line break stay the last."""
    if not call.args:
        close = source.spans.offset(*source.spans.of(call)[1]) - 1
        return Edit(close, close, content)
    end = source.spans.offset(*source.spans.of(call.args[-1])[1])
    return Edit(end, end, f", {content}")


def fitted(text: str, place: cst.CSTNode, source: Source) -> str:
    """An operation as it may stand in the place of a node: in brackets where it needs them."""
    free = isinstance(source.parent(place), _FREE) and "\n" not in text
    return text if free else f"({text})"
