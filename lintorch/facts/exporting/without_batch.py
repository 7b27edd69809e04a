"""Images and signals without an axis for the batch: eager takes them, and not every exporter.

Measured on torch 2.13, opset 17, ONNX Runtime 1.32, at the sizes of the example and at others.
"""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Tensor

_LEGACY, _NEW = "onnx-legacy", "onnx"
_POOLS = ("max_pool", "avg_pool", "lp_pool"), ("MaxPool", "AvgPool", "LPPool")
_ADAPTIVE = ("adaptive_avg_pool", "adaptive_max_pool"), ("AdaptiveAvgPool", "AdaptiveMaxPool")


def _list_names(kinds: tuple[tuple[str, ...], tuple[str, ...]], axes: int) -> Iterator[str]:
    functions, layers = kinds
    yield from (f"torch.nn.functional.{kind}{axes}d" for kind in functions)
    yield from (f"torch.nn.{kind}{axes}d.forward" for kind in layers)


BATCHLESS: dict[str, tuple[int, dict[str, Harm]]] = {
    **{name: (n + 1, {_LEGACY: Harm.FAILS}) for n in (1, 2, 3) for name in _list_names(_POOLS, n)},
    **dict.fromkeys(_list_names(_ADAPTIVE, 1), (2, {_LEGACY: Harm.FAILS})),
    **dict.fromkeys(_list_names(_ADAPTIVE, 2), (3, {_LEGACY: Harm.SILENT})),
    **{
        f"torch.nn.{name}": (3, {_LEGACY: Harm.REFUSED})
        for name in (
            *("functional.pixel_shuffle", "functional.pixel_unshuffle"),
            *("PixelShuffle.forward", "PixelUnshuffle.forward"),
        )
    },
    **dict.fromkeys(("torch.pixel_shuffle", "torch.pixel_unshuffle"), (3, {_LEGACY: Harm.REFUSED})),
    **dict.fromkeys(
        ("torch.nn.functional.unfold", "torch.nn.Unfold.forward"),
        (3, {_LEGACY: Harm.FAILS, _NEW: Harm.FAILS}),
    ),
    **dict.fromkeys(("torch.nn.functional.fold", "torch.nn.Fold.forward"), (2, {_NEW: Harm.FAILS})),
}
"""How many axes an operand has that lacks the batch, and what becomes of it."""
WITH_BATCH = "give it a batch of one: x.unsqueeze(0), and squeeze(0) of what comes out"


def weigh_batchless(event: Called) -> tuple[str, dict[str, Harm]] | None:
    """`F.max_pool2d(scores, 3, 1, 1)` of `[B, H, W]`, whose batch is taken for channels."""
    rank, harm = BATCHLESS[event.name]
    held = event.arguments.get("input", event.positional[0] if event.positional else None)
    shape = held.shape if isinstance(held, Tensor) and not held.guessed else None
    if shape is None or len(shape) != rank:
        return None
    short = event.name.removesuffix(".forward").rpartition(".")[2]
    return f"{short} of {rank} axes is written as if the first were the batch", dict(harm)
