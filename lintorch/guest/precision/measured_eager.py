"""Eager as the measure of an export in another type: eager in float32 stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from lintorch.guest.beside.causes.precision import round_layers
from lintorch.guest.beside.distances import measure_distance
from lintorch.guest.export.compare_numbers import Difference
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.record.arguments import arrange_arguments
from lintorch.record.file_comparisons import Distance
from lintorch.record.models import Model

_TIMES = 4.0
"""How many times as far from float32 as eager in the type an export may be: runtimes keep sums otherwise."""


class MeasuredEager(Eager):
    """A model that runs in a type, beside the same in float32. The export is of the first."""

    def __init__(self, module: nn.Module, model: Model, exact: Eager) -> None:
        super().__init__(module, model)
        self.exact = exact

    def list_typed_at(self, sizes: NamedSizes) -> list[torch.Tensor]:
        """What eager gives in the type."""
        return self.list_numbers_at(sizes)

    def measure(self, sizes: NamedSizes, given: Sequence[torch.Tensor]) -> Distance:
        """How far numbers are from float32, by the outputs that are floating where there are such."""
        expected = self.exact.list_numbers_at(sizes)
        pairs = [*zip(expected, given, strict=False)]
        floating = [pair for pair in pairs if pair[0].is_floating_point()] or pairs
        return measure_distance([own for own, _ in floating], [value for _, value in floating])

    def is_excused(
        self, sizes: NamedSizes, given: Sequence[torch.Tensor], found: Difference
    ) -> bool:
        """Whether the export is not much further from float32 than eager in the type is."""
        if found.why.startswith("the output is ["):
            return False
        own, other = (self.measure(sizes, each) for each in (self.list_typed_at(sizes), given))
        if own.amount is None or other.amount is None:
            return own.amount is None
        if other.amount <= _TIMES * own.amount:
            return True
        return super().is_excused(sizes, given, found)


class QuantizedEager(MeasuredEager):
    """A model in float32, the export of which is quantized; in that type eager is only imitated."""

    def __init__(self, module: nn.Module, model: Model) -> None:
        super().__init__(module, model, self)
        self._rounded: dict[tuple[tuple[str, int], ...], list[torch.Tensor]] = {}

    def list_typed_at(self, sizes: NamedSizes) -> list[torch.Tensor]:
        """What eager gives with weights and inputs of its layers rounded to 8 bits."""
        key = tuple(sizes.items())
        if key not in self._rounded:
            arguments = arrange_arguments(self.model.inputs, self.make_inputs(sizes))
            self._rounded[key] = round_layers(self.module, arguments, {}, "int8")
        return self._rounded[key]

    def is_excused(
        self, sizes: NamedSizes, given: Sequence[torch.Tensor], found: Difference
    ) -> bool:
        """Whether there are numbers to compare: how far off they are is a loss, and no fault of an exporter."""
        return found.amount is not None
