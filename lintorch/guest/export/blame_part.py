"""Which part of a model makes its export fail, or give wrong numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import nn

from lintorch.guest.export.eager_reference import Eager, Sizes
from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.module_state import fresh
from lintorch.guest.export.part_calls import Part
from lintorch.guest.export.smallest_part import (
    alone,
    fails_alike,
    rank_by_kind,
    rank_by_site,
    smallest,
)
from lintorch.guest.export.try_exporter import exported
from lintorch.guest.export.warnings_log import listening
from lintorch.guest.export.wrong_part import wrong_alike
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, within
from lintorch.record.trace import Model, Outcome

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
    seconds: float,
) -> Iterator[str]:
    """Names of ever smaller parts of a model that alone go wrong like it, for so many seconds.

    `outcome` is what `attempt` made of the same. Nothing comes where it was neither a failed
    export nor a wrong one, and for exports in training mode, which eager itself differs from.
    """
    failed = outcome.status == "failed" and outcome.stage in _NARROWED
    if not failed and (outcome.status != "wrong" or train):
        return
    eager = Eager(module, model)
    output = eager.output(model.sizes)
    others = {group: eager.fed(sizes) for group, sizes in varied.items()}
    with fresh(module, train) as copied, listening(user_file), TemporaryDirectory() as folder:
        given = eager.fed(model.sizes)
        job = Job(copied, model.inputs, given, frozenset(), outcome.opset, Path(folder), output)
        late = clock() + seconds
        alike = partial(_alike, outcome, job, user_file, late)
        rank = partial(rank_by_site, failed=outcome, user_file=user_file)
        whole = Part("", copied, model.inputs, given, others)
        with suppress(TooSlow):
            yield from smallest(whole, alike, rank if failed else rank_by_kind, late)


def _alike(outcome: Outcome, job: Job, user_file: UserFile, late: float, part: Part) -> bool:
    """Whether a part, exported alone, fails or is wrong as the whole."""
    with within(max(1.0, late - clock())):
        made = exported(outcome.exporter, alone(part, job), user_file)
        if isinstance(made, Outcome):
            return outcome.status == "failed" and fails_alike(outcome, made)
        return outcome.status == "wrong" and wrong_alike(outcome.wrong, part, made)
