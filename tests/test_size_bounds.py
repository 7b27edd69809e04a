"""That sizes compare and divide as the numbers that their symbols stand for."""

from __future__ import annotations

import operator
from random import Random

import pytest

from lintorch.evaluator.size_numbers import compute_size
from lintorch.evaluator.sizes import Dim, compare, largest, make_symbol, smallest

H, W = make_symbol("H"), make_symbol("W")
COMPARISONS = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def draw_size(chance: Random) -> Dim:
    """A size made of two symbols by a few steps."""
    size: Dim = chance.choice((H, W))
    for _ in range(chance.randint(1, 4)):
        step, number = chance.choice("+-*/%wudn"), chance.randint(1, 7)
        size = {
            "+": size + number,
            "-": size - number,
            "*": size * number,
            "/": size // number,
            "%": size % number,
            "w": size + W // number,
            "u": size + -size % number,
            "d": size - size % number,
            "n": size // number - 2 * ((size + number) // (2 * number)),
        }[step]
    return size


def test_what_is_decided_of_sizes_holds_for_numbers() -> None:
    for seed in range(1500):
        chance = Random(seed)
        left, right = draw_size(chance), draw_size(chance)
        values = {"H": chance.randint(1, 40), "W": chance.randint(1, 40)}
        first, second = compute_size(left, values), compute_size(right, values)
        assert first is not None
        assert second is not None
        for sign, function in COMPARISONS.items():
            assert compare(left, sign, right) in (None, function(first, second)), (
                left,
                sign,
                right,
            )
        assert compute_size(largest(left, right), values) == max(first, second)


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        ((H - 1) // 2 + 1, "(H + 1) // 2"),
        (H + (8 - H % 8) % 8, "8 * ((H + 7) // 8)"),
        ((H + 2 + -(H + 2) % 8) // 4, "2 * ((H + 1) // 8) + 2"),
        (smallest(H, H + -H % 8), "H"),
        (H - H % 8, "8 * (H // 8)"),
        (((H + 1) // 2 + 1) // 2, "(H + 3) // 4"),
        (largest((H + 1) // 4, (H + 3) // 4), "(H + 3) // 4"),
        (2 * H // 2 - H, "0"),
        ((H + 4) % 2, "H % 2"),
    ],
)
def test_a_size_has_one_form(size: Dim, shown: str) -> None:
    assert str(size) == shown
