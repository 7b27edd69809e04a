"""Which part of a model makes its export fail."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from torch import nn

from lintorch.trace.record import Model, Outcome
from lintorch.trials.calls import Part
from lintorch.trials.eager import Eager, Sizes
from lintorch.trials.exporter import Job
from lintorch.trials.heard import listening
from lintorch.trials.one import exported
from lintorch.trials.smallest import smallest
from lintorch.trials.state import fresh
from lintorch.trials.trouble import UserFile
from lintorch.worker.limits import TooSlow, within

_NARROWED = ("export", "load")
"""Stages whose failure can be looked for in parts: before any numbers are compared."""


def narrowed(
    outcome: Outcome,
    module: nn.Module,
    model: Model,
    varied: Mapping[str, Sizes],
    *,
    train: bool,
    user_file: UserFile,
    directory: Path,
    seconds: float,
) -> Iterator[str]:
    """Names of ever smaller parts of a model that alone fail like it, for so many seconds.

    `outcome` is what `attempt` made of the same; nothing comes where it was no failed export.
    """
    if outcome.status != "failed" or outcome.stage not in _NARROWED:
        return
    eager = Eager(module, model)
    output = eager.output(model.sizes)
    others = tuple(eager.fed(sizes) for sizes in varied.values())
    with fresh(module, train) as copied, listening(user_file):
        given = eager.fed(model.sizes)
        job = Job(copied, model.inputs, given, frozenset(), outcome.opset, directory, output)
        whole = Part("", copied, model.inputs, given, others)
        late = time.monotonic() + seconds

        def fails(part: Job) -> Outcome | None:
            with within(max(1.0, late - time.monotonic())):
                made = exported(outcome.exporter, part, user_file)
            return made if isinstance(made, Outcome) else None

        with suppress(TooSlow):
            yield from smallest(whole, outcome, job, fails, user_file, late)
