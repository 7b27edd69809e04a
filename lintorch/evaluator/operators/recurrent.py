"""Recurrent layers and cells: sequences in, sequences and states out."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import (
    as_size,
    as_tensor,
    differ_surely,
    make_fresh,
    show_sizes,
)
from lintorch.evaluator.operators.register import layer_shape
from lintorch.evaluator.operators.tensor_types import (
    OPEN,
    Shape,
    ShapeError,
    TensorType,
    require,
)
from lintorch.evaluator.sizes import Dim

Recurred = tuple[TensorType, Any]


def _register_simple(name: str) -> None:
    def recur_simply(settings: Any, input: Any, hx: Any = None) -> Recurred:
        tensor = as_tensor(input)
        output, state = _recur(settings, tensor, as_size(settings["hidden_size"]), name)
        if isinstance(hx, TensorType) and hx.shape is not None:
            _require_state(tensor, hx, state, "")
        return output, state

    def step_simply(settings: Any, input: Any, hx: Any = None) -> TensorType:
        return _step(settings, as_tensor(input), hx, f"{name}Cell")

    layer_shape(f"torch.nn.{name}")(recur_simply)
    layer_shape(f"torch.nn.{name}Cell")(step_simply)


_register_simple("RNN")
_register_simple("GRU")


@layer_shape("torch.nn.LSTM")
def recur_with_cells(settings: Any, input: Any, hx: Any = None) -> Recurred:
    """All outputs, and the last state of both kinds."""
    tensor = as_tensor(input)
    hidden, projected = as_size(settings["hidden_size"]), as_size(settings["proj_size"])
    shown = hidden if projected == 0 else projected
    output, state = _recur(settings, tensor, shown, "LSTM")
    cells = TensorType((*state.sizes[:-1], hidden), tensor.dtype)
    if isinstance(hx, (list, tuple)) and len(hx) == 2:
        for given, wanted, name in zip(hx, (state, cells), ("[0]", "[1]"), strict=True):
            if isinstance(given, TensorType) and given.shape is not None:
                _require_state(tensor, given, wanted, name)
    return output, (state, cells)


def _recur(settings: Any, tensor: TensorType, shown: Dim, name: str) -> Recurred:
    kind = "D tensor" if name == "RNN" else "D"
    said = f"{name}: Expected input to be 2D or 3D, got {tensor.rank}{kind} instead"
    require(tensor.rank in (2, 3), said)
    wanted = as_size(settings["input_size"])
    if differ_surely(tensor.sizes[-1], wanted):
        raise ShapeError(
            f"input.size(-1) must be equal to input_size. Expected {wanted}, got {tensor.sizes[-1]}"
        )
    both, first = settings["bidirectional"], settings["batch_first"]
    ways: Dim = make_fresh() if both is OPEN else 2 if both else 1
    batch: Shape = ()
    if tensor.rank == 3:
        batch = (make_fresh() if first is OPEN else tensor.sizes[0 if first else 1],)
    layers = as_size(settings["num_layers"])
    state = TensorType((layers * ways, *batch, shown), tensor.dtype)
    return TensorType((*tensor.sizes[:-1], shown * ways), tensor.dtype), state


def _require_state(tensor: TensorType, given: TensorType, wanted: TensorType, name: str) -> None:
    if given.rank != wanted.rank:
        kind = "batched 3-D" if tensor.rank == 3 else "unbatched 2-D"
        raise ShapeError(
            f"For {kind} input, hx should also be {wanted.rank}-D but got {given.rank}-D tensor"
        )
    if any(differ_surely(a, b) for a, b in zip(given.sizes, wanted.sizes, strict=True)):
        raise ShapeError(
            f"Expected hidden{name} size {tuple(wanted.sizes)}, got {show_sizes(given.sizes)}"
        )


@layer_shape("torch.nn.LSTMCell")
def step_with_cells(settings: Any, input: Any, hx: Any = None) -> tuple[TensorType, TensorType]:
    """The next state of both kinds."""
    states = hx if isinstance(hx, (list, tuple)) else (hx,)
    found = [_step(settings, as_tensor(input), state, "LSTMCell") for state in states]
    return found[0], found[0]


def _step(settings: Any, tensor: TensorType, state: Any, name: str) -> TensorType:
    require(
        tensor.rank in (1, 2),
        f"{name}: Expected input to be 1D or 2D, got {tensor.rank}D instead",
    )
    hidden, wanted = as_size(settings["hidden_size"]), as_size(settings["input_size"])
    if differ_surely(tensor.sizes[-1], wanted):
        raise ShapeError(
            f"input has inconsistent input_size: got {tensor.sizes[-1]} expected {wanted}"
        )
    found = TensorType((*tensor.sizes[:-1], hidden), tensor.dtype)
    if isinstance(state, TensorType) and state.shape is not None:
        if differ_surely(state.sizes[-1], hidden):
            raise ShapeError(
                f"hidden0 has inconsistent hidden_size: got {state.sizes[-1]}, expected {hidden}"
            )
        if state.rank == found.rank == 2 and differ_surely(state.sizes[0], found.sizes[0]):
            raise ShapeError(
                f"Input batch size {found.sizes[0]} doesn't match hidden0 batch size {state.sizes[0]}"
            )
    return found
