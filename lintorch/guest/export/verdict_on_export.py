"""What an exported model is worth: run at each set of sizes and compared with eager."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import torch

from lintorch.guest.export.compare_numbers import Difference, difference
from lintorch.guest.export.eager_reference import Eager, Sizes
from lintorch.guest.export.error_reading import core
from lintorch.guest.export.exporter import Exported
from lintorch.record.trace import Outcome


@dataclass(frozen=True)
class Wrong:
    """A difference, at the key and the place in words that it was found at."""

    key: str
    place: str
    found: Difference

    def sentence(self) -> str:
        """One sentence that says what is wrong where."""
        if self.found.why:
            return f"{self.place} {self.found.why}".strip()
        return (
            f"{self.place} the output differs from eager by {self.found.amount:.3g}"
            f" (tolerance {self.found.tolerance:.2g})"
        )


@dataclass(frozen=True)
class _At:
    """What the exported model gave at some sizes, or the difference that there is no giving."""

    key: str
    place: str
    sizes: Sizes
    given: list[torch.Tensor] | Difference


def judge(
    exporter: str, exported: Exported, eager: Eager, varied: Mapping[str, Sizes], train: bool
) -> Outcome:
    """Ok or wrong; failed where the exported model does not run at all.

    With `train` only the traced size is compared, under the key "train". A model that is random
    in eval mode is neither: its numbers are "random", and only its shapes can be wrong.
    """
    traced = eager.model.sizes
    try:
        given = _run(exported, eager, traced)
    except Exception as error:
        return Outcome(exporter, "failed", "run", core(error), opset=exported.opset)
    key, place = ("train", "exported in training mode") if train else ("", "at the traced size")
    runs = [_At(key, place, traced, given)]
    if not train:
        runs += _others(exported, eager, varied)
    found = [wrong for at in runs if (wrong := _wrong(at, eager))]
    if found and (random := eager.randomness()):
        found = [w for w in found if random.amount is not None and w.found.amount is None]
        if not found:
            return _random(exporter, exported, random)
    compared = () if train else tuple(at.key for at in runs)
    outcome = _outcome(exporter, exported, found)
    return replace(outcome, compared=compared, error=_furthest(runs, eager))


def _random(exporter: str, exported: Exported, random: Difference) -> Outcome:
    said = f"by {random.amount:.3g}" if random.amount is not None else "in shape"
    detail = f"the eager model itself is random: two runs in eval mode differ {said}"
    return Outcome(
        exporter, "random", wrong={"": random.amount}, detail=detail, opset=exported.opset
    )


def _outcome(exporter: str, exported: Exported, found: list[Wrong]) -> Outcome:
    if not found:
        return Outcome(exporter, "ok", detail=exported.note, opset=exported.opset)
    also = " and ".join(wrong.place for wrong in found[1:])
    detail = found[0].sentence() + (f"; also wrong {also}" if also else "")
    return Outcome(
        exporter,
        "wrong",
        wrong={wrong.key: wrong.found.amount for wrong in found},
        detail="; ".join(part for part in (detail, exported.note) if part),
        opset=exported.opset,
    )


def _others(exported: Exported, eager: Eager, varied: Mapping[str, Sizes]) -> Iterator[_At]:
    for group, sizes in varied.items():
        place = f"at {group} {'×'.join(str(sizes[name]) for name in group.split(','))}"
        try:
            eager.numbers(sizes)
        except Exception:
            continue
        try:
            yield _At(group, place, sizes, _run(exported, eager, sizes))
        except Exception as error:
            why = f"the exported model raises {core(error, 1)}"
            yield _At(group, place, sizes, Difference(None, why=why))


def _wrong(at: _At, eager: Eager) -> Wrong | None:
    if isinstance(at.given, Difference):
        return Wrong(at.key, at.place, at.given)
    found = difference(eager.numbers(at.sizes), at.given)
    if found and (eager.randomness() or not eager.excuses(at.sizes, at.given, found)):
        return Wrong(at.key, at.place, found)
    return None


def _furthest(runs: Iterable[_At], eager: Eager) -> float | None:
    """The largest difference from eager, however small; None where no numbers were compared."""
    apart = [
        difference(eager.numbers(at.sizes), at.given, exact=True)
        for at in runs
        if not isinstance(at.given, Difference)
    ]
    amounts = [0.0 if each is None else each.amount for each in apart]
    return max((amount for amount in amounts if amount is not None), default=None)


def _run(exported: Exported, eager: Eager, sizes: Sizes) -> list[torch.Tensor]:
    with torch.no_grad():
        return exported.run(eager.fed(sizes))
