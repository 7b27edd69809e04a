"""What a line does beside computing: it writes to memory that others see, to modules, or draws numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lintorch.record.events.base import Number, RunEvent, Shapes


@dataclass(frozen=True, kw_only=True)
class InputWrite(RunEvent, tag="input-write"):
    """A write to an argument of the model."""

    inputs: Shapes
    """What was written to, then what was written."""


@dataclass(frozen=True, kw_only=True)
class ViewWrite(RunEvent, tag="view-write"):
    """A write through a view whose base was read later."""

    inputs: Shapes
    """What was written to, then what was written."""
    through: tuple[str, ...]
    """What made the views, the last one first: `("transpose", "view")`."""


@dataclass(frozen=True, kw_only=True)
class SharedWrite(RunEvent, tag="shared-write"):
    """The first write of a line whose memory others see.

    It was read later as a tensor other than the one written to and its later views, or was kept
    by the model, or is hidden behind `.data` or `diagonal`.
    """

    inputs: Shapes
    """What was written to, then what was written."""


@dataclass(frozen=True, kw_only=True)
class ModuleWrite(RunEvent, tag="module-write"):
    """A write to an attribute or buffer of the module `layer`.

    Values are numbers and texts themselves, else told in words: "a tensor of shape [2, 3]".
    """

    attribute: str
    same: bool = False
    """Whether it is what it was."""
    before: Any = None
    after: Any = None
    operator: str = ""
    """The operator that changed a buffer in place: `add_`; "" where the attribute was set."""


@dataclass(frozen=True, kw_only=True)
class RandomDraw(RunEvent, tag="random-draw"):
    """Python's `random` or NumPy drew a number."""

    function: str
    """`random.random`, `numpy.random.rand`."""
    value: Number | None = None
    """What was drawn, where it is one number."""


@dataclass(frozen=True, kw_only=True)
class TorchDraw(RunEvent, tag="torch-draw"):
    """An operator drew numbers from torch's own generator."""

    function: str
    """`torch.randn_like`, `torch.nn.functional.dropout`."""
