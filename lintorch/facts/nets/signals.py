"""What one layer after the other makes of the channels of a tensor, and where two cannot meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import libcst as cst

from lintorch.facts.nets.layers import Layer
from lintorch.syntax.literals import UNKNOWN


@dataclass(frozen=True)
class Signal:
    """A tensor between two layers.

    `place`: "channels" (axis 1, with `rank` axes behind it), "last" (the last axis), "flat" (the
    last of two axes) or "" (unknown). `width`: how many there are on that axis, or a divisor of it
    where it is a `multiple`. `side` and `cells`: of channels behind an adaptive pool, the length of
    the last axis and the number of places of each channel.
    """

    place: str = ""
    width: int = 0
    rank: int = 0
    multiple: bool = False
    side: int | None = None
    cells: int | None = None
    giver: cst.CSTNode | None = None
    by: str = ""


NOTHING = Signal()


@dataclass(frozen=True)
class Clash:
    """Two layers that cannot follow each other, or two tensors that cannot be added."""

    node: cst.CSTNode
    giver: cst.CSTNode | None
    message: str


def pass_layer(layer: Layer, signal: Signal) -> tuple[Signal, str]:
    """What a layer makes of a tensor, and what keeps it from doing so; "" where nothing does."""
    if layer.form is None:
        return NOTHING, ""
    match layer.kind:
        case "keep":
            return signal, ""
        case "conv":
            return _given(layer, "channels", layer.form.rank), _unequal(layer, signal)
        case "norm":
            return _norm(layer, signal)
        case "linear":
            place = "flat" if signal.place == "flat" else "last"
            return _given(layer, place), _unfit(layer, signal)
        case "last":
            kept = signal if signal.place == "channels" else _given(layer, signal.place or "last")
            return kept, "" if signal.place == "channels" else _unfit(layer, signal)
        case "embedding":
            return _given(layer, "last"), ""
        case "flatten":
            given = layer.given
            usual = given and (given.value("start_dim", 1), given.value("end_dim", -1)) == (1, -1)
            return flatten_channels(signal) if usual else NOTHING, ""
        case "shuffle":
            return _shuffled(layer, signal)
        case _:
            return _pooled(layer, signal), ""


def flatten_channels(signal: Signal) -> Signal:
    """After flatten(1): the channels times their places."""
    if signal.place == "channels" and signal.cells is not None:
        return replace(signal, place="flat", width=signal.width * signal.cells)
    if signal.place in ("channels", "last"):
        return replace(signal, place="flat", multiple=True)
    return signal


def _given(layer: Layer, place: str, rank: int = 0) -> Signal:
    if layer.gives is UNKNOWN:
        return NOTHING
    return Signal(place, layer.gives, rank, giver=layer.call, by=layer.name)


def _unequal(layer: Layer, signal: Signal) -> str:
    """Channels that are not as many as a layer takes."""
    rank = layer.form.rank if layer.form else 0
    same = signal.place == "channels" and rank in (0, signal.rank)
    if not same or layer.takes is UNKNOWN or layer.takes == signal.width:
        return ""
    return (
        f"{layer.name} takes {layer.takes} channels, and {signal.by} before it gives {signal.width}"
    )


def _norm(layer: Layer, signal: Signal) -> tuple[Signal, str]:
    rank = layer.form.rank if layer.form else 0
    if signal.place == "channels":
        if rank and rank != signal.rank:
            axes = f"{signal.by} before it gives {signal.rank + 2} axes"
            return NOTHING, f"{layer.name} takes {rank + 2} axes, and {axes}"
        return signal, _unequal(layer, signal)
    if signal.place == "flat" and layer.takes is not UNKNOWN:
        return _given(layer, "flat"), _unfit(layer, signal)
    if rank > 1:
        return _given(layer, "channels", rank), ""
    return (signal if signal.place == "last" else NOTHING), ""


def _unfit(layer: Layer, signal: Signal) -> str:
    """A last axis that is not as long as a layer takes."""
    takes = layer.takes
    if takes is UNKNOWN:
        return ""
    if signal.place == "channels":
        if signal.side is None or signal.side == takes:
            return ""
        left = f"{signal.by} before it leaves a last axis of {signal.side}"
        return f"{layer.name} takes {takes} features, and {left}: flatten(1) is missing"
    if signal.place not in ("last", "flat") or (
        takes % signal.width == 0 if signal.multiple else takes == signal.width
    ):
        return ""
    gives = f"a multiple of {signal.width}" if signal.multiple else str(signal.width)
    return f"{layer.name} takes {takes} features, and {signal.by} before it gives {gives}"


def _shuffled(layer: Layer, signal: Signal) -> tuple[Signal, str]:
    factor = layer.given.value("upscale_factor") if layer.given else UNKNOWN
    if signal.place != "channels" or signal.rank != 2 or type(factor) is not int or factor < 1:
        return NOTHING, ""
    if signal.width % factor**2:
        said = f"PixelShuffle({factor}) takes a multiple of {factor**2} channels"
        return NOTHING, f"{said}, and {signal.by} before it gives {signal.width}"
    return replace(signal, width=signal.width // factor**2, side=None, cells=None), ""


def _pooled(layer: Layer, signal: Signal) -> Signal:
    rank = layer.form.rank if layer.form else 0
    if signal.place != "channels" or (rank and rank != signal.rank):
        return NOTHING
    size = layer.given.value("output_size") if layer.given and layer.kind == "adaptive" else None
    return count_cells(signal, size)


def count_cells(signal: Signal, size: Any) -> Signal:
    """Channels whose places an adaptive pool has counted."""
    sizes = tuple(size) if isinstance(size, (list, tuple)) else (size,) * signal.rank
    if len(sizes) != signal.rank or not all(type(n) is int for n in sizes):
        return replace(signal, side=None, cells=None)
    cells = 1
    for n in sizes:
        cells *= n
    return replace(signal, side=sizes[-1], cells=cells)


def clashes_in_row(row: tuple[Layer, ...]) -> Iterator[Clash]:
    """What cannot meet in a row of layers."""
    signal = NOTHING
    for layer in row:
        passed = signal
        signal, wrong = pass_layer(layer, passed)
        if wrong:
            yield Clash(layer.call, passed.giver, wrong)
