"""torch.jit.script: the source itself is compiled, every line that the compiler can reach."""

from __future__ import annotations

import torch

from lintorch.trials.exporter import Explained, Exported, Job, running


def available() -> str:
    """Part of torch."""
    return "" if hasattr(torch, "jit") else "torch.jit.script is gone from this torch"


def export(job: Job) -> Exported:
    """Compiles the module."""
    script = torch.jit.script(job.module)
    return running(script)


def explain(error: BaseException, job: Job) -> Explained:
    """The compiler prints the innermost line first; a stack has it last."""
    lines = [line for line in str(error).splitlines() if 'File "' in line]
    return Explained(where="\n".join(reversed(lines)))
