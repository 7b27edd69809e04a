"""The sizes at which exports were compared with eager, in words: what an `ok` rests on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from lintorch.core.profile import enumerate_names
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome, Variation

_SIDES = ("depth", "height", "width")
_DRAWS = {2: ", two draws", 3: ", three draws"}
"""Where numbers decide what a model computes, other ones were fed too."""


def list_compared_sizes(outcome: Outcome, model: Model) -> list[dict[str, int]]:
    """All named sizes of each comparison, the traced ones first; none where nothing was compared."""
    return [_apply_variation(model, each) for each in outcome.compared]


def write_comparisons(
    compared: Iterable[tuple[str, Sequence[Mapping[str, int]], int]],
    names: Collection[str],
    verb: str = "compared",
) -> Iterator[str]:
    """`compared at 64, 97×129 (batch 2, 3)`, with the exporters before it where they differ in that.

    Of each exporter the sizes that it was compared at, with all `names`, and the draws of numbers.
    """
    tried: dict[str, dict[str, None]] = defaultdict(dict)
    for exporter, sizes, draws in compared:
        if sizes:
            tried[write_sizes(sizes, names) + _DRAWS.get(draws, "")][exporter] = None
    for text, exporters in tried.items():
        yield (f"{enumerate_names([*exporters])}: " if len(tried) > 1 else "") + f"{verb} {text}"


def is_compared_once(outcome: Outcome) -> bool:
    """Whether there is no other size than the traced one at which the export was compared."""
    return len(outcome.compared) == 1


def _apply_variation(model: Model, at: Variation) -> dict[str, int]:
    return {**model.sizes, **dict(zip(at.changed, at.sizes, strict=True))}


def write_sizes(sizes: Sequence[Mapping[str, int]], names: Collection[str]) -> str:
    """`at 224, 96×160 (batch 1, 2)` of these named sizes; a square has one number."""
    if len(sizes) == 1:
        return f"at the traced size only{'' if names else ': no size could be varied'}"
    sides = [name for name in names if name in _SIDES]
    shapes = dict.fromkeys(tuple(at[name] for name in sides) for at in sizes) if sides else ()
    images = ", ".join(
        "×".join(map(str, dict.fromkeys(s) if len({*s}) == 1 else s)) for s in shapes
    )
    others = [
        f"{name} {', '.join(map(str, dict.fromkeys(at[name] for at in sizes)))}"
        for name in names
        if name not in _SIDES
    ]
    if not images:
        return f"at {'; '.join(others)}"
    return f"at {images}" + (f" ({'; '.join(others)})" if others else "")
