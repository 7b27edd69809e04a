"""Constants of the source that a size is divided by, rounded beside, gone through in steps of, split or cut at.

`math.ceil(length / 700)`, `range(0, length, 900)` and `x[:, :300]` do one thing at every size up to
that number, and another beyond it. Each is a question of its own: is the size beyond?
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lintorch.record.events import (
    OperatorCall,
    RunEvent,
    SizeLooped,
    SizeParted,
    SizeRead,
    SizeUse,
)
from lintorch.record.sites import Site

_ROUNDED = {SizeUse.CEIL: 1.0, SizeUse.INT: 1.0, SizeUse.ROUND: 0.5}
"""Up to what a share of a size is rounded to the same whole number as the least of them."""
_SPLITS = ("torch.Tensor.split", "torch.split")
_SLICE = re.compile(r"slice\((None|-?\d+), (None|-?\d+), ")


@dataclass(frozen=True)
class SizeBound:
    """A size, or a share of one, and the number of the source that it exceeds or does not."""

    site: Site
    layer: str
    left: float
    right: float
    operator: str = "<="

    @property
    def key(self) -> type:
        """What tells it from other comparisons."""
        return type(self)


def list_bounds(event: RunEvent) -> Iterator[SizeBound]:
    """What an event says of constants that a size may exceed; several for `x[:, :300, :200]`."""
    for left, right in _list_pairs(event):
        yield SizeBound(event.site, event.layer, left, right)


def _list_pairs(event: RunEvent) -> Iterator[tuple[float, float]]:
    match event:
        case SizeParted():
            yield event.left, event.right
        case SizeRead(how=how, operand=float(operand)) if how in _ROUNDED:
            yield operand, _ROUNDED[how]
        case SizeLooped(bounds=(int(start), int(stop), int(step))) if step > 1:
            yield stop - start, step
        case OperatorCall(name="torch.Tensor.__getitem__"):
            yield from _list_cuts(event)
        case OperatorCall() if event.name in _SPLITS:
            yield from _list_splits(event)


def _list_cuts(event: OperatorCall) -> Iterator[tuple[float, float]]:
    """Of `x[:, :300]` and `x[:, -300:]` the size of that axis, and 300."""
    index = event.args.get("idx")
    parts = index if isinstance(index, tuple) else (index,)
    if not event.inputs or not all(isinstance(part, (str, int)) for part in parts):
        return
    shape = event.inputs[0]
    if "..." in parts:
        at = parts.index("...")
        parts = (*parts[:at], *[None] * (len(shape) - len(parts) + 1), *parts[at + 1 :])
    for size, part in zip(shape, parts, strict=False):
        found = _SLICE.match(part) if isinstance(part, str) else None
        ends = [abs(int(end)) for end in found.groups() if end != "None"] if found else []
        yield from ((size, end) for end in ends if end > 1)


def _list_splits(event: OperatorCall) -> Iterator[tuple[float, float]]:
    """The size that is split, and that of a part."""
    part = event.args.get("split_size_or_sections", event.args.get("split_size"))
    axis = event.args.get("dim", 0)
    shape = event.inputs[0] if event.inputs else ()
    if _is_whole(part) and _is_whole(axis) and -len(shape) <= axis < len(shape):
        yield shape[axis], part


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
