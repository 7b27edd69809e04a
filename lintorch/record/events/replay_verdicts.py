"""What runs with one thing changed have shown of a line; `change` says what became of the output."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from lintorch.record.events.base import RunEvent
from lintorch.record.sites import Row, Shape

WrittenKind = Literal["number", "tensor", "buffer"]


@dataclass(frozen=True, kw_only=True)
class KeptWrite(RunEvent, tag="kept-write"):
    """The next call with the same input finds what was written to the module, and gives another output."""

    attribute: str
    operator: str
    """The operator that changed a buffer in place; "" where the attribute was set."""
    kind: WrittenKind
    change: str
    then: Any
    """What the first call found."""
    now: Any
    """What the second call finds."""


@dataclass(frozen=True, kw_only=True)
class ResetWrite(RunEvent, tag="reset-write"):
    """What is written to the module is written again before any read."""

    attribute: str
    operator: str


@dataclass(frozen=True, kw_only=True)
class FeltDraw(RunEvent, tag="felt-draw"):
    """Other random numbers drawn on the line give another output."""

    function: str
    change: str


@dataclass(frozen=True, kw_only=True)
class UnusedDraw(RunEvent, tag="unused-draw"):
    """Nothing looks at the random numbers that are drawn on the line."""

    function: str


@dataclass(frozen=True, kw_only=True)
class FeltChance(RunEvent, tag="felt-chance"):
    """Other numbers from torch's generator on the line give another output."""

    function: str
    change: str


class BakedKind(Enum):
    """What of the example a tracer would keep."""

    DATA = "data"
    ARRAY = "array"
    GRADIENT = "grad"


@dataclass(frozen=True, kw_only=True)
class BakedValue(RunEvent, tag="baked-value"):
    """Other inputs with the `.data`, array or gradient of the first ones give another output.

    Its key says which of the three.
    """

    what: BakedKind
    change: str

    @property
    def key(self) -> BakedKind:
        """What was kept."""
        return self.what


@dataclass(frozen=True, kw_only=True)
class MixedDevices(RunEvent, tag="mixed-devices"):
    """On another device, what was made on the CPU meets a tensor of the model."""

    operator: str
    """Where they meet: `torch.Tensor.add`."""
    row: Row
    """The row of the line that made it."""
    there: Shape
    """Of the model's tensor."""
    made: Shape
    """Of what was made on the CPU."""


@dataclass(frozen=True)
class SameDevice(RunEvent, tag="same-device"):
    """On another device, what was made here on the CPU meets no tensor of the model."""


@dataclass(frozen=True, kw_only=True)
class KeptDevice(RunEvent, tag="kept-device"):
    """The line puts on the device of a tensor what meets the model's tensors.

    Where that device stays the example's, as a trace keeps it, while the model is elsewhere, the
    two meet on different devices.
    """

    function: str
    """What the line calls with the device: `torch.arange`."""
    operator: str
    """Where they meet: `torch.Tensor.add`."""
    row: Row
    """The row where they meet."""
    there: Shape
    """Of the model's tensor."""
    made: Shape
    """Of what stayed."""
