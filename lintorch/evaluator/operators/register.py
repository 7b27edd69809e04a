"""The one table from names of torch to shape functions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, TypeVar

from lintorch.evaluator.signatures.find_signatures import is_known

F = TypeVar("F", bound=Callable[..., Any])

SHAPE_FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""By full name: `torch.cat`, `torch.nn.functional.conv2d`, `torch.Tensor.view`.

Called with the arguments bound to torch's own signature, by name and with its defaults; tensors are
`TensorType`, sizes int or Size, what is unknown is OPEN. Gives a TensorType, or a tuple or list of
them, or a Dim. Raises ShapeError and UndecidedError.
"""
LAYER_SHAPES: dict[str, Callable[..., Any]] = {}
"""By full name of a class of torch.nn: called with the constructor's arguments (a mapping by name,
with defaults) and the forward's arguments."""


def spell_names(words: str, *homes: str) -> tuple[str, ...]:
    """Names such as `torch.add` and `torch.Tensor.add`, in all homes where torch has them."""
    spelled = (f"{home}.{word}" for word, home in product(words.split(), homes))
    return tuple(name for name in spelled if is_known(name))


def shape_of(*names: str) -> Callable[[F], F]:
    """Says which functions of torch this is the shape function of."""

    def register(function: F) -> F:
        for name in names:
            SHAPE_FUNCTIONS[name] = function
        return function

    return register


def layer_shape(*names: str) -> Callable[[F], F]:
    """Says of which layers of torch.nn this is the shape function."""

    def register(function: F) -> F:
        for name in names:
            LAYER_SHAPES[name] = function
        return function

    return register
