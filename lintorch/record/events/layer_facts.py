"""What a run shows of the layers that a line built, and of what modules keep unregistered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lintorch.record.events.base import RunEvent
from lintorch.record.sites import Shape

PlainTensorUse = Literal["computed", "moved", "index", "registered", "none"]


@dataclass(frozen=True)
class ModalLayer(RunEvent, tag="modal-layer"):
    """The layer behaves in training otherwise than in evaluation: dropout, batch norm."""


@dataclass(frozen=True)
class IdleLayer(RunEvent, tag="idle-layer"):
    """The line built layers, the first of them `layer`, and no call reached any of them."""


@dataclass(frozen=True, kw_only=True)
class OutsideLayers(RunEvent, tag="outside-layers"):
    """The line keeps layers in a plain container, or made them, and nn.Module knows nothing of it."""

    lost: int
    """How many of them with weights or a mode ran and are registered nowhere."""
    reason: str = ""
    """Of none lost: what is so of some of them, in words; "" where all are registered after all."""
    container: str = ""
    """`list`, `tuple` or `dict`; "" where the line made them."""
    attribute: str = ""
    """The container's name."""
    first_class: str = ""
    """Class of the first that is lost: `Linear`."""
    parameters: int = 0
    """How many weights that one has."""


@dataclass(frozen=True, kw_only=True)
class PlainTensor(RunEvent, tag="plain-tensor"):
    """The line set a plain tensor as an attribute of the module `layer`."""

    use: PlainTensorUse
    """What operators did with it; "registered" and "none" where it is no plain tensor any more."""
    attribute: str = ""
    operator: str = ""
    """Of a tensor that was computed with: the first operator in which it met one of the model's."""
    shape: Shape = ()
    dtype: str = ""


@dataclass(frozen=True, kw_only=True)
class NormedBias(RunEvent, tag="normed-bias"):
    """The line made layers with a bias, of which `layer` is one that ran."""

    normed: bool
    """Whether all that they put out went straight into a norm that takes the bias away."""
    kind: str
    """The layer's class: `Conv2d`."""
    norm: str
    """Class of the norm that took what it put out; "" for none."""
    other: str
    """What else did: an operator, or words."""
    whole: bool
    """Whether all the layers of the line ran."""
    shape: Shape
    """Of what the layer put out."""
