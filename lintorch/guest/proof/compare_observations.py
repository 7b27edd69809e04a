"""What two texts of one model compute, beside each other: equal to the last bit, or a change.

No tolerance is given. Both run in the same interpreter, on one thread, from the same seeds; a
model that differs from itself so is found by comparing the original with itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from lintorch.guest.proof.observe_model import EXACT, OVERALL, TRAINING, Observation
from lintorch.guest.proof.rounded_numbers import find_rounded
from lintorch.record.proofs import Change

_STATE, _GRADIENT = "state ", "gradient of "


def compare_observations(
    before: Observation, after: Observation, names: Mapping[str, str]
) -> tuple[Change, ...]:
    """The largest change of each kind: of outputs, gradients and state, in each mode.

    `names` are those that weights of the one have in the other. Weights that only one has are
    told as keys, and a run that raised with the original and does not now as a gain.
    """
    renamed = {_rename(key, names): value for key, value in before.tensors.items()}
    found = [*_compare_words(before, after), *_compare_tensors(renamed, before, after)]
    found.sort(key=lambda each: -(each.amount or 0.0))
    kinds: dict[object, Change] = {}
    for each in sorted(found, key=_rank_change):
        kind = each.what.partition(" ")[0].rstrip("s"), each.training, each.amount is None
        kinds.setdefault(kind, each)
    return tuple(kinds.values())


def _rank_change(change: Change) -> tuple[bool, bool, bool]:
    """What cannot be compared before numbers, outputs before gradients and state, eval mode before training."""
    return change.amount is not None, not change.what.startswith("output"), change.training


def list_gained(before: Observation, after: Observation) -> Iterator[str]:
    """Runs that raised with the original, and do not now."""
    for key, told in before.words.items():
        mode, number, what = _split_key(key)
        if what == "error" and key not in after.words and _has_run(after, mode, number):
            yield f"raised {told} in {mode} mode, and runs now"


def _compare_words(before: Observation, after: Observation) -> Iterator[Change]:
    for key in after.words:
        mode, number, what = _split_key(key)
        was, now = before.words.get(key), after.words[key]
        if what == "error" and (was is None or _kind_of(was) != _kind_of(now)):
            sizes, training = _describe_run(before, number), mode == TRAINING
            why = f"raises {now}" + _formerly(was)
            yield Change("the run", sizes, training, why=why, breaks=was is None)
        elif what == "structure" and was is not None and was != now:
            sizes, training = _describe_run(before, number), mode == TRAINING
            yield Change("the output", sizes, training, why=f"is {now[:200]}, and was {was[:200]}")
        elif what == "print" and was is not None and was != now:
            yield Change("what it prints", training=mode == TRAINING, why="is another text")


def _kind_of(told: str) -> str:
    """The class of an error: its text may name lines."""
    return told.partition(":")[0]


def _formerly(was: str | None) -> str:
    return f", and raised {was}" if was else ""


def _compare_tensors(
    renamed: Mapping[str, torch.Tensor], before: Observation, after: Observation
) -> Iterator[Change]:
    rounded = find_rounded(renamed, after.tensors)
    for key in dict.fromkeys((*renamed, *after.tensors)):
        mode, number, what = _split_key(key)
        if mode == EXACT or not all(_has_run(each, mode, number) for each in (before, after)):
            continue
        sizes, training = _describe_run(before, number), mode == TRAINING
        was, now = renamed.get(key), after.tensors.get(key)
        if was is not None and now is not None:
            for each in _compare_values(what, sizes, training, was, now):
                yield replace(each, exact=key in rounded)
        elif not _is_of_lone_weight(what, f"{mode}:{number}:", renamed, after.tensors):
            yield Change(what, sizes, training, why=_describe_lone(what, is_there=now is not None))


def _is_of_lone_weight(what: str, where: str, *both: Mapping[str, torch.Tensor]) -> bool:
    """Whether it is the state or gradient of a weight that one model has alone: that is told of its keys."""
    key = f"{where}{_STATE}{what.removeprefix(_STATE).removeprefix(_GRADIENT)}"
    return sum(key in each for each in both) == 1


def _describe_lone(what: str, *, is_there: bool) -> str:
    if what.startswith("input"):
        return "is written to now" if is_there else "is no longer written to"
    return "is new" if is_there else "is gone"


def _compare_values(
    what: str, sizes: Mapping[str, int], training: bool, was: torch.Tensor, now: torch.Tensor
) -> Iterator[Change]:
    if was.shape != now.shape or was.dtype != now.dtype:
        why = f"is {_describe_tensor(now)}, and was {_describe_tensor(was)}"
        yield Change(what, sizes, training, why=why)
        return
    if was.is_complex():
        was, now = torch.view_as_real(was), torch.view_as_real(now)
    was, now = was.double().flatten(), now.double().flatten()
    apart = (was != now) & ~(was.isnan() & now.isnan())
    if not bool(apart.any()):
        return
    odd = apart & ~(was.isfinite() & now.isfinite())
    if bool(odd.any()):
        place = int(odd.nonzero()[0])
        why = f"holds {float(now[place])} where it held {float(was[place])}"
        yield Change(what, sizes, training, why=why)
        return
    amounts = (was - now).abs()
    place = int(amounts.argmax())
    yield Change(what, sizes, training, float(amounts[place]), float(was[place]), float(now[place]))


def _describe_tensor(value: torch.Tensor) -> str:
    return f"{str(value.dtype).removeprefix('torch.')}{[*value.shape]}"


def _has_run(seen: Observation, mode: str, number: int) -> bool:
    """Whether a run came to its end; that of all runs did where each of them did."""
    numbers = range(seen.attempts) if number == OVERALL else [number]
    return bool(numbers) and all(f"{mode}:{each}:structure" in seen.words for each in numbers)


def _describe_run(seen: Observation, number: int) -> Mapping[str, int]:
    return seen.runs[number] if 0 <= number < len(seen.runs) else {}


def _split_key(key: str) -> tuple[str, int, str]:
    mode, number, what = key.split(":", 2)
    return mode, int(number), what


def _rename(key: str, names: Mapping[str, str]) -> str:
    """The key under which the other observation has the same weight."""
    mode, number, what = _split_key(key)
    for head in (_STATE, _GRADIENT):
        name = what.removeprefix(head)
        if name != what and name in names:
            return f"{mode}:{number}:{head}{names[name]}"
    return key
