"""Which part of a model makes its export fail, or give wrong numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from torch import nn

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Job
from lintorch.guest.export.find_smaller_parts import (
    find_smaller_parts,
    make_part_job,
    rank_by_kind,
    rank_by_site,
)
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.part_calls import Part
from lintorch.guest.export.same_failure import is_same_failure, is_wrong_alike
from lintorch.guest.export.try_exporter import run_exporter
from lintorch.guest.export.warnings_log import log_warnings
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.record.models import Model
from lintorch.record.outcomes import REDRAWN, Outcome, Variation

_STAGES_IN_PARTS = ("export", "load")
"""Stages whose failure can be looked for in parts: before any numbers are compared."""


def find_blamed_parts(
    outcome: Outcome,
    module: nn.Module,
    model: Model,
    others: Sequence[NamedSizes],
    *,
    train: bool,
    user_file: UserFile,
    seconds: float,
) -> Iterator[str]:
    """Names of ever smaller parts of a model that alone go wrong like it, for so many seconds.

    `outcome` is what `try_export` made of the same. Nothing comes where it was neither a failed
    export nor a wrong one, where lines are known that make it wrong, for exports in training mode,
    which eager itself differs from, where only what forward returns is refused, or what a run
    leaves is wrong, where other numbers are, and where the part is known.
    """
    if outcome.returned or outcome.kept or outcome.part or REDRAWN in outcome.wrong_at:
        return
    failed = outcome.status == "failed" and outcome.stage in _STAGES_IN_PARTS
    known = train or outcome.is_explained(decided=True)
    if not failed and (outcome.status != "wrong" or known):
        return
    eager = Eager(module, model)
    output = eager.run_at(model.sizes)
    fed = {
        at: eager.make_inputs(sizes)
        for at, sizes in _choose_telling_sizes(outcome, model, others).items()
    }
    with (
        copy_module(module, train) as copied,
        log_warnings(user_file),
        TemporaryDirectory() as folder,
    ):
        given = eager.make_inputs(model.sizes)
        job = Job(copied, model.inputs, given, frozenset(), outcome.opset, Path(folder), output)
        late = clock() + seconds
        alike = partial(_goes_wrong_alike, outcome, job, user_file, late)
        rank = partial(rank_by_site, failed=outcome, user_file=user_file)
        whole = Part("", copied, model.inputs, given, fed)
        with suppress(TooSlow):
            yield from find_smaller_parts(whole, alike, rank if failed else rank_by_kind, late)


def _choose_telling_sizes(
    outcome: Outcome, model: Model, others: Sequence[NamedSizes]
) -> dict[Variation, NamedSizes]:
    """The sizes at which the whole is wrong, and of those at which it is right one for each group of names."""
    every = {Variation.between(model.sizes, sizes): sizes for sizes in others}
    first = {at.changed: at for at in reversed(every)}
    return {
        at: sizes
        for at, sizes in every.items()
        if at in outcome.wrong_at or first[at.changed] == at
    }


def _goes_wrong_alike(
    outcome: Outcome, job: Job, user_file: UserFile, late: float, part: Part
) -> bool:
    """Whether a part, exported alone, fails or is wrong as the whole."""
    with limit_seconds(max(1.0, late - clock())):
        made = run_exporter(outcome.exporter, make_part_job(part, job), user_file)
        if isinstance(made, Outcome):
            return outcome.status == "failed" and is_same_failure(outcome, made)
        return outcome.status == "wrong" and is_wrong_alike(outcome.wrong_at, part, made)
