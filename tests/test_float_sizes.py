"""What LT811 says of torch holds: each argument it names raises TypeError for a whole float, and takes the int."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from rules.numerics.float_size import FUNCTIONS, LAYERS, MADE, METHODS, SIZED

EIGHT: tuple[str, ...] = (
    "in_channels",
    "out_channels",
    "in_features",
    "out_features",
    "in1_features",
)
EIGHT += ("in2_features", "num_features", "num_channels", "num_embeddings", "embedding_dim")
EIGHT += ("input_size", "hidden_size", "embed_dim", "d_model", "normalized_shape")
EIGHT += ("num_parameters", "dim_feedforward")
FOUR = ("output_size", "size", "num_classes")
TWO = ("nhead", "num_heads", "num_groups", "kernel_size", "upscale_factor")
ONE = ("groups", "stride", "dilation", "num_layers", "padding")
VALUES: dict[str, Any] = {
    **dict.fromkeys(EIGHT, 8),
    **dict.fromkeys(FOUR, 4),
    **dict.fromkeys(TWO, 2),
    **dict.fromkeys(ONE, 1),
    "output_padding": 0,
    "pad": (1, 1),
}
NEEDED = {
    "Conv": ("in_channels", "out_channels", "kernel_size"),
    "Max": ("kernel_size",),
    "Avg": ("kernel_size",),
    "max": ("kernel_size",),
    "avg": ("kernel_size",),
    "Transformer": ("d_model", "nhead"),
    "PixelShuffle": (),
    "Unfold": ("kernel_size",),
}
"""What is given beside the argument that is tried."""
LONG = ("Embedding", "EmbeddingBag", "one_hot")


def list_needed(kind: str, names: tuple[str, ...]) -> tuple[str, ...]:
    found = next((NEEDED[start] for start in NEEDED if kind.startswith(start)), None)
    return found if found is not None else names[:2] if "Cell" in kind or "N" in kind else names


def feed(kind: str) -> tuple[torch.Tensor, ...]:
    axes = int(re.findall(r"\d(?=d)", f"{kind}2d")[0])
    if kind in LONG:
        return (torch.ones(8, 8, dtype=torch.long),)
    flat = kind.endswith(
        ("Linear", "Cell", "LSTM", "GRU", "RNN", "Norm", "PReLU", "MultiheadAttention")
    )
    flat = flat or kind.startswith("Transformer")
    x = torch.ones(8, 8) if flat else torch.ones(8, 8, *[8] * axes)
    many = {"Bilinear": 2, "MultiheadAttention": 3, "TransformerDecoderLayer": 2}
    return (x,) * many.get(kind, 1)


def raises(make: Callable[[], object]) -> bool:
    try:
        make()
    except TypeError:
        return True
    return False


def cases() -> list[tuple[str, str, bool]]:
    layers = [(kind, name, True) for kind, names in LAYERS.items() for name in names]
    return layers + [(kind, name, False) for kind, names in FUNCTIONS.items() for name in names]


@pytest.mark.filterwarnings("ignore:.*upsample:UserWarning")
@pytest.mark.parametrize(("kind", "name", "layer"), cases())
def test_an_argument_takes_ints_alone(kind: str, name: str, layer: bool) -> None:
    if kind == "SyncBatchNorm" and name != "num_features":
        pytest.skip("runs on GPUs alone")
    needed = list_needed(kind, LAYERS[kind] if layer else FUNCTIONS[kind])
    given = {each: VALUES[each] for each in (*needed, name)}
    value = given[name]
    floats = tuple(map(float, value)) if isinstance(value, tuple) else float(value)

    def run(arguments: dict[str, Any]) -> object:
        if not layer:
            return getattr(nn.functional, kind)(*feed(kind), **arguments)
        made = getattr(nn, kind)(**arguments)
        return made if kind == "SyncBatchNorm" else made(*feed(kind))

    run(given)
    assert raises(lambda: run({**given, name: floats}))


@pytest.mark.parametrize("name", SIZED)
def test_sizes_are_ints(name: str) -> None:
    method = name.startswith("torch.Tensor")
    call = (
        getattr(torch.ones(1, 4), name.rpartition(".")[2]) if method else getattr(torch, name[6:])
    )
    call(1, 4)
    assert raises(lambda: call(1, 4.0))


@pytest.mark.parametrize("name", METHODS)
def test_counts_of_methods_are_ints(name: str) -> None:
    given = (1, 0, 1) if name == "narrow" else (1,)
    call = getattr(torch.ones(4, 4), name)
    call(*given)
    assert raises(lambda: call(*given[:-1], 1.0))


@pytest.mark.parametrize("name", MADE)
def test_makers_take_ints(name: str) -> None:
    call = getattr(torch, name[6:])
    one, whole = ((1.0,), (1,)) if name == "torch.full" else (1.0, 1)
    more = (0.5,) if name == "torch.full" else ()
    call(whole, *more)
    assert raises(lambda: call(one, *more))
