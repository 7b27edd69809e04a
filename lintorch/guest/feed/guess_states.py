"""Guesses for the state that a recurrent model is given beside its input."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from torch import nn

from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.made_states import find_state_maker, make_own_states
from lintorch.record.models import Input

_STATE_NAMES = re.compile(
    r"(\w+_)?(hidden|hiddens|state|states|hx|h0|h_0|hc|hid|memory)(_(state|states|t|in|prev|0))?|h|prev_h"
)

_CELL_NAMES = re.compile(
    r"(\w+_)?(cell|cells|cx|c0|c_0|ct|c_t)(_(state|states|t|in|prev|0))?|c|prev_c"
)


def give_states(guesses: Iterable[Guess], module: nn.Module) -> Iterator[Guess]:
    """The guesses; those that hold a state first with one that the model itself, or its recurrent layer, makes."""
    maker = find_state_maker(module)
    layer = find_recurrent_layer(module)
    for guess in guesses:
        main = guess.inputs[0] if guess.inputs else None
        wanted = [given for given in guess.inputs[1:] if _STATE_NAMES.fullmatch(given.name)]
        if maker is not None and main is not None and wanted:
            batched_first = not isinstance(layer, nn.RNNBase) or layer.batch_first
            for axis in sorted(range(min(2, len(main.shape))), reverse=not batched_first):
                held = make_own_states(maker, wanted, main.shape[axis], guess.sizes)
                if held:
                    yield guess.with_inputs(
                        tuple(part for g in guess.inputs for part in held.get(g.name, (g,)))
                    )
        if layer is not None and main is not None and len(main.shape) > 1:
            made = _make_layer_states(guess.inputs[1:], main, layer)
            if made:
                yield guess.with_inputs(
                    tuple(part for g in guess.inputs for part in made.get(g.name, (g,)))
                )
        yield guess


def find_recurrent_layer(module: nn.Module) -> nn.RNNBase | nn.RNNCellBase | None:
    """The first layer of a model that keeps a state; None where there is none."""
    every = nn.Module.modules(module)
    return next((m for m in every if isinstance(m, (nn.RNNBase, nn.RNNCellBase))), None)


def shape_states(
    parts: Sequence[Input], names: Sequence[str], layer: nn.RNNBase | nn.RNNCellBase | None
) -> list[Input]:
    """The parts of one argument, those with names of a state as the layer gives it for the first."""
    if layer is None or len(names) != len(parts) or len(parts[0].shape) < 2:
        return list(parts)
    called = [replace(each, name=name) for each, name in zip(parts, names, strict=True)]
    made = _make_layer_states(called[1:], parts[0], layer)
    shapes = {name: held[0].shape for name, held in made.items() if len(held) == 1}
    return [
        replace(part, shape=shapes[name], dtype="float32", low=0, high=0)
        if name in shapes
        else part
        for part, name in zip(parts, names, strict=True)
    ]


def _make_layer_states(
    beside: Sequence[Input], main: Input, layer: nn.RNNBase | nn.RNNCellBase
) -> dict[str, Sequence[Input]]:
    """The state that one argument is, or its two halves where an LSTM is given them apart: `hx, cx`."""
    hidden = [given for given in beside if _STATE_NAMES.fullmatch(given.name)]
    cells = [given for given in beside if _CELL_NAMES.fullmatch(given.name)]
    if isinstance(layer, (nn.LSTM, nn.LSTMCell)) and len(hidden) == len(cells) == 1:
        halves = _make_state(hidden[0], main, layer)
        pairs = zip((hidden[0], cells[0]), halves, strict=True)
        return {given.name: (replace(half, name=given.name, at=()),) for given, half in pairs}
    if len(hidden) == 1:
        return {hidden[0].name: _make_state(hidden[0], main, layer)}
    return {}


def _make_state(given: Input, main: Input, layer: nn.RNNBase | nn.RNNCellBase) -> Sequence[Input]:
    """What the layer gives back as its state: two tensors for an LSTM."""
    if isinstance(layer, nn.RNNBase):
        batch = main.shape[0] if layer.batch_first or len(main.shape) > 3 else main.shape[1]
        layers = layer.num_layers * (2 if layer.bidirectional else 1)
        shape: tuple[int | str, ...] = (layers, batch, layer.hidden_size)
    else:
        shape = (main.shape[0], layer.hidden_size)
    state = replace(given, dtype="float32", shape=shape, low=0, high=0)
    if not isinstance(layer, (nn.LSTM, nn.LSTMCell)):
        return (state,)
    return (replace(state, at=(0,)), replace(state, at=(1,)))
