"""What one call does in a training step: backward, step, zero_grad, scale, clip and the like."""

from __future__ import annotations

from enum import Enum


class Act(Enum):
    """Kinds of event in a training step."""

    BACKWARD = "backward"
    SCALE = "scale"
    UNSCALE = "unscale_"
    SCALER_STEP = "scaler.step"
    UPDATE = "update"
    STEP = "step"
    SOME_STEP = "step of something unknown"
    ZERO_GRAD = "zero_grad"
    CLIP = "clip"
    SCHEDULE = "scheduler.step"
    TRAIN = "train"
    EVAL = "eval"
    ENTER = "enter"
    LEAVE = "leave"
    SUMMED = "added to a total"
    RESUMED = "load_state_dict"
    READ_SCALE = "get_scale"
    GIVEN = "gradient set by hand"
    PASSED = "passed to code that is not seen"


STEPS = (Act.STEP, Act.SCALER_STEP)
"""Acts by which an optimizer steps."""
