"""Which axes of a tensor usually vary, told by the names that its sizes are unpacked to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lintorch.facts.dataflow.values import is_fixed_name

_PAIRS = (
    ("height", "width"),
    ("hei", "wid"),
    ("hgt", "wdt"),
    ("rows", "cols"),
    ("row", "col"),
    ("h", "w"),
    ("y", "x"),
)
_SIDE = re.compile(r"^(\w*_)?([a-z]?[hw]\d?|height|width|rows?|cols?|[xy])(_\w*)?$", re.I)
_ATTENDS = re.compile(
    r"^([qkv]\d?|qk|kv|qkv|query|key|value|queries|keys|values|attn\w*|att|attention\w*|scores?"
    r"|[qkv]_\w+|\w+_[qkv]|(query|key|value)_\w+|\w+_(query|key|value|queries|keys|values))$",
    re.I,
)


def image_axes(names: Sequence[str]) -> frozenset[int]:
    """The places of height and width: two neighbours that differ in just that, as `h_in, w_in`.

    Also those of `_, c, h, _`.
    """
    for index in range(len(names) - 1):
        if _is_pair(names[index], names[index + 1]) or _is_pair(names[index + 1], names[index]):
            return frozenset({index, index + 1})
    one_asked = len(names) == 4 and "_" in names[2:] and any(map(is_side, names[2:]))
    channels_first = one_asked and (names[1] == "_" or is_fixed_name(names[1]))
    return frozenset({2, 3} if channels_first else ())


def is_side(name: str) -> bool:
    """Whether a name is that of a height or width where a pair of them is unpacked, else of heads."""
    return bool(_SIDE.match(name))


def is_attention_name(name: str) -> bool:
    """Whether a tensor of this name is what attention is worked out from, split into heads."""
    return bool(_ATTENDS.match(name))


def _is_pair(first: str, second: str) -> bool:
    one, other = first.lower(), second.lower()
    return any(
        one[:at] + width + one[at + len(height) :] == other
        for height, width in _PAIRS
        for at in range(len(one))
        if one.startswith(height, at)
    )
