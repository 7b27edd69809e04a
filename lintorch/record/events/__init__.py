"""What happens in a run of a model, and what a run shows: one frozen class for each kind."""

from __future__ import annotations

from lintorch.record.events.base import OperatorCall, Raised, RunEvent, Shapes
from lintorch.record.events.decoding import PastForgotten
from lintorch.record.events.effects import (
    InputWrite,
    ModuleWrite,
    RandomDraw,
    SharedWrite,
    TorchDraw,
    ViewWrite,
)
from lintorch.record.events.layer_facts import (
    IdleLayer,
    ModalLayer,
    NormedBias,
    OutsideLayers,
    PlainTensor,
)
from lintorch.record.events.replay_verdicts import (
    BakedKind,
    BakedValue,
    FeltChance,
    FeltDraw,
    KeptDevice,
    KeptWrite,
    MixedDevices,
    ResetWrite,
    SameDevice,
    UnusedDraw,
)
from lintorch.record.events.size_reads import (
    SizeChosen,
    SizeCompared,
    SizeDivided,
    SizeLooped,
    SizeParted,
    SizeQuestion,
    SizeRead,
    SizeUse,
)
from lintorch.record.events.tensor_reads import TensorRead, TensorUse

__all__ = [
    "BakedKind", "BakedValue", "FeltChance", "FeltDraw", "IdleLayer", "InputWrite", "KeptDevice",
    "KeptWrite", "MixedDevices", "ModalLayer", "ModuleWrite", "NormedBias", "OperatorCall",
    "OutsideLayers", "PastForgotten", "PlainTensor", "Raised", "RandomDraw", "ResetWrite",
    "RunEvent", "SameDevice", "Shapes", "SharedWrite", "SizeChosen", "SizeCompared", "SizeDivided",
    "SizeLooped", "SizeParted", "SizeQuestion", "SizeRead", "SizeUse", "TensorRead", "TensorUse",
    "TorchDraw", "UnusedDraw", "ViewWrite",
]  # fmt: skip
