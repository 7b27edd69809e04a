"""Asks the shape function of a name what a call gives: `torch.cat`, `torch.nn.Linear`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lintorch.evaluator.operators import (  # each enters its shape functions in the table
    asked_sizes,
    attention,
    axis_order,
    axis_sizes,
    convolutions,
    counted_by_data,
    creation,
    einsum,
    embeddings,
    indexing,
    joins,
    linear,
    losses,
    matrices,
    norms,
    parts,
    pointwise,
    pools,
    products,
    recurrent,
    reductions,
    resizing,
    sliding_blocks,
    spectra,
    turns,
    views,
)
from lintorch.evaluator.operators.promote_dtypes import read_dtype
from lintorch.evaluator.operators.register import LAYER_SHAPES, SHAPE_FUNCTIONS
from lintorch.evaluator.operators.tensor_types import OPEN, TensorType, UndecidedError
from lintorch.evaluator.signatures.bind_arguments import bind_call
from lintorch.evaluator.signatures.find_signatures import UNWRITTEN, Parameter
from lintorch.evaluator.sizes import Size

FAMILIES = (
    asked_sizes,
    attention,
    axis_order,
    axis_sizes,
    convolutions,
    counted_by_data,
    creation,
    einsum,
    embeddings,
    indexing,
    joins,
    linear,
    losses,
    matrices,
    norms,
    parts,
    pointwise,
    pools,
    products,
    recurrent,
    reductions,
    resizing,
    sliding_blocks,
    spectra,
    turns,
    views,
)
"""The modules that hold the shape functions."""


def infer_types(name: str, bound: Mapping[str, Any]) -> Any:
    """What a function or method of torch gives for arguments bound to its signature.

    The tensor of a method is bound to `self`. Raises ShapeError where torch raises for these sizes,
    and UndecidedError where what is known does not say.
    """
    function = SHAPE_FUNCTIONS.get(name)
    if function is None:
        raise UndecidedError
    return _call_function(function, bound)


def infer_call(name: str, positional: Sequence[Any], keyword: Mapping[str, Any]) -> Any:
    """The same for arguments as they stand in a call; the tensor of a method is the first of them."""
    is_method = name.startswith("torch.Tensor.")
    bound = bind_call(name, positional[is_method:], keyword, _may_be_meant)
    if bound is None:
        raise UndecidedError
    return infer_types(name, {"self": positional[0], **bound} if is_method else bound)


def infer_layer(name: str, settings: Mapping[str, Any], bound: Mapping[str, Any]) -> Any:
    """What a layer gives that was built with these settings, for a forward's arguments.

    Raises as `infer_types` does.
    """
    function = LAYER_SHAPES.get(name)
    if function is None:
        raise UndecidedError
    return _call_function(function, {**bound, "settings": _open_unwritten(settings)})


def _call_function(function: Callable[..., Any], bound: Mapping[str, Any]) -> Any:
    code = function.__code__
    taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = _open_unwritten(bound)
    if "self" in given:
        given["input"] = given.pop("self")
    try:
        return function(**{name: value for name, value in given.items() if name in taken})
    except (TypeError, ValueError, LookupError, ArithmeticError) as error:
        # arguments of kinds that no shape function foresees, such as a word for a size
        raise UndecidedError from error


def _open_unwritten(bound: Mapping[str, Any]) -> dict[str, Any]:
    return {name: OPEN if value is UNWRITTEN else value for name, value in bound.items()}


def _may_be_meant(parameter: Parameter, value: Any) -> bool:
    """Whether an argument may be meant for a parameter of some type."""
    if value is OPEN or not parameter.type:
        return True
    if parameter.type in ("dtype", "device"):
        named = isinstance(value, str) and read_dtype(value, None) is not None
        if isinstance(value, (TensorType, float)):
            return False
        return value is None or (named if parameter.type == "dtype" else not named)
    if value is None:
        return not parameter.is_required
    listed = isinstance(value, (list, tuple))
    if parameter.type == "ints":
        return isinstance(value, (int, Size)) or (listed and _are_sizes(value))
    if parameter.type == "int" and listed:
        return _are_sizes(value)
    tensor = isinstance(value, TensorType)
    if parameter.type in ("Tensor", "Tensors"):
        return tensor if parameter.type == "Tensor" else listed
    return not listed and (not tensor or parameter.type == "value")


def _are_sizes(values: Sequence[Any]) -> bool:
    inner = (v if isinstance(v, (list, tuple)) else (v,) for v in values)
    return all(e is OPEN or isinstance(e, (int, Size)) for each in inner for e in each)
