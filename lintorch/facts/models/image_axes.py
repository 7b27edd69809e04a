"""Which axes of a tensor are height and width, told by the names that its sizes are unpacked to."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_FIXED = re.compile(
    r"^(k[hwxy]|kernel\w*|c|c_\w+|ch|\w+_ch|chan|n_?classes|num_classes|channels?|n_?channels|nc|dim|d_model|d_k|embed\w*|hidden\w*|\w*heads?|in_channels|features?|\w+_dims?|\w+_channels)$",
    re.I,
)
"""Names that say that a size never varies, such as `num_channels`."""


def image_axes(names: Sequence[str]) -> frozenset[int]:
    """The places of height and width: two neighbours that differ in just that, as `h_in, w_in`.

    Also those of `_, c, h, _`.
    """
    for index in range(len(names) - 1):
        if _is_pair(names[index], names[index + 1]) or _is_pair(names[index + 1], names[index]):
            return frozenset({index, index + 1})
    one_asked = len(names) == 4 and "_" in names[2:] and any(map(_SIDE.match, names[2:]))
    channels_first = one_asked and (names[1] == "_" or bool(_FIXED.match(names[1])))
    return frozenset({2, 3} if channels_first else ())


def _is_pair(first: str, second: str) -> bool:
    one, other = first.lower(), second.lower()
    return any(
        one[:at] + width + one[at + len(height) :] == other
        for height, width in _PAIRS
        for at in range(len(one))
        if one.startswith(height, at)
    )
