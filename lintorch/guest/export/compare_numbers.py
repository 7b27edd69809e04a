"""Numbers of an exported model against eager's: how far apart, and whether that is too far.

A difference is too far above `ABSOLUTE + RELATIVE * max|eager|` per output tensor. The scale is
the tensor's largest value, not each element's own: runtimes fuse, reorder and vectorise, and the
rounding of a sum is in proportion to its largest terms. Integers and booleans must be equal.
What rounding alone may do to a model is measured where a difference is found: eager is run again
with inputs and weights moved by about a rounding error, and a difference of no more than some
times that is not held against the exporter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""From float32 on, which itself rounds by 6e-8: of the largest value, and in the output's own unit."""
LOW_RELATIVE, LOW_ABSOLUTE = 2e-2, 1e-2
"""For float16 and bfloat16, of 10 and 7 bits, whose sums runtimes keep in other precisions."""
_LOW_PRECISION = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Difference:
    """The worst output: its place, by how much it differs, and the tolerance it exceeds.

    `amount` is None where shapes or the number of outputs differ, or numbers are not finite
    where eager's are; `why` says which.
    """

    amount: float | None
    tolerance: float = 0.0
    why: str = ""
    text: str = ""
    """All that was said, where what was exported raised."""


def find_difference(
    eager: Sequence[torch.Tensor], other: Sequence[torch.Tensor], *, exact: bool = False
) -> Difference | None:
    """The worst difference beyond tolerance (beyond 0 if `exact`), or None."""
    if len(eager) != len(other):
        return Difference(
            None, why=f"there are {len(other)} outputs where eager gives {len(eager)}"
        )
    found = [
        worst
        for expected, given in zip(eager, other, strict=True)
        if (worst := _compare_output(expected.detach(), given.detach(), exact))
    ]
    return next((worst for worst in found if worst.amount is None), None) or max(
        found, key=lambda worst: worst.amount or 0.0, default=None
    )


def measure_differences(
    eager: Sequence[torch.Tensor], other: Sequence[torch.Tensor]
) -> list[Difference]:
    """Of each output how far it is from eager's, however little; nothing where there are more or fewer."""
    if len(eager) != len(other):
        return []
    pairs = zip(eager, other, strict=True)
    return [_measure_output(own.detach(), given.detach()) for own, given in pairs]


def _compare_output(expected: torch.Tensor, given: torch.Tensor, exact: bool) -> Difference | None:
    found = _measure_output(expected, given)
    allowed = 0.0 if exact else found.tolerance
    beyond = found.amount is None or found.amount > allowed
    return replace(found, tolerance=allowed) if beyond else None


def _measure_output(expected: torch.Tensor, given: torch.Tensor) -> Difference:
    if expected.is_complex() and not given.is_complex():
        expected = torch.view_as_real(expected)
    if expected.shape != given.shape:
        why = f"the output is {[*given.shape]} where eager gives {[*expected.shape]}"
        return Difference(None, why=why)
    tolerance = _compute_tolerance(expected)
    expected, given = _widen_tensor(expected), _widen_tensor(given)
    if expected.numel() == 0:
        return Difference(0.0, tolerance)
    if not torch.equal(torch.isnan(expected), torch.isnan(given)) or not _has_same_infinities(
        expected, given
    ):
        return Difference(None, why="the output is not finite where eager's is, or the reverse")
    finite = torch.isfinite(expected)
    amount = float((expected - given)[finite].abs().max()) if bool(finite.any()) else 0.0
    return Difference(amount, tolerance)


def _has_same_infinities(expected: torch.Tensor, given: torch.Tensor) -> bool:
    infinite = torch.isinf(expected)
    alike = torch.equal(infinite, torch.isinf(given))
    return bool(alike and torch.equal(expected[infinite], given[infinite]))


def _compute_tolerance(expected: torch.Tensor) -> float:
    if not (expected.is_floating_point() or expected.is_complex()):
        return 0.0
    values = expected.abs().double()
    values = values[torch.isfinite(values)]
    largest = float(values.max()) if values.numel() else 0.0
    low = expected.dtype in _LOW_PRECISION
    return (LOW_ABSOLUTE if low else ABSOLUTE) + (LOW_RELATIVE if low else RELATIVE) * largest


def _widen_tensor(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.cpu()
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)
