"""Which weights a model was not built with."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GivenWeights:
    """What was done to the weights that a model was built with."""

    livened: bool = False
    """See `liven_model`."""
    settled: bool = False
    """See `settle_model`."""
    trained: bool = False
    """See `run_in_training`."""


AS_BUILT = GivenWeights()
