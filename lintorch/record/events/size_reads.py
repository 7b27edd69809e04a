"""Questions that Python asked of a tensor's size: each makes of it what a tracer cannot follow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from lintorch.record.events.base import Number, RunEvent


class SizeUse(Enum):
    """What became of a size that was read."""

    INT = "int"
    FLOAT = "float"
    CEIL = "ceil"
    ROUND = "round"
    TRUTH = "bool"
    LEN = "len"
    """`len()` of a tensor."""
    TENSOR = "tensor"
    """A tensor was made of it."""
    NUMPY = "numpy"
    """It was given to a function of NumPy."""
    DATA = "data"
    """It was read through `.data`."""
    REPEAT = "repeat"
    """A list was repeated so often."""


@dataclass(frozen=True, kw_only=True)
class SizeQuestion(RunEvent):
    """One question of a size: base of all that follow."""

    value: Any = None
    """The answer, where it is a number, a truth, or few numbers."""
    symbols: tuple[str, ...] = ()
    """Named sizes that the answer was worked out from, such as ("batch",)."""

    @property
    def operands(self) -> tuple[Any, ...]:
        """What the question was about, where that is recorded."""
        return ()


@dataclass(frozen=True, kw_only=True)
class SizeRead(SizeQuestion, tag="size"):
    """A size became something else; its key says what."""

    how: SizeUse
    operand: Number | None = None
    """The number that was converted."""

    @property
    def key(self) -> SizeUse:
        """What became of it."""
        return self.how

    @property
    def operands(self) -> tuple[Any, ...]:
        """The number that was converted."""
        return () if self.operand is None else (self.operand,)


@dataclass(frozen=True, kw_only=True)
class SizeComparison(SizeQuestion):
    """`left > right`, of which one is a size: base of the two that follow."""

    left: Number
    operator: str
    right: Number

    @property
    def operands(self) -> tuple[Any, ...]:
        """Both sides, and what compares them."""
        return self.left, self.operator, self.right


@dataclass(frozen=True, kw_only=True)
class SizeCompared(SizeComparison, tag="size-compared"):
    """A size was compared on the user's own account."""


@dataclass(frozen=True, kw_only=True)
class SizeChosen(SizeComparison, tag="size-chosen"):
    """A size was compared inside max(), min() or sorted()."""


@dataclass(frozen=True, kw_only=True)
class SizeDivided(SizeQuestion, tag="size-divided"):
    """`left // right`, of which one is negative and one a size."""

    left: Number
    right: Number

    @property
    def operands(self) -> tuple[Any, ...]:
        """What was divided, and by what."""
        return self.left, self.right


@dataclass(frozen=True, kw_only=True)
class SizeLooped(SizeQuestion, tag="size-looped"):
    """`range()` of a size; its value is the number of rounds."""

    bounds: tuple[Any, ...]
    """What range() was given."""

    @property
    def operands(self) -> tuple[Any, ...]:
        """What range() was given."""
        return self.bounds


@dataclass(frozen=True, kw_only=True)
class SizeParted(RunEvent, tag="size-parted"):
    """`left // right` or `left % right`, of a size and a number that is none: it asks nothing a tracer minds.

    It shows what the size would have to exceed for there to be several parts.
    """

    left: Number
    """How large the size is, whatever its sign."""
    right: Number
