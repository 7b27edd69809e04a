"""What is said to clash in a row of layers does raise, and what runs is never said to clash."""

from __future__ import annotations

import random

import libcst as cst
import pytest
import torch
from torch import nn

from lintorch.facts.nets.signals import clashes_in_row
from lintorch.source import Source

LAYERS = (
    "nn.Conv2d({a}, {b}, 1)", "nn.Conv2d({a}, {b}, 1)", "nn.ConvTranspose2d({a}, {b}, 2)",
    "nn.BatchNorm2d({a})", "nn.BatchNorm1d({a})", "nn.BatchNorm2d({a}, affine=False)",
    "nn.GroupNorm(2, {a})", "nn.InstanceNorm2d({a})", "nn.InstanceNorm2d({a}, affine=True)",
    "nn.ReLU()", "nn.PReLU()", "nn.PReLU({a})", "nn.GLU(1)", "nn.Dropout(0.1)", "nn.Identity()",
    "nn.MaxPool2d(2)", "nn.AdaptiveAvgPool2d(1)", "nn.AdaptiveAvgPool2d((1, 2))",
    "nn.AdaptiveMaxPool2d(2)", "nn.Upsample(scale_factor=2)", "nn.ZeroPad2d(1)",
    "nn.PixelShuffle(2)", "nn.Flatten()", "nn.Flatten(2)", "nn.Linear({a}, {b})",
    "nn.Linear({a}, {b})", "nn.LayerNorm({a})", "nn.Sequential(nn.Conv2d({a}, {b}, 1), nn.ReLU())",
    "nn.Conv1d({a}, {b}, 1)", "nn.AvgPool1d(2)", "nn.Softmax(dim=1)", "nn.LazyConv2d({b}, 1)",
    "nn.TransformerEncoderLayer({a}, 2, 8)",
)  # fmt: skip
WIDTHS = (4, 4, 4, 8, 8, 16, 32)
SHAPES = ((4, 8, 8), (8, 8, 8), (4,), (8,), (4, 8), (8, 4), (8, 8), (16, 8, 8), (16,))


def row(pick: random.Random) -> str:
    parts = [
        pick.choice(LAYERS).format(a=pick.choice(WIDTHS), b=pick.choice(WIDTHS))
        for _ in range(pick.randint(2, 5))
    ]
    return f"nn.Sequential({', '.join(parts)})"


def refuse_unbatched(layer: nn.Module, given: tuple[torch.Tensor, ...]) -> None:
    """One image without a batch axis is not thought of."""
    axes = 4 if "2d" in type(layer).__name__ else 3
    if "Conv" in type(layer).__name__ and given[0].dim() != axes:
        raise RuntimeError("no batch")


def runs(made: nn.Module, shape: tuple[int, ...]) -> bool:
    for layer in made.modules():
        layer.register_forward_pre_hook(refuse_unbatched)
    try:
        made(torch.rand(3, *shape))
    except (RuntimeError, ValueError, IndexError, AssertionError):
        return False
    return True


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.filterwarnings("ignore")
def test_no_row_that_runs_is_said_to_clash(seed: int) -> None:
    pick, told = random.Random(seed), 0
    for text in (row(pick) for _ in range(50)):
        source = Source("row.py", f"from torch import nn\nrow = {text}\n")
        call = source.nodes(cst.Call)[0]
        if said := [clash.message for clash in clashes_in_row(source.layers.row(call))]:
            made = [eval(text, {"nn": nn}) for _ in SHAPES]  # each its own: lazy layers settle
            fed = [shape for shape, one in zip(SHAPES, made, strict=True) if runs(one, shape)]
            assert not fed, f"{text} runs with {fed}, but {said}"
            told += 1
    assert told > 2
