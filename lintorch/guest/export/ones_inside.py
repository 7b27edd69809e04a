"""Sizes at which something inside a model is a single row or pixel: exporters take one for always another size."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.exporter import Exported
from lintorch.guest.export.verdict_on_export import find_wrong_at
from lintorch.guest.feed.other_sizes import group_names
from lintorch.guest.process.deadline import clock
from lintorch.guest.watch.make_tensors import find_dynamic_names
from lintorch.record.outcomes import Outcome, Untried, Variation

_MOST_HALVES = 2
"""Of the first sizes: smaller ones would be tried as well, but for the one inside."""
_LEAST = 2
_SECONDS = 5.0


def note_ones_inside(
    right: Outcome, exported: Exported, eager: Eager, others: Sequence[NamedSizes]
) -> Outcome:
    """What is right at all sizes that were tried, with the first smaller ones at which it is not for having a one inside.

    The model itself runs there: who feeds such sizes has to know, though it holds of any model.
    """
    if exported.is_fixed or exported.unrun:
        return right
    late = clock() + _SECONDS
    dynamic = find_dynamic_names(eager.model.sizes, others)
    for group in group_names(eager.model.sizes):
        sizes = dict(eager.model.sizes)
        for _ in range(_MOST_HALVES if set(group) <= set(dynamic) - {"batch"} else 0):
            sizes |= {name: sizes[name] // 2 for name in group}
            if min(sizes[name] for name in group) < _LEAST or clock() > late:
                break
            if _has_one(eager, sizes):
                at = Variation.between(eager.model.sizes, sizes)
                wrong = find_wrong_at(exported, eager, sizes, at, "")
                if wrong is None:
                    break
                return replace(
                    right, untried=(*right.untried, Untried(at, None, wrong.write_sentence()))
                )
    return right


def _has_one(eager: Eager, sizes: NamedSizes) -> bool:
    """Whether the model runs at these sizes, with a one inside."""
    with suppress(Exception):  # whatever user code raises
        return all(each.numel() for each in eager.list_numbers_at(sizes)) and eager.vanishes_at(
            sizes
        )
    return False
