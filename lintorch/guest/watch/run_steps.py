"""What one run computes step by step: the shapes of what each operator gives, and what Python is told of data.

Two runs at the same sizes take the same steps, unless numbers decide how many are chosen, or which way is gone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.operator_watch import OperatorWatch

_MOST_STEPS = 20_000
_COUNTS = frozenset(
    f"aten::{name}"
    for name in (
        "nonzero",
        "masked_select",
        "_unique",
        "_unique2",
        "unique_dim",
        "unique_consecutive",
        "unique_dim_consecutive",
        "repeat_interleave",
        "bincount",
    )
)
"""Operators that give as many numbers as the data says."""
_TOLD = (bool, int, float, complex)


@dataclass
class RunSteps:
    """The steps of one run so far: the name of each operator, and the shapes that it gave or what it told.

    `frame` is that in which step number `sought` was made.
    """

    sought: int = -1
    steps: list[tuple[str, object]] = field(default_factory=list)
    chosen: bool = False
    """Whether data may have decided on any of them."""
    counts: list[int] = field(default_factory=list)
    """How many each mask chooses that tensors are indexed with."""
    rows: tuple[tuple[str, int, str], ...] = ()
    """The file, row and function of each frame around the step that is sought, the innermost first."""

    def find_other_step(self, other: RunSteps) -> int | None:
        """The first step that is another in the other run; None where all are alike."""
        pairs = enumerate(zip(self.steps, other.steps, strict=False))
        alike = min(len(self.steps), len(other.steps))
        end = alike if len(self.steps) != len(other.steps) else None
        return next((number for number, (one, two) in pairs if one != two), end)


@contextmanager
def follow_steps(steps: RunSteps) -> Iterator[None]:
    """Within, each operator that torch runs is a step."""
    with _Follower(steps):
        yield


class _Follower(OperatorWatch):
    def __init__(self, steps: RunSteps) -> None:
        super().__init__()
        self._steps = steps

    def note(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        """One more step."""
        name = func.name().partition(".")[0]
        steps = self._steps
        steps.chosen = steps.chosen or isinstance(out, _TOLD) or _counts(name, args)
        if name == "aten::index":
            masks = filter(_is_mask, find_tensors(args[1:]))
            steps.counts.extend(int(each.count_nonzero()) for each in masks)
        if len(steps.steps) == steps.sought:
            steps.rows = tuple(_list_rows(sys._getframe(1)))
        if len(steps.steps) < _MOST_STEPS:
            shapes = tuple(tuple(each.shape) for each in find_tensors(out))
            steps.steps.append((name, repr(out) if isinstance(out, _TOLD) else shapes))


def _counts(name: str, args: Sequence[Any]) -> bool:
    if name in _COUNTS:
        return name != "aten::repeat_interleave" or isinstance(args[0], torch.Tensor)
    return name == "aten::index" and any(_is_mask(each) for each in find_tensors(args[1:]))


def _is_mask(index: torch.Tensor) -> bool:
    return index.dtype in (torch.bool, torch.uint8)


def _list_rows(frame: FrameType | None) -> Iterator[tuple[str, int, str]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name
        frame = frame.f_back
