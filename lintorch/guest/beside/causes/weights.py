"""The file holds other weights than the model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.causes.precision import find_precision, name_precision
from lintorch.guest.beside.distances import match_outputs, measure_distance
from lintorch.guest.beside.take_weights import expect_value, put_weights
from lintorch.guest.beside.weight_pairs import WeightPair
from lintorch.guest.export.module_state import copy_module
from lintorch.record.file_comparisons import Cause, LayerNumbers

_MOST_NAMED = 4
_TIMES = 2.0
"""How many times further off the model must be with its own weights than with the file's."""


def find_other_weights(
    case: Case, pairs: Sequence[WeightPair], unlike: Sequence[WeightPair], whose: str
) -> Iterator[Cause]:
    """Where the model with the file's values agrees with the file, as it does not with its own."""
    if not unlike:
        return
    with copy_module(case.module) as copied:
        if copied is case.module:
            return
        put_weights(copied, _choose_changed(pairs, unlike))
        given = case.run_module(copied, case.list_tensors())
    if match_outputs(given, case.run_file()).difference is not None:
        return
    proof = "the model with the file's values in their place agrees with the file"
    yield _tell_weights(case, pairs, unlike, whose, proof)


def find_weights_and_precision(
    case: Case,
    pairs: Sequence[WeightPair],
    unlike: Sequence[WeightPair],
    whose: str,
    path: Sequence[LayerNumbers],
) -> Iterator[Cause]:
    """Both: with the file's values the model is no further off than fewer bits make it, and with its own it is."""
    if not unlike or not name_precision(case.file):
        return
    with copy_module(case.module) as copied:
        if copied is case.module:
            return
        put_weights(copied, _choose_changed(pairs, unlike))
        weighed = replace(case, module=copied)
        causes = list(find_precision(weighed, path))
        left = measure_distance(weighed.expected, case.run_file()).amount
    before = measure_distance(case.expected, case.run_file()).amount
    if not causes or left is None or before is None or before < _TIMES * left:
        return
    proof = f"with the file's values in their place the model is off by {left:.3g}, before by {before:.3g}"
    yield _tell_weights(case, pairs, unlike, whose, proof)
    yield from causes


def _tell_weights(
    case: Case,
    pairs: Sequence[WeightPair],
    unlike: Sequence[WeightPair],
    whose: str,
    proof: str,
) -> Cause:
    keys = [pair.key for pair in unlike]
    more = f" and {len(keys) - _MOST_NAMED} more" if len(keys) > _MOST_NAMED else ""
    return Cause(
        "weights",
        f"{len(keys)} of {len(pairs)} weights in the file are others than in {whose}: "
        f"{', '.join(keys[:_MOST_NAMED])}{more}{_describe_factor(case.module, unlike)}",
        proof,
        "export again from this checkpoint, or compare with the one that the file was made from",
    )


def _choose_changed(pairs: Sequence[WeightPair], unlike: Sequence[WeightPair]) -> list[WeightPair]:
    """Those that are unlike; of a folded layer both weight and bias, which come together."""
    folded = {pair.folded for pair in unlike if pair.folded}
    return [pair for pair in pairs if pair in unlike or (pair.folded and pair.folded in folded)]


def _describe_factor(module: nn.Module, unlike: Sequence[WeightPair]) -> str:
    """Where one weight is a multiple of what it was: a scale of the input that was put into it."""
    first = unlike[0]
    own, given = expect_value(module, module.state_dict(), first), first.value.double()
    if own.shape != given.shape or not own.numel() or len(unlike) > 2:
        return ""
    norm = float((own * own).sum())
    factor = float((own * given).sum()) / norm if norm else 0.0
    error = float((given - factor * own).abs().max())
    if abs(factor - 1) < 1e-3 or error > 1e-3 * float(given.abs().max()):
        return ""
    return f"; {first.key} is {factor:.4g} times the model's"
