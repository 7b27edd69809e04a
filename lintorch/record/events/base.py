"""What all events of a run have in common, and the operators that ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from lintorch.record.sites import Shape, Site
from lintorch.record.tagged import Tagged

Shapes = tuple[Shape, ...]
"""Of several tensors, in order."""
Number = bool | int | float
_ASSIGNING = ("__setitem__", "__ipow__", "__iand__", "__ior__", "__ixor__")


@dataclass(frozen=True)
class RunEvent(Tagged):
    """Something that happened in a run, or that a run showed, at one line of the user's."""

    site: Site
    layer: str = ""
    """Dotted path of the innermost module running, such as `backbone.pool`; "" for the model."""
    layer_class: str = ""
    """Full name of that module's class, such as `torch.nn.AdaptiveAvgPool2d`."""
    built: Site | None = None
    """Where the user's source constructed that module."""

    @property
    def key(self) -> type | str | Enum:
        """What detectors ask for: the class, or what tells events of one class apart."""
        return type(self)


@dataclass(frozen=True, kw_only=True)
class OperatorCall(RunEvent, tag="operator"):
    """One operator ran. Its key is its name, as users write it: `torch.cat`, `torch.Tensor.add_`."""

    name: str
    inputs: Shapes = ()
    dtypes: tuple[str, ...] = ()
    """Of the inputs: `float32`."""
    outputs: Shapes = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that are plain values, by the name in the operator's signature."""
    takes: tuple[int, ...] = ()
    """The calls of the run, by their place among all of them, whose results it takes; from -1 down what the model is fed."""

    @property
    def key(self) -> str:
        """The operator's name."""
        return self.name

    @property
    def is_write(self) -> bool:
        """Whether the operator changed its first argument."""
        short = self.name.rpartition(".")[2]
        if short in _ASSIGNING or self.args.get("inplace") is True:
            return True
        return short.endswith("_") and not short.endswith("__")


@dataclass(frozen=True, kw_only=True)
class Raised(RunEvent, tag="raised"):
    """An exception, at the innermost line of the user's in its traceback."""

    kind: str
    """The name of its class: `RuntimeError`."""
    text: str
    """The first line of what it says."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """The named sizes that were changed when it came; none where the model raised at whatever it was fed."""
