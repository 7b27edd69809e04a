"""torch.jit.trace: one run is recorded; whatever Python decided in it is frozen."""

from __future__ import annotations

from functools import partial

import torch

from lintorch.guest.export import flat_outputs
from lintorch.guest.export.exporter import Explained, Exported, Job, save_program, wrap_module
from lintorch.guest.export.exporters.traced_module import list_kept_devices, turn_round
from lintorch.guest.process.error_text import text_of

_UNSAVED = "Could not export Python function call"
_SCRIPT = """
exported = torch.jit.trace(model, example, check_trace=False{strict})
"""


def available() -> str:
    """Part of torch."""
    return "" if hasattr(torch, "jit") else "torch.jit.trace is gone from this torch"


def export(job: Job) -> Exported:
    """Traces without torch's own check: outputs are compared with eager at every size anyway."""
    traced = torch.jit.trace(
        job.module,
        job.arrange_arguments(job.example),
        check_trace=False,
        strict=job.strict,
    )
    artifact = save_program(job, "model.pt", partial(torch.jit.save, traced))
    exported = wrap_module(job, traced, artifact, list_kept_devices(traced))
    return flat_outputs.drop_counts(exported, job)


def script(job: Job) -> str:
    """As `export`."""
    return _SCRIPT.format(strict="" if job.strict else ", strict=False")


def explain(error: BaseException, job: Job) -> Explained:
    """The traceback of a traced run says all there is; of what is not saved the message has a stack."""
    text = text_of(error)
    return Explained(where=turn_round(text)) if _UNSAVED in text else Explained()
