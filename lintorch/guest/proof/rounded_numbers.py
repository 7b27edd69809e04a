"""Which numbers of two texts in float32 only rounding sets apart, as both in float64 show."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from lintorch.guest.proof.observe_model import EXACT, TRAINING

_EXACT = 1e-8
"""Of the largest number, or of 1: what float64 leaves open."""
_AS_GOOD = 4.0
"""How many times as far from float64 the numbers of one text may be as those of the other."""
_GRADIENT = "gradient of "


def find_rounded(
    was: Mapping[str, torch.Tensor], now: Mapping[str, torch.Tensor]
) -> frozenset[str]:
    """The keys of training mode whose numbers in float32 are rounded, where all are the same in float64.

    Behind a BatchNorm of two values a last digit grows to any difference. Gradients are taken at
    their word; what else a text computes may not be much further from float64 than with the other.
    """
    keys = {key for each in (was, now) for key in each if key.startswith(f"{EXACT}:")}
    if not keys or not all(_is_same(was.get(key), now.get(key)) for key in keys):
        return frozenset()
    usual = {key: f"{TRAINING}:{key.partition(':')[2]}" for key in keys}
    return frozenset(
        key
        for exact, key in usual.items()
        if key in was
        and key in now
        and (_GRADIENT in key or _is_as_good(was[key], now[key], was[exact], now[exact]))
    )


def _is_same(was: torch.Tensor | None, now: torch.Tensor | None) -> bool:
    """Whether two tensors are the same, but for what float64 rounds."""
    if was is None or now is None or was.shape != now.shape or was.dtype != now.dtype:
        return False
    if not was.is_floating_point():
        return bool(torch.equal(was, now))
    least = _EXACT * max(1.0, float(was.abs().max()) if was.numel() else 1.0)
    return bool(torch.allclose(was, now, rtol=0.0, atol=least, equal_nan=True))


def _is_as_good(
    was: torch.Tensor, now: torch.Tensor, exactly_was: torch.Tensor, exactly_now: torch.Tensor
) -> bool:
    if not now.is_floating_point() or {was.shape, now.shape} != {exactly_was.shape}:
        return False
    off, then = _find_distance(now, exactly_now), _find_distance(was, exactly_was)
    return off <= _AS_GOOD * then


def _find_distance(value: torch.Tensor, exact: torch.Tensor) -> float:
    """The largest distance of a number from what float64 gives; not a number where either is none."""
    apart = (value.double() - exact.double()).abs()
    return float(apart.max()) if apart.numel() else 0.0
