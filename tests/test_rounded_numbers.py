"""Numbers that only rounding sets apart, as behind a BatchNorm of two values, are told from those that a fix changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from lintorch.guest.feed.varying_sizes import Fed  # noqa: E402
from lintorch.guest.proof.compare_observations import compare_observations  # noqa: E402
from lintorch.guest.proof.observe_model import observe_alike, observe_first  # noqa: E402
from lintorch.record.models import Input  # noqa: E402
from lintorch.record.proofs import Change  # noqa: E402

FED = Fed((Input("x", "float32", (2, 64)),), {}, ())
Summed = Callable[[Any], Any]


class Net(nn.Module):  # type: ignore[misc]
    """Sums far numbers, whose difference a BatchNorm of two then takes for all there is."""

    def __init__(self, add: Summed) -> None:
        super().__init__()
        self.add, self.fc = add, nn.Linear(64, 64)
        self.norm = nn.BatchNorm1d(1)

    def forward(self, x: Any) -> Any:
        summed = self.norm(self.add(self.fc(x) * 0.02 + 30.0))
        return summed * 100


def compare(before: Summed, after: Summed) -> tuple[Change, ...]:
    torch.manual_seed(0)
    first = Net(before)
    torch.manual_seed(0)
    second = Net(after)
    seen = observe_first(first, FED, float("inf"))
    return compare_observations(seen, observe_alike(second, FED, seen), {})


def in_turn(x: Any) -> Any:
    return x.cumsum(1)[:, -1:]


def at_once(x: Any) -> Any:
    return x.sum(1, keepdim=True)


def test_what_rounding_does_to_a_gradient_is_told_by_float64() -> None:
    found = {each.what: each for each in compare(in_turn, at_once) if each.training}
    gradient = next(change for what, change in found.items() if what.startswith("gradient"))
    assert gradient.exact
    assert gradient.is_rounding
    assert (gradient.amount or 0) > 1e-4
    assert found["output"].exact


def coarsely(x: Any) -> Any:
    return (at_once(x) * 2.0**14 + 1e11) / 2.0**14 - 1e11 / 2.0**14


def test_what_is_further_from_float64_than_before_is_no_rounding() -> None:
    found = [change for change in compare(at_once, coarsely) if change.what.startswith("output")]
    assert any(change.training for change in found)
    assert not any(change.exact for change in found)


def test_a_gradient_that_is_another_stays_so() -> None:
    changes = compare(at_once, lambda x: at_once(x) * 1.001 - at_once(x).detach() * 0.001)
    gradient = next(change for change in changes if change.what.startswith("gradient"))
    assert not gradient.exact
