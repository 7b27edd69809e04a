"""Lines of the user's source, and shapes of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from lintorch.record.readers import Within

Shape = tuple[int, ...]
"""Of one tensor: (2, 3, 64, 64)."""
Row = Annotated[int, Within(1, 2**31, "row")]
"""A line's number, from 1 on."""


@dataclass(frozen=True)
class Site:
    """A line of the user's source."""

    path: str
    row: Row
    function: str = ""
