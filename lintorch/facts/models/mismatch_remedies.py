"""What to write where shapes do not fit, by what torch says of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lintorch.evaluator.values import Tensor, Value

OF_LAYERS = (
    (re.compile(r"to have (\d+) channels, but got (\d+) channels"), "input channels"),
    (re.compile(r"shapes cannot be multiplied \(\S+?x(?P<got>\d+) and (\d+)x"), "input features"),
    (re.compile(r"running_mean should contain (?P<got>\d+) elements not (\d+)"), "channels"),
    (re.compile(r"equal to input_size. Expected (\d+), got (\d+)"), "input features"),
    (re.compile(r"normalized_shape=\[(\d+)\].* of size ?\[(?:.*, )?(\d+)\]"), "features"),
)
"""What is wanted and what comes, in this order but where what comes has a name."""
_CLASH = re.compile(r"size of tensor a \((.+)\) must match .* b \((.+)\) at non-singleton .* (\d+)")
_JOIN = re.compile(r"must match except in dimension (\d+)\. Expected size (\S+) but got size (\S+)")
_COUNT = re.compile(r"is invalid for input of size (\d+)")


def write_layer(message: str) -> str:
    """`write 8 for its 16 input channels`; "" where the sizes are no plain numbers."""
    for pattern, what in OF_LAYERS:
        found = pattern.search(message)
        if found is not None:
            first, second = found.groups()
            named = "got" in pattern.groupindex
            wanted, got = (second, first) if named else (first, second)
            return f"write {got} for its {wanted} {what}"
    return ""


def write_operands(message: str, operands: Sequence[Value]) -> str:
    """What to write of two tensors that do not fit; "" where nothing can be said of them."""
    shapes = [each.shape for each in operands if isinstance(each, Tensor)]
    ranks = [len(shape) for shape in shapes if shape is not None]
    if clash := _CLASH.search(message):
        if len(set(ranks)) == 2:
            return "give the one of fewer axes those that it lacks, as by x[:, None] or x.unsqueeze(-1)"
        left, right, axis = clash.groups()
        return f"give both {left} or {right} along axis {axis}, or one of them 1"
    if join := _JOIN.search(message):
        _, left, right = join.groups()
        return f"join along the axis that has {left} and {right}, or give both one size there"
    if count := _COUNT.search(message):
        return f"write sizes whose product is {count[1]}, or -1 for the last that is not known"
    if "cannot be multiplied" in message and len(shapes) == 2 and is_turned(shapes):
        return "turn the second: x @ y.mT"
    return ""


def is_turned(shapes: Sequence[Sequence[object] | None]) -> bool:
    """Whether two matrices have their last axes alike."""
    left, right = shapes
    return bool(left and right and len(left) > 1 < len(right) and left[-1] == right[-1])
