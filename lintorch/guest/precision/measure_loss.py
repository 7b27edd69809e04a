"""What a type costs: eager in it, and what was exported, beside eager in float32."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import torch

from lintorch.guest.export.compare_numbers import ABSOLUTE, LOW_RELATIVE, RELATIVE
from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.exporter import Exported
from lintorch.guest.precision.measured_eager import MeasuredEager
from lintorch.record.file_comparisons import Distance
from lintorch.record.precisions import QUANTIZATIONS, PrecisionLoss

_INTEGER_RELATIVE = 0.1
"""For integers of 8 bits, whose own rounding is 1/255 of the largest number, in each layer."""

_UNMEASURED = "it does not run"


def measure_loss(
    precision: str, eager: MeasuredEager, exported: Exported | None, others: Sequence[NamedSizes]
) -> PrecisionLoss:
    """The largest of all sizes at which all of them run."""
    sizes = [eager.model.sizes, *others]
    own = _find_worst(eager, eager.list_typed_at, sizes)

    def run(at: NamedSizes) -> list[torch.Tensor]:
        assert exported is not None
        with torch.no_grad():
            return exported.run(eager.make_inputs(at))

    given = Distance(why=_UNMEASURED) if exported is None else _find_worst(eager, run, sizes)
    tolerance = find_tolerance(precision)
    counted = (given,) if precision in QUANTIZATIONS else (own, given)
    lossy = any(is_beyond(each, tolerance) for each in counted if each.why != _UNMEASURED)
    return PrecisionLoss(own, given, tolerance, lossy)


def find_tolerance(precision: str) -> float:
    """Of an output's largest number, beyond which an error is a loss."""
    if precision in QUANTIZATIONS:
        return _INTEGER_RELATIVE
    return RELATIVE if precision == "float64" else LOW_RELATIVE


def is_beyond(distance: Distance, tolerance: float) -> bool:
    """Whether numbers are further off, or not finite."""
    if distance.amount is None:
        return True
    relative = float("inf") if distance.relative is None else distance.relative
    return distance.amount > ABSOLUTE and relative > tolerance


def _find_worst(
    eager: MeasuredEager,
    run: Callable[[NamedSizes], list[torch.Tensor]],
    sizes: Iterable[NamedSizes],
) -> Distance:
    worst = Distance(why=_UNMEASURED)
    for at in sizes:
        with suppress(Exception):  # told where it is compared with eager
            found = eager.measure(at, run(at))
            if _rank(found) > _rank(worst) or worst.why == _UNMEASURED:
                worst = found
    return worst


def _rank(distance: Distance) -> float:
    if distance.amount is None:
        return float("inf")
    return distance.relative or 0.0
