"""Which numbers of two texts in float32 only rounding sets apart, as both in float64 show."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from lintorch.guest.proof.observe_model import EXACT, TRAINING

_EXACT = 1e-8
"""Of the largest number, or of 1: what float64 leaves open."""
_AS_GOOD, _ELSEWHERE = 4.0, 10.0
"""How many times as far from float64 the numbers of one text may be as those of the other; and,
where a run was not done in float64, how many times as far from each other as those of a run that was."""
_GRADIENT = "gradient of "
Tensors = Mapping[str, torch.Tensor]


def find_rounded(was: Tensors, now: Tensors) -> frozenset[str]:
    """The keys of training mode whose numbers in float32 are rounded, where all are the same in float64.

    Behind a BatchNorm of two values a last digit grows to any difference. Gradients are taken at
    their word; what else a text computes may not be much further from float64 than with the other.
    """
    keys = {key for each in (was, now) for key in each if key.startswith(f"{EXACT}:")}
    if not keys or not all(_is_same(was.get(key), now.get(key)) for key in keys):
        return frozenset()
    off: dict[str, float] = {}
    for key in keys:
        usual = f"{TRAINING}:{key.partition(':')[2]}"
        if usual in was and usual in now and was[usual].is_floating_point():
            name = key.split(":", 2)[2]
            off[name] = max(off.get(name, 0.0), _find_distance(was[usual], was[key]))
    return frozenset(
        key
        for key in was.keys() & now.keys()
        if key.startswith(f"{TRAINING}:")
        and (_GRADIENT in key or _is_as_good(key, was, now, off.get(key.split(":", 2)[2], 0.0)))
    )


def _is_same(was: torch.Tensor | None, now: torch.Tensor | None) -> bool:
    """Whether two tensors are the same, but for what float64 rounds."""
    if was is None or now is None or was.shape != now.shape or was.dtype != now.dtype:
        return False
    if not was.is_floating_point():
        return bool(torch.equal(was, now))
    least = _EXACT * max(1.0, float(was.abs().max()) if was.numel() else 1.0)
    return bool(torch.allclose(was, now, rtol=0.0, atol=least, equal_nan=True))


def _is_as_good(key: str, was: Tensors, now: Tensors, off: float) -> bool:
    """`off` is how far from float64 the numbers of this name were at most, with the text as it was."""
    exact = was.get(f"{EXACT}:{key.partition(':')[2]}")
    if was[key].shape != now[key].shape or not now[key].is_floating_point():
        return False
    if exact is None:
        return _find_distance(now[key], was[key]) <= _ELSEWHERE * off
    return _find_distance(now[key], exact) <= _AS_GOOD * _find_distance(was[key], exact)


def _find_distance(value: torch.Tensor, other: torch.Tensor) -> float:
    """The largest distance of a number from the other; infinite where they cannot be compared."""
    if value.shape != other.shape:
        return float("inf")
    apart = (value.double() - other.double()).abs()
    return float(apart.max()) if apart.numel() else 0.0
