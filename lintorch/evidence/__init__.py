"""What rules see of runs and trial exports: plain values, and readings of them. Imports no torch."""

from lintorch.evidence.trace import EventKey, Trace
from lintorch.evidence.trial import Trial
from lintorch.record.events import (
    BakedKind,
    BakedValue,
    FeltDraw,
    IdleLayer,
    InputWrite,
    KeptWrite,
    MixedDevices,
    ModalLayer,
    ModuleWrite,
    NormedBias,
    OperatorCall,
    OutsideLayers,
    PlainTensor,
    Raised,
    RandomDraw,
    ResetWrite,
    RunEvent,
    SameDevice,
    SharedWrite,
    SizeChosen,
    SizeCompared,
    SizeDivided,
    SizeLooped,
    SizeQuestion,
    SizeRead,
    SizeUse,
    TensorRead,
    TensorUse,
    UnusedDraw,
    ViewWrite,
)
from lintorch.record.outcomes import AS_TRACED, IN_TRAINING, OperatorUse, Outcome, Variation
from lintorch.record.runs import GraphCapture, ModelRun, Tracer
from lintorch.record.sites import Shape, Site

__all__ = [
    "AS_TRACED", "IN_TRAINING", "BakedKind", "BakedValue", "EventKey", "FeltDraw", "GraphCapture",
    "IdleLayer", "InputWrite", "KeptWrite", "MixedDevices", "ModalLayer", "ModelRun",
    "ModuleWrite", "NormedBias", "OperatorCall", "OperatorUse", "Outcome", "OutsideLayers",
    "PlainTensor", "Raised", "RandomDraw", "ResetWrite", "RunEvent", "SameDevice", "Shape",
    "SharedWrite", "Site", "SizeChosen", "SizeCompared", "SizeDivided", "SizeLooped",
    "SizeQuestion", "SizeRead", "SizeUse", "TensorRead", "TensorUse", "Trace", "Tracer", "Trial",
    "UnusedDraw", "Variation", "ViewWrite",
]  # fmt: skip
