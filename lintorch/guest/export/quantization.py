"""Integers of 8 bits that a model is exported in: what they are calibrated on, and what its layers give in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintorch.guest.watch.make_tensors import SEED, make_inputs
from lintorch.record.models import FedArgument
from lintorch.record.precisions import QUANTIZATIONS

LayerReader = Callable[[Sequence[Any]], Mapping[str, torch.Tensor]]
"""From a value per input to what the first call of each layer gives in what was exported, by the layer's name."""

_LEAST, _MOST, _NUMBERS = 8, 64, 20_000
"""Batches of random inputs that a static quantization is calibrated on, as many as have so many numbers in all."""


@dataclass(frozen=True)
class Quantization:
    """What is asked for: one of `lintorch.record.precisions.QUANTIZATIONS`, calibrated at these sizes."""

    kind: str
    sizes: Mapping[str, int]

    @classmethod
    def find(cls, precision: str, sizes: Mapping[str, int]) -> Quantization | None:
        """What a type asks for; None of one that is no quantization."""
        return cls(precision, sizes) if precision in QUANTIZATIONS else None

    @property
    def is_dynamic(self) -> bool:
        """Whether the ranges of what layers take are measured in each run, and not calibrated."""
        return self.kind == "int8-dynamic"

    def make_batches(
        self, inputs: Sequence[FedArgument], example: Sequence[Any]
    ) -> list[Sequence[Any]]:
        """None of these is compared: ranges that hold for one batch alone would seem to hold for all."""
        each = sum(value.numel() for value in example if isinstance(value, torch.Tensor))
        count = min(_MOST, max(_LEAST, _NUMBERS // max(1, each)))
        return [make_inputs(inputs, self.sizes, SEED + 1 + number) for number in range(count)]
