"""The sizes beyond which an exported program no longer holds, though the model itself runs there."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import UserFile, find_site_in_text
from lintorch.guest.export.size_conditions import SizeCondition
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch.make_tensors import find_dynamic_names
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome, SizeLimit, Variation

_MOST_CONDITIONS = 40
_MOST_RUNS = 8
"""Runs of the model beyond conditions, at most; one beyond several of them is one."""
_MOST_BETWEEN = 3
"""Sizes between those that are known, at most; a model may take none of them."""
_LARGEST = 2048
_MOST_TIMES = 128
"""How many times the numbers that the model was traced on it is run on, at most."""
_COARSE = 32
"""What the sizes of many models are multiples of."""


@dataclass(frozen=True)
class SizesBeyond:
    """A condition, and sizes that do not meet it, at which the model runs; none where that is not known."""

    condition: SizeCondition
    sizes: tuple[NamedSizes, ...]


def find_sizes_beyond(
    conditions: Sequence[SizeCondition], eager: Eager, others: Sequence[NamedSizes], seconds: float
) -> tuple[SizesBeyond, ...]:
    """Of each condition, sizes that do not meet it and at which the model runs, sought for so many seconds.

    `others` are sizes at which it is known to run. A condition that the model itself has is left
    out: it does not run beyond. One that only follows from another is left out, too, and what an
    operator asks so that no size inside is one, as torch does of any model.
    """
    runs_at = _make_runner(eager, others, clock() + seconds)
    found: list[SizesBeyond] = []
    for condition in conditions[:_MOST_CONDITIONS]:
        told = [each.condition for each in found]
        candidates = _choose_sizes(condition, conditions, eager.model, others) or _choose_sizes(
            condition, (*told, condition), eager.model, others
        )
        answers = [(sizes, runs_at(sizes)) for sizes in candidates]
        taken = tuple(
            sizes
            for sizes, runs in answers
            if runs and (condition.by_user or not eager.vanishes_at(sizes))
        )
        unknown = condition.by_user and answers and all(runs is None for _, runs in answers)
        if taken or unknown:
            found.append(SizesBeyond(condition, taken))
    return tuple(found)


def describe_limits(
    beyond: Sequence[SizesBeyond], outcome: Outcome, traced: NamedSizes, user_file: UserFile
) -> Iterator[SizeLimit]:
    """The limits of an export, by what came of it beyond each condition: where it is right, there is none."""
    wrong = {at: {**traced, **at.sizes_by_name} for at in outcome.wrong_at}
    for each in beyond:
        tried = [Variation.between(traced, sizes) for sizes in each.sizes]
        shown = [at for at in tried if at in wrong]
        if shown or not tried:
            beside = (at for at in wrong if not each.condition.holds(wrong[at]))
            site = find_site_in_text(each.condition.stack, user_file)
            at = tuple(dict.fromkeys((*shown, *beside))) if shown else ()
            yield SizeLimit(each.condition.text, site, at, each.condition.by_user)


def _make_runner(
    eager: Eager, others: Sequence[NamedSizes], late: float
) -> Callable[[NamedSizes], bool | None]:
    """What says whether the model runs at some sizes; None where that would take too long to know."""
    known: dict[Variation, bool | None] = {
        Variation.between(eager.model.sizes, sizes): True for sizes in others
    }
    most = len(known) + _MOST_RUNS

    def runs_at(sizes: NamedSizes) -> bool | None:
        at = Variation.between(eager.model.sizes, sizes)
        times = _count_numbers(eager.model, sizes) / _count_numbers(eager.model, eager.model.sizes)
        if at not in known and (len(known) == most or clock() > late or times > _MOST_TIMES):
            return None
        if at not in known:
            known[at] = _runs_within(eager, sizes, late - clock())
        return known[at]

    return runs_at


def _runs_within(eager: Eager, sizes: NamedSizes, seconds: float) -> bool | None:
    """Whether the model runs, and gives anything, at some sizes; None where it takes too long."""
    try:
        with limit_seconds(max(0.5, seconds)):
            return all(tensor.numel() for tensor in eager.list_numbers_at(sizes))
    except TooSlow:
        return None
    except Exception as error:  # whatever user code raises
        return None if is_of_memory(error) else False


def _count_numbers(model: Model, sizes: NamedSizes) -> int:
    """How many numbers the inputs hold at these sizes."""
    shapes = (
        [sizes[s] if isinstance(s, str) else s for s in given.shape]
        for given in pick_tensors(model.inputs)
    )
    return max(1, sum(map(math.prod, shapes)))


def _choose_sizes(
    condition: SizeCondition,
    conditions: Sequence[SizeCondition],
    model: Model,
    others: Sequence[NamedSizes],
) -> list[NamedSizes]:
    """Sizes beyond one condition only: known ones, else the nearest as fine and as coarse as may be needed.

    Of the nearest two are needed: at the very edge a branch may not matter, as it pads by 0. What
    operators ask comes in swarms, and known sizes beyond several of them will do. Where nothing in
    steps of the known sizes is beyond, as with `height % 16 == 0`, what lies between them is.
    """

    beside = [each for each in conditions if each is not condition]

    def is_beyond(sizes: NamedSizes) -> bool:
        return not condition.holds(sizes) and all(each.holds(sizes) for each in beside)

    known = [sizes for sizes in others if not condition.holds(sizes)]
    if known := [sizes for sizes in known if not condition.by_user or is_beyond(sizes)]:
        return known
    fine = {
        name: math.gcd(*(sizes[name] for sizes in (model.sizes, *others))) for name in model.sizes
    }
    coarse = {name: math.lcm(step, _COARSE) for name, step in fine.items()}
    dynamic = find_dynamic_names(model.sizes, others)

    def find_nearest(steps: Mapping[str, int]) -> dict[str, int] | None:
        near = _list_near_sizes(sorted(condition.names), model.sizes, steps)
        return next(filter(is_beyond, chain(near, _scale_sizes(dynamic, model.sizes))), None)

    usual: list[NamedSizes]
    usual = [sizes for steps in (fine, coarse) if (sizes := find_nearest(steps)) is not None]
    return usual or _find_between(find_nearest, fine)


def _find_between(
    find_nearest: Callable[[Mapping[str, int]], dict[str, int] | None], fine: Mapping[str, int]
) -> list[NamedSizes]:
    """The nearest in ever smaller parts of a step, the largest that there are first, then in ones."""
    found: list[NamedSizes] = []
    for part in (2, 4, 8, 16, max(fine.values(), default=1)):
        sizes = find_nearest({name: max(1, step // part) for name, step in fine.items()})
        if sizes is not None and sizes not in found and len(found) < _MOST_BETWEEN:
            found.append(sizes)
    return found


def _list_near_sizes(
    names: Sequence[str], traced: NamedSizes, steps: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    """One of these sizes changed, the nearest first; none below 2."""
    for name in names:
        sizes = (s for s in range(steps[name], _LARGEST + 1, steps[name]) if s > 1)
        distance = {size: abs(size - traced[name]) for size in sizes}
        yield from ({**traced, name: s} for s in sorted(distance, key=distance.__getitem__))


def _scale_sizes(names: Collection[str], traced: NamedSizes) -> Iterator[dict[str, int]]:
    """All of these sizes changed in the same proportion."""
    largest = max((traced[name] for name in names), default=_LARGEST)
    for times in range(2, _LARGEST // largest + 1):
        yield {name: size * times if name in names else size for name, size in traced.items()}
