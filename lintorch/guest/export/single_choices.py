"""An export that is right so far, made of an example of which data chooses exactly one number.

`torch.jit.trace` takes that one for a size: of `y[mask] = x[mask]` it keeps that one number is written everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from lintorch.guest.export.eager_reference import Eager
from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Exported, Job
from lintorch.guest.export.verdict_on_export import Wrong, find_wrong_at
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch.make_tensors import SEED, Draw
from lintorch.guest.watch.run_steps import RunSteps
from lintorch.record.outcomes import REDRAWN, Deviation, Outcome
from lintorch.record.sites import Site

Export = Callable[[Job], Exported | Outcome]
_Counts = dict[float, list[int]]
"""By the factor, how many each mask chooses of the numbers."""
_TRACERS = frozenset({"onnx-legacy", "torchscript-trace"})
_SECONDS = 20.0
_FEW = 3
"""How many the first numbers choose at most, for one to be as likely."""
_BOUNDS = (3.0, 0.3)
"""How much larger or smaller numbers are, at most."""
_HALVINGS = 8
_TIMES_MORE = 2.0
_MOST_EXAMPLES = 2
_PLACE = "exported with an example of which a mask chooses exactly one number, on others"


def try_single_choice(
    right: Outcome, job: Job, export: Export, eager: Eager, user_file: UserFile, late: float
) -> Outcome:
    """The same outcome, unless an export made of such an example is right there and wrong on the first numbers."""
    if right.exporter not in _TRACERS:
        return right
    with suppress(TooSlow, Exception), limit_seconds(max(1.0, min(_SECONDS, late - clock()))):
        first = eager.follow_run()
        for factor in _find_factors(first, eager):
            example = _scale(eager, factor)
            more = _scale(eager, _TIMES_MORE * factor)
            if wrong := _export_example(example, job, export, eager, more):
                return _describe(right, wrong, first, example, user_file)
    return right


def _find_factors(first: RunSteps, eager: Eager) -> Iterator[float]:
    """How much larger or smaller numbers let one of them be chosen where it was another count.

    Where their sign is what keeps all of them from being chosen, those of the other sign.
    """
    found: set[float] = set()
    counts: _Counts = {1.0: first.counts}
    for sign, number in product((1.0, -1.0), range(len(first.counts))):
        factor = _find_factor(number, sign, eager, counts)
        if factor is not None and factor not in found and len(found) < _MOST_EXAMPLES:
            found.add(factor)
            yield factor


def _find_factor(number: int, sign: float, eager: Eager, counts: _Counts) -> float | None:
    count = _count(number, eager, sign, counts)
    if count is None or count > _FEW or (count == 1 and sign > 0):
        return None
    if count == 1:
        return sign
    for bound in _BOUNDS:
        near, far = sign, sign * bound
        for _ in range(_HALVINGS):
            factor = (near + far) / 2
            reached = _count(number, eager, factor, counts)
            if reached == 1:
                return factor
            if reached is None:
                break
            near, far = (factor, far) if bool(reached) is bool(count) else (near, factor)
    return None


def _count(number: int, eager: Eager, factor: float, counts: _Counts) -> int | None:
    """How many the same mask chooses of the numbers times a factor; None where the model does not run on these."""
    if factor not in counts:
        try:
            counts[factor] = _scale(eager, factor).follow_run().counts
        except Exception:
            counts[factor] = []
    return counts[factor][number] if number < len(counts[factor]) else None


def _scale(eager: Eager, factor: float) -> Eager:
    return eager.draw_again(Draw(SEED, factor))


def _export_example(
    example: Eager, job: Job, export: Export, first: Eager, more: Eager
) -> Wrong | None:
    """How an export of an example that is right there is wrong on the first numbers, or raises where `more` are chosen."""
    sizes = example.model.sizes
    with TemporaryDirectory() as folder:
        given, output = example.make_inputs(sizes), example.run_at(sizes)
        of_one = replace(job, example=given, output=output, directory=Path(folder), keep=False)
        made = export(of_one)
        if isinstance(made, Outcome) or find_wrong_at(made, example, sizes, REDRAWN, _PLACE):
            return None
        wrong = find_wrong_at(made, first, sizes, REDRAWN, _PLACE)
        if wrong is None and _is_finite(more):
            wrong = find_wrong_at(made, more, sizes, REDRAWN, _PLACE)
            return wrong if wrong and wrong.found.amount is None else None
        return wrong


def _is_finite(eager: Eager) -> bool:
    """Whether the model runs on these numbers, and gives finite ones."""
    try:
        given = eager.list_numbers_at(eager.model.sizes)
    except Exception:  # whatever user code raises
        return False
    return all(bool(torch.isfinite(each).all()) for each in given)


def _describe(
    right: Outcome, wrong: Wrong, first: RunSteps, example: Eager, user_file: UserFile
) -> Outcome:
    number = first.find_other_step(example.follow_run())
    rows = example.follow_run(-1 if number is None else number).rows
    sites = (Site(shown, row, name) for path, row, name in rows if (shown := user_file(path)))
    return replace(
        right,
        status="wrong",
        draws=right.draws + 1,
        wrong=(Deviation(REDRAWN, wrong.found.amount, wrong.found.why),),
        detail=wrong.write_sentence(),
        site=next(sites, None),
    )
