"""What an exported model is worth: run at each set of sizes and compared with eager."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from lintorch.guest.export.compare_numbers import (
    Difference,
    find_difference,
    measure_differences,
)
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import (
    UserFile,
    find_interpreted_site,
    summarise_error,
)
from lintorch.guest.export.exporter import Exported
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import text_of
from lintorch.guest.watch.torch_draws import list_generator_states
from lintorch.record.outcomes import (
    AS_TRACED,
    IN_TRAINING,
    MOST_APART,
    Apart,
    Deviation,
    Outcome,
    Variation,
)

_MOST_DRAWS, _SECONDS_OF_CHANCE = 8, 5.0
"""Runs of what was exported of a random model, until one differs; and the seconds for them."""


@dataclass(frozen=True)
class Wrong:
    """A difference, and where it was found, also in words."""

    at: Variation
    place: str
    found: Difference

    def write_sentence(self) -> str:
        """One sentence that says what is wrong where."""
        if self.found.why:
            return f"{self.place} {self.found.why}".strip()
        return (
            f"{self.place} the output differs from eager by {self.found.amount:.3g}"
            f" (tolerance {self.found.tolerance:.2g})"
        )


@dataclass(frozen=True)
class _RunAtSizes:
    """What the exported model gave at some sizes, or the difference that there is no giving."""

    varied: Variation
    place: str
    sizes: NamedSizes
    given: list[torch.Tensor] | Difference


def judge_export(
    exporter: str,
    exported: Exported,
    eager: Eager,
    others: Sequence[NamedSizes],
    train: bool,
    user_file: UserFile = lambda path: None,
) -> Outcome:
    """Ok or wrong; failed where the exported model does not run at all.

    With `train` only the traced size is compared, as one exported in training mode. A model that is random
    in eval mode is neither: its numbers are "random", and only its shapes can be wrong. The line is one
    that TorchScript names where it raises.
    """
    traced = eager.model.sizes
    if exported.unrun:
        return Outcome(exporter, "ok", detail=exported.unrun, opset=exported.opset)
    if exported.is_fixed:
        others = ()
    try:
        given = _run_exported(exported, eager, traced)
    except Exception as error:
        return Outcome(exporter, "failed", "run", summarise_error(error), opset=exported.opset)
    if train:
        runs = [_RunAtSizes(IN_TRAINING, "exported in training mode", traced, given)]
    else:
        runs = [_RunAtSizes(AS_TRACED, "at the traced size", traced, given)]
    if not train:
        runs += _run_at_other_sizes(exported, eager, others)
    compared = () if train else tuple(at.varied for at in runs)
    found = [wrong for at in runs if (wrong := _find_wrong(at, eager))]
    if (found or eager.draws) and (random := eager.measure_randomness()):
        found = [w for w in found if random.amount is not None and w.found.amount is None]
        if not found:
            outcome = _make_random_outcome(exporter, exported, random)
            again = _draws_again(exported, eager)
            return replace(outcome, compared=compared, drawn_once=not again, pruned=exported.pruned)
    site = find_interpreted_site(found[0].found.text, user_file) if found else None
    outcome = replace(_make_outcome(exporter, exported, found), site=site)
    apart = tuple(_measure_outputs(runs, eager))
    largest = max((each.amount for each in apart if each.amount is not None), default=None)
    measured = replace(outcome, compared=compared, error=largest, apart=apart[:MOST_APART])
    return replace(measured, pruned=exported.pruned)


def _make_random_outcome(exporter: str, exported: Exported, random: Difference) -> Outcome:
    apart = f"by {random.amount:.3g}" if random.amount is not None else "in shape"
    detail = f"the eager model itself is random: two runs in eval mode differ {apart}"
    return Outcome(
        exporter,
        "random",
        wrong=(Deviation(AS_TRACED, random.amount),),
        detail=detail,
        opset=exported.opset,
    )


def _draws_again(exported: Exported, eager: Eager) -> bool:
    """Whether the exported model draws, too, and has not just kept what was drawn for its example."""
    late, before = clock() + _SECONDS_OF_CHANCE, list_generator_states()
    first = _run_exported(exported, eager, eager.model.sizes)
    for _ in range(_MOST_DRAWS):
        if list_generator_states() != before:
            return True
        again = _run_exported(exported, eager, eager.model.sizes)
        if find_difference(first, again, exact=True):
            return True
        if clock() > late:
            break
    return False


def _make_outcome(exporter: str, exported: Exported, found: list[Wrong]) -> Outcome:
    if not found:
        return Outcome(exporter, "ok", detail=exported.note, opset=exported.opset)
    also = " and ".join(wrong.place for wrong in found[1:])
    detail = found[0].write_sentence() + (f"; also wrong {also}" if also else "")
    return Outcome(
        exporter,
        "wrong",
        wrong=tuple(Deviation(w.at, w.found.amount, w.found.why) for w in found),
        detail="; ".join(part for part in (detail, exported.note) if part),
        opset=exported.opset,
    )


def _run_at_other_sizes(
    exported: Exported, eager: Eager, others: Sequence[NamedSizes]
) -> Iterator[_RunAtSizes]:
    for sizes in others:
        varied_by = Variation.between(eager.model.sizes, sizes)
        try:
            eager.list_numbers_at(sizes)
        except Exception:
            continue
        yield _run_at(exported, eager, sizes, varied_by, f"at {varied_by.write_sizes()}")


def _run_at(
    exported: Exported, eager: Eager, sizes: NamedSizes, varied: Variation, place: str
) -> _RunAtSizes:
    """What the exported model gives there, or that it raises."""
    try:
        return _RunAtSizes(varied, place, sizes, _run_exported(exported, eager, sizes))
    except Exception as error:
        why = f"the exported model raises {summarise_error(error, 1)}"
        return _RunAtSizes(varied, place, sizes, Difference(None, why=why, text=text_of(error)))


def find_wrong_at(
    exported: Exported, eager: Eager, sizes: NamedSizes, varied: Variation, place: str
) -> Wrong | None:
    """How an exported model differs from eager at some sizes, at which eager runs; None where it does not."""
    return _find_wrong(_run_at(exported, eager, sizes, varied, place), eager)


def _find_wrong(at: _RunAtSizes, eager: Eager) -> Wrong | None:
    if isinstance(at.given, Difference):
        return Wrong(at.varied, at.place, at.given)
    found = find_difference(eager.list_numbers_at(at.sizes), at.given)
    if found and (eager.measure_randomness() or not eager.is_excused(at.sizes, at.given, found)):
        return Wrong(at.varied, at.place, found)
    return None


def _measure_outputs(runs: Iterable[_RunAtSizes], eager: Eager) -> Iterator[Apart]:
    """How far each output is from eager's at all sizes that it ran at."""
    names = eager.name_outputs()
    for at in runs:
        if isinstance(at.given, Difference):
            continue
        found = measure_differences(eager.list_numbers_at(at.sizes), at.given)
        for name, each in zip(names, found, strict=False):
            yield Apart(at.varied, name, each.amount, each.tolerance)


def _run_exported(exported: Exported, eager: Eager, sizes: NamedSizes) -> list[torch.Tensor]:
    with torch.no_grad():
        return exported.run(eager.make_inputs(sizes))
