"""What `x[...]` gives, held against torch on indices by chance."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import torch
from test_operators import Tally, TriedCall, make_symbolic

from lintorch.evaluator.operators.tensor_items import index_tensor, slice_size
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    UndecidedError,
)
from lintorch.evaluator.size_numbers import compute_size
from lintorch.evaluator.sizes import Size, make_symbol


def draw_item(chance: Random, size: int) -> Any:
    """What may stand for one axis of a size."""
    place = chance.randint(-size - 1, size)
    kinds = [
        place,
        slice(None),
        slice(chance.choice((None, 1, -2)), chance.choice((None, 3, -1)), chance.choice((None, 2))),
        TensorType((3,), "int64"),
        [0, 0],
    ]
    return chance.choice(kinds)


def draw_index(chance: Random, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """An index of a tensor of a shape, sometimes for more axes than there are."""
    if chance.random() < 0.1:
        return (TensorType(shape[:2], "bool"),)
    many = chance.randint(0, len(shape)) + (chance.random() < 0.05)
    items = [draw_item(chance, (*shape, 1)[axis]) for axis in range(many)]
    if chance.random() < 0.3:
        items.insert(chance.randint(0, len(items)), None)
    if chance.random() < 0.2:
        items.append(...)
    return tuple(items)


def index_with_torch(shape: tuple[int, ...], index: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The shape that torch gives, None where it refuses."""
    items = [
        torch.zeros(each.sizes, dtype=getattr(torch, str(each.dtype)))
        if isinstance(each, TensorType)
        else each
        for each in index
    ]
    try:
        return tuple(torch.zeros(shape)[tuple(items)].shape)
    except IndexError:
        return None


def test_an_index_gives_what_torch_gives() -> None:
    for seed in range(400):
        hold_index_against_torch(Random(seed))


def hold_index_against_torch(chance: Random) -> None:
    """Tries one index with numbers for sizes, and with symbols."""
    shape = tuple(chance.randint(2, 5) for _ in range(chance.randint(1, 4)))
    index = draw_index(chance, shape)
    real = index_with_torch(shape, index)
    tensor = TensorType(shape, "float32")
    symbolic, values = make_symbolic(TriedCall("", [tensor], {}), shared=False)
    tally = Tally()
    for given, known in ((tensor, {}), (symbolic.positional[0], values)):
        said = try_index(given, index, tally)
        if said is None:
            assert real is None or tally.undecided, index
            continue
        if real is None:
            assert given is not tensor, index
            continue
        sizes = [compute_size(size, known) for size in said]
        assert len(sizes) == len(real), index
        assert all(a in (None, b) for a, b in zip(sizes, real, strict=True)), (index, said, real)
    assert not tally.undecided, index


def try_index(tensor: TensorType, index: tuple[Any, ...], tally: Tally) -> Shape | None:
    """The shape that is said, None where torch is said to refuse, or nothing is said."""
    try:
        return index_tensor(tensor, index).sizes
    except ShapeError:
        tally.refused += 1
    except UndecidedError:
        tally.undecided += 1
    return None


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        (slice(None, -1), "H - 1"),
        (slice(1, None), "H - 1"),
        (slice(None, None, 2), "(H + 1) // 2"),
        (slice(1, None, 2), "H // 2"),
        (slice(None, 8), "min(8, H)"),
        (slice(0, None, 4), "(H + 3) // 4"),
    ],
)
def test_a_slice_of_a_symbol_is_an_expression(part: slice, shown: str) -> None:
    assert str(slice_size(make_symbol("H"), part)) == shown


def test_what_is_not_known_of_an_index_is_a_size_of_its_own() -> None:
    first, second = (slice_size(make_symbol("H"), slice(OPEN, None)) for _ in "ab")
    assert isinstance(first, Size)
    assert first != second
    with pytest.raises(UndecidedError):
        index_tensor(TensorType((2, 3)), OPEN)
