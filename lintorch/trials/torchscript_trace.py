"""torch.jit.trace: one run is recorded; whatever Python decided in it is frozen."""

from __future__ import annotations

import torch

from lintorch.trials.exporter import Explained, Exported, Job, running
from lintorch.trials.flat import traceable


def available() -> str:
    """Part of torch."""
    return "" if hasattr(torch, "jit") else "torch.jit.trace is gone from this torch"


def export(job: Job) -> Exported:
    """Traces without torch's own check: outputs are compared with eager at every size anyway."""
    traced = torch.jit.trace(traceable(job), job.example, check_trace=False, strict=False)
    return running(traced)


def explain(error: BaseException, job: Job) -> Explained:
    """The traceback of a traced run says all there is."""
    return Explained()
