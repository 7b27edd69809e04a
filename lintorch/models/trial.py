"""A model is exported on trial, in a child."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from torch import nn

from lintorch.models.narrow import Fed
from lintorch.models.work import Work
from lintorch.trace import wire
from lintorch.trace.record import Model, Outcome
from lintorch.worker.isolate import SLACK, Send


def tried(
    work: Work, module: nn.Module, model: Model, fed: Fed, exporter: str, train: bool = False
) -> None:
    """Export the model on trial."""
    from lintorch import trials

    options, files = work.options, work.files
    directory = Path(tempfile.mkdtemp())

    def trying(send: Send) -> None:
        outcome = trials.attempt(
            exporter,
            module,
            model,
            fed.varied,
            opset=options.opset,
            train=train,
            user_file=lambda path: files.shown(path) if files.is_user(path) else None,
            directory=directory,
        )
        send({"outcome": wire.packed(outcome)})

    work.send({"begin": f"{model.path}:{model.qualname} → {exporter}"})
    work.send({"allow": options.trial_seconds + SLACK})
    started = time.monotonic()
    sent, ending = work.step(trying, options.trial_seconds)
    if not sent:
        seconds = round(time.monotonic() - started, 3)
        stopped = Outcome(exporter, "failed", "stopped", ending.cause, seconds=seconds)
        sent = [{"outcome": wire.packed(stopped)}]
    for message in sent:
        work.send(message)
