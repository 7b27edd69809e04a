"""What the pickles of a checkpoint describe: inert values, of which none is a class or function that runs.

None, bool, int, float, str, bytes and tuples stand for themselves. Whatever can hold itself is
compared by identity, and is never hashed, shown or walked without a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Value = Any
"""One of the classes here, or a plain value."""


@dataclass(frozen=True)
class Global:
    """A class or function by its name alone."""

    module: str
    name: str

    @property
    def path(self) -> str:
        """`torch._utils._rebuild_tensor_v2`."""
        return f"{self.module}.{self.name}"


@dataclass(eq=False, repr=False, slots=True)
class Items:
    """A list or a set."""

    kind: str = "list"
    items: list[Value] = field(default_factory=list)


@dataclass(eq=False, repr=False, slots=True)
class Table:
    """A dict, or a class like it by its path; keys stand as often as they were set."""

    kind: str = "dict"
    pairs: list[tuple[Value, Value]] = field(default_factory=list)
    state: Value = None

    def get(self, key: str) -> Value:
        """The last value of a key; None where there is none."""
        return next((value for each, value in reversed(self.pairs) if _is_text(each, key)), None)


@dataclass(eq=False, repr=False, slots=True)
class Made:
    """What a call would give, which is not made: of a class or a function, with its arguments."""

    function: Value
    arguments: Value
    state: Value = None
    items: list[Value] = field(default_factory=list)
    pairs: list[tuple[Value, Value]] = field(default_factory=list)

    @property
    def path(self) -> str:
        """The class or function, by its path; "" where it is none that has a name."""
        return self.function.path if isinstance(self.function, Global) else ""


@dataclass(frozen=True)
class Storage:
    """Numbers in the file: how many of which type, and on which device they were."""

    key: str
    dtype: str
    device: str
    count: int


@dataclass(frozen=True)
class Tensor:
    """A tensor as the file describes it; `storage` is None where it has no numbers there.

    `kind` is "" for plain ones, else `quantized`, `sparse COO`, `meta`, `nested`, `numpy` and so on.
    """

    shape: tuple[int, ...]
    dtype: str
    stride: tuple[int, ...] = ()
    offset: int = 0
    storage: Storage | None = None
    device: str = ""
    kind: str = ""
    subclass: str = ""
    parameter: bool = False

    @property
    def count(self) -> int:
        """How many numbers it has."""
        count = 1
        for size in self.shape:
            count *= size
        return count


def _is_text(value: Value, text: str) -> bool:
    return isinstance(value, str) and value == text
