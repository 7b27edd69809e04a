"""Comparisons of sizes in a run, each with a key that finds the same one in another run.

`if count % 4:` asks whether the remainder is 0, and is a comparison like any other. Whether a size
is a multiple matters anew on either side of what its layer compares sizes with beside:

    group = min(batch, 4)
    if batch % group: ...

goes one way at a batch of 2 and 3, where the group is the batch, and the same way at one of 8, where
it is not. So such a pair is a question of its own, answered where the remainder is 0.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

from lintorch.guest.watch.size_bounds import SizeBound, list_bounds
from lintorch.record.events import RunEvent, SizeChosen, SizeCompared, SizeRead, SizeUse
from lintorch.record.runs import ModelRun

Comparison = SizeCompared | SizeChosen | SizeBound
_ANSWERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def number_comparisons(run: ModelRun) -> Iterator[tuple[Hashable, Comparison]]:
    """Each comparison with its key."""
    counted: Counter[Hashable] = Counter()
    for event in run.events:
        for compared in _read_comparisons(event):
            what = (compared.key, event.site, event.layer, compared.operator)
            counted[what] += 1
            yield (*what, counted[what]), compared


def read_answers(run: ModelRun) -> dict[Hashable, bool]:
    """How each comparison came out, and each that a remainder of 0 was met with, by key."""
    compared = dict(number_comparisons(run))
    found = {key: answer(event) for key, event in compared.items()}
    ordered = defaultdict(list)
    for key, event in compared.items():
        if not is_of_remainder(event) and not isinstance(event, SizeBound):
            ordered[event.layer].append(key)
    for key, event in compared.items():
        if is_of_remainder(event) and event.left == 0:
            found |= {(key, beside): found[beside] for beside in ordered[event.layer]}
    return found


def find_unanswered(runs: Sequence[ModelRun]) -> set[Hashable]:
    """The comparisons that came out alike in all runs."""
    seen: dict[Hashable, set[bool]] = {}
    for run in runs:
        for key, answered in read_answers(run).items():
            seen.setdefault(key, set()).add(answered)
    return {key for key, answers in seen.items() if len(answers) == 1}


def answer(event: Comparison, left: float | None = None, right: float | None = None) -> bool:
    """How a comparison came out, or would with other numbers."""
    return _ANSWERS[event.operator](
        event.left if left is None else left, event.right if right is None else right
    )


def is_of_remainder(event: Comparison) -> bool:
    """Whether it asks for a 0, as one asks of a remainder."""
    return event.operator in ("==", "!=") and event.right == 0


def _read_comparisons(event: RunEvent) -> Iterator[Comparison]:
    if isinstance(event, (SizeCompared, SizeChosen)):
        yield event
    elif isinstance(event, SizeRead) and event.how is SizeUse.TRUTH and event.operand is not None:
        where = (event.site, event.layer, event.layer_class, event.built)
        yield SizeCompared(*where, left=event.operand, operator="!=", right=0)
    else:
        yield from list_bounds(event)
