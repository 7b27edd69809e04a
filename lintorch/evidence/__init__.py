"""What rules see of runs and trial exports: plain values, and readings of them. Imports no torch."""

from lintorch.evidence.trace import EventKey, Trace
from lintorch.evidence.trial import Trial
from lintorch.record import events
from lintorch.record.events import *  # noqa: F403
from lintorch.record.outcomes import (
    AS_TRACED,
    IN_TRAINING,
    REDRAWN,
    OperatorUse,
    Outcome,
    SizeLimit,
    Variation,
)
from lintorch.record.runs import GraphCapture, ModelRun, Tracer
from lintorch.record.sites import Shape, Site

__all__ = [
    "AS_TRACED",
    "IN_TRAINING",
    "REDRAWN",
    "EventKey",
    "GraphCapture",
    "ModelRun",
    "OperatorUse",
    "Outcome",
    "Shape",
    "Site",
    "SizeLimit",
    "Trace",
    "Tracer",
    "Trial",
    "Variation",
]
__all__ += events.__all__
