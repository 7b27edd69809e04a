"""Questions that Python asked of a tensor's data."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from lintorch.record.events.base import RunEvent, Shapes


class TensorUse(Enum):
    """How the data of a tensor was read."""

    ITEM = "item"
    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    LIST = "tolist"
    NUMPY = "numpy"
    ARRAY = "array"
    """It was made an array by NumPy or another library that the line calls."""
    ITERATION = "iter"
    """`for row in x`; the value is the number of rows."""


@dataclass(frozen=True, kw_only=True)
class TensorRead(RunEvent, tag="tensor"):
    """The data of a tensor was read; its key says how."""

    how: TensorUse
    inputs: Shapes = ()
    """The shapes of the tensors that were asked."""
    value: Any = None
    """The answer, where it is a number, a truth, or few numbers."""

    @property
    def key(self) -> TensorUse:
        """How it was read."""
        return self.how
