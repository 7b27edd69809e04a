"""An export that is right so far, made of an example of which data chooses exactly one number.

`torch.jit.trace` takes that one for a size: of `y[mask] = x[mask]` it keeps that one number is written everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

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
        for example in _find_examples(first, eager):
            if wrong := _export_example(example, job, export, eager):
                return _describe(right, wrong, first, example, user_file)
    return right


def _find_examples(first: RunSteps, eager: Eager) -> Iterator[Eager]:
    """The same numbers, as much larger or smaller as lets one of them be chosen where it was another count."""
    found: set[float] = set()
    counts: _Counts = {}
    for number, count in enumerate(first.counts):
        factor = _find_factor(number, count, eager, counts)
        if factor is not None and factor not in found and len(found) < _MOST_EXAMPLES:
            found.add(factor)
            yield _scale(eager, factor)


def _find_factor(number: int, count: int, eager: Eager, counts: _Counts) -> float | None:
    if count == 1 or count > _FEW:
        return None
    for far in _BOUNDS:
        near = 1.0
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


def _export_example(example: Eager, job: Job, export: Export, eager: Eager) -> Wrong | None:
    sizes = eager.model.sizes
    with TemporaryDirectory() as folder:
        given, output = example.make_inputs(sizes), example.run_at(sizes)
        of_one = replace(job, example=given, output=output, directory=Path(folder), keep=False)
        made = export(of_one)
        if isinstance(made, Outcome) or find_wrong_at(made, example, sizes, REDRAWN, _PLACE):
            return None
        return find_wrong_at(made, eager, sizes, REDRAWN, _PLACE)


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
