"""What part in training an object plays: the optimizer, the scaler, the loss, a loader, a model."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """The parts that objects play in a training script."""

    OPTIMIZER = "optimizer"
    SCHEDULER = "scheduler"
    SCALER = "scaler"
    LOSS = "loss"
    MODEL = "model"
    LOADER = "loader"
    DATASET = "dataset"
