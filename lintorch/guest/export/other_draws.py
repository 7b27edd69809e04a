"""An export that is right so far, on other numbers of the same sizes: where data decides what a model computes.

What a mask leaves, how many numbers are not zero, or which way `if x.sum() > 0` goes is for a tracer as it was
in the example; at other sizes it may come out alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import torch

from lintorch.guest.export.eager_reference import Eager
from lintorch.guest.export.error_reading import UserFile
from lintorch.guest.export.exporter import Exported
from lintorch.guest.export.verdict_on_export import find_wrong_at
from lintorch.guest.process.limits import TooSlow, limit_seconds
from lintorch.guest.watch.make_tensors import SEED, Draw
from lintorch.guest.watch.run_steps import RunSteps
from lintorch.record.outcomes import REDRAWN, Deviation, Outcome
from lintorch.record.sites import Site

_SECONDS = 20.0
_FACTORS = (-2.0, 6.0, -6.0, 0.125)
"""Of other sign, beyond what limits usual numbers, and within."""
_NUMBERS = tuple(Draw(SEED + 1 + number, factor) for number, factor in enumerate(_FACTORS))
_LENGTHS = (Draw(shorter=True),)
_PLACE = "on other numbers of the same sizes"


def try_other_draws(
    right: Outcome, exported: Exported, eager: Eager, user_file: UserFile
) -> Outcome:
    """The same outcome with how many draws it holds for, unless it is wrong on one by which the model goes another way.

    One that the model does not run on, or gives numbers that are not finite for, is left out.
    """
    judged = right
    with suppress(TooSlow, Exception), limit_seconds(_SECONDS):
        first = eager.follow_run()
        if not first.chosen:
            return right
        for draws in (_NUMBERS, _LENGTHS):
            other, number = next(_find_telling_draws(first, eager, draws), (None, 0))
            if other is not None:
                judged = _judge_draw(judged, exported, other, number, user_file)
            if judged.status != "ok":
                break
    return judged


def _find_telling_draws(
    first: RunSteps, eager: Eager, draws: tuple[Draw, ...]
) -> Iterator[tuple[Eager, int]]:
    """The draws on which the model takes other steps than at first, each with the number of the first other one."""
    for draw in draws:
        other = eager.draw_again(draw)
        try:
            number = first.find_other_step(other.follow_run())
            given = other.list_numbers_at(eager.model.sizes)
        except Exception:  # the model is not for these numbers
            continue
        if number is not None and all(bool(torch.isfinite(each).all()) for each in given):
            yield other, number


def _judge_draw(
    judged: Outcome, exported: Exported, other: Eager, number: int, user_file: UserFile
) -> Outcome:
    draws = judged.draws + 1
    wrong = find_wrong_at(exported, other, other.model.sizes, REDRAWN, _PLACE)
    if wrong is None:
        return replace(judged, draws=draws)
    rows = other.follow_run(number).rows
    sites = (Site(shown, row, name) for path, row, name in rows if (shown := user_file(path)))
    return replace(
        judged,
        status="wrong",
        draws=draws,
        wrong=(Deviation(REDRAWN, wrong.found.amount, wrong.found.why),),
        detail=wrong.write_sentence(),
        site=next(sites, None),
    )
