"""Models that were found: how they were built, what they are fed, or why they could not run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from lintorch.record.decoders import DecoderForm
from lintorch.record.events import Raised
from lintorch.record.sites import Row, Site

Stage = Literal["import", "build", "inputs", "run", "call", "stopped"]
"""Where the way to a model's run ended, "call" for a function that trains; "stopped" by a limit, an exit or a crash."""
Purpose = Literal["", "loss", "metric", "discriminator"]
"""What of training a model is, which nobody deploys; "" for all others."""


@dataclass(frozen=True)
class Input:
    """A tensor that the model is fed: `float32[batch, 3, height=64, width=64]`.

    `at` says where it stands in an argument that holds several: `(0, "image")` for `x[0]["image"]`;
    () where it is the argument itself. The inputs of one argument follow each other.
    `shape` holds numbers for fixed sizes and names for dynamic ones; `sizes` of the model's
    inputs give each name its first value. `low` and `high` bound integer values (high exclusive), and fractions, which lie from `low` up to
    `high - 1`; where both are 0 they are drawn from a normal distribution.
    `longest` is of an input that tells how long each sample of another one is: the size, or its
    name, that the first value is; those behind it fall.
    """

    name: str
    dtype: str
    shape: tuple[int | str, ...]
    low: int = 0
    high: int = 0
    at: tuple[int | str, ...] = ()
    longest: int | str = ""
    records: tuple[str, ...] = ()
    """Of each step of `at` the class `module:Class` whose field it is, "tuple" for tuples, "" for lists and
    mappings; () for none."""

    @property
    def label(self) -> str:
        """A name for it alone: `batch_image` for `batch["image"]`."""
        return "_".join(map(str, (self.name, *self.at)))


@dataclass(frozen=True)
class PlainArgument:
    """A value beside tensors that the model is fed: a flag, a word, a number, sides of an image.

    `value` is its expression, as `lintorch.record.plain_values` reads it: `True`, `None`, `'train'`,
    `(height, width)`; names in it are sizes of the tensors, which it follows. `name` and `at` say
    where it goes, as those of an input do, and so does `records`.
    """

    name: str
    value: str
    at: tuple[int | str, ...] = ()
    records: tuple[str, ...] = ()


FedArgument = Input | PlainArgument
"""One place of what a model is fed."""


@dataclass(frozen=True)
class DecoderHalf:
    """One of `lintorch.record.decoders.HALVES` of a decoder: what it is fed, at which sizes first."""

    name: str
    inputs: tuple[FedArgument, ...]
    sizes: Mapping[str, int]


MOST_LAYERS = 2000
"""Of one model, those that are told."""


@dataclass(frozen=True)
class Layer:
    """A module in a model: its dotted path, its class as `torch.nn.Conv2d`, the weights in it.

    `built` is the line of the user's that made it; None where that is not known.
    """

    path: str
    kind: str
    parameters: int = 0
    built: Site | None = None


@dataclass(frozen=True)
class Model:
    """A model that was found, how it was built and what it is fed."""

    path: str
    qualname: str
    row: Row
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Constructor arguments that were filled in, shown as their repr where not plain."""
    inputs: tuple[FedArgument, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    contains: tuple[str, ...] = ()
    """`path:Class` of the user's modules inside it."""
    parameters: int = 0
    seconds: float = 0.0
    factory: str = ""
    """`nets/seg.py:UNet`, relative to the project: what was called; "" where settings cannot name it."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was called with, as far as settings can say it; `unsaid` names the rest."""
    unsaid: tuple[str, ...] = ()
    made_up: tuple[str, ...] = ()
    """Those of its arguments that nobody gave."""
    configured: bool = False
    """Whether settings say what it is fed: a number there is a size that never varies."""
    assumptions: tuple[str, ...] = ()
    """What was stood in for, left out or taken from elsewhere so that it runs, in words."""
    purpose: Purpose = ""
    """What it is that is not exported; "" where it is."""
    layers: tuple[Layer, ...] = ()
    """The modules in it, outer ones first and in their order; no more than `MOST_LAYERS`."""
    decoder: DecoderForm | None = None
    """How it takes tokens and a cache; None where it is no decoder."""
    halves: tuple[DecoderHalf, ...] = ()
    """Of a decoder: the prompt alone, and one step behind a cache."""
    raised: tuple[Raised, ...] = ()
    """What it raised as a call of the project builds it, before it ran as it was built otherwise."""

    def take_half(self, name: str) -> Model:
        """One of its halves as a model, which no settings name."""
        half = next(half for half in self.halves if half.name == name)
        return replace(
            self,
            qualname=f"{self.qualname} ({name})",
            inputs=half.inputs,
            sizes=half.sizes,
            factory="",
            contains=(),
            decoder=None,
            halves=(),
        )


@dataclass(frozen=True)
class Failure:
    """A model that could not be built, fed or run to its end; `output` is the end of what it printed."""

    path: str
    qualname: str
    row: Row
    stage: Stage
    cause: str
    output: str = ""
    raised: tuple[Raised, ...] = ()
    """What the tries to run it raised, each at its line."""
    traceback: str = ""
    """Of the first error, as Python prints it; "" where a limit ended the work."""
