"""How far numbers of a file are from the model's, and which output is which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from lintorch.guest.export.compare_numbers import Difference, find_difference
from lintorch.record.file_comparisons import Distance


@dataclass(frozen=True)
class OutputMatch:
    """Outputs of a file beside the model's: `difference` is None where they agree.

    `order` holds the number of the model's output that each of the file's is, where that is
    another than its own place, or where the file has fewer; () where they stand alike.
    """

    difference: Difference | None
    order: tuple[int, ...] = ()


def match_outputs(expected: Sequence[torch.Tensor], given: Sequence[torch.Tensor]) -> OutputMatch:
    """By place; where that does not fit, each output of the file with one of the model's by its numbers."""
    if len(expected) == len(given):
        found = find_difference(expected, given)
        if found is None:
            return OutputMatch(None)
    order: list[int] = []
    for value in given:
        alike = (
            number
            for number, own in enumerate(expected)
            if number not in order and find_difference([own], [value]) is None
        )
        number = next(alike, None)
        if number is None:
            break
        order.append(number)
    if len(order) == len(given) and order:
        return OutputMatch(None, tuple(order))
    worst = find_difference(expected, given)
    return OutputMatch(worst or Difference(None, why="other outputs"))


def measure_distance(expected: Sequence[torch.Tensor], given: Sequence[torch.Tensor]) -> Distance:
    """That of the outputs that are furthest apart, relative to the largest number of each."""
    pairs = [
        (own, value)
        for own, value in zip(expected, given, strict=False)
        if own.shape == value.shape and own.numel()
    ]
    if not pairs:
        shapes = f"{_list_shapes(given)} where the model gives {_list_shapes(expected)}"
        return Distance(why=f"the file gives {shapes}")
    return max((_measure_pair(*pair) for pair in pairs), key=lambda d: d.relative or 0.0)


def _measure_pair(own: torch.Tensor, value: torch.Tensor) -> Distance:
    own, value = own.detach().double().reshape(-1), value.detach().double().reshape(-1)
    finite = torch.isfinite(own) & torch.isfinite(value)
    if not bool(finite.all()):
        return Distance(why="numbers that are not finite")
    amount, most = float((own - value).abs().max()), float(own.abs().max())
    norms = float(own.norm() * value.norm())
    cosine = float(own @ value) / norms if norms else None
    return Distance(amount, amount / most if most else None, cosine)


def _list_shapes(tensors: Sequence[torch.Tensor]) -> str:
    return ", ".join("x".join(map(str, each.shape)) or "a number" for each in tensors[:4])
