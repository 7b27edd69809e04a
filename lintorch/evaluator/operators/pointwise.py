"""Operators that work element by element: shapes are stretched, types are promoted."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.arguments import as_tensor, differ_surely, make_counted
from lintorch.evaluator.operators.broadcast import (
    broadcast_operands,
    require_expandable,
    require_tensor_among,
)
from lintorch.evaluator.operators.pointwise_names import (
    COMPARED,
    DIVIDED,
    IN_PLACE,
    MADE_BOOLEAN,
    MADE_FLOATING,
    PROMOTED,
    SAME_LAYERS,
    SAME_TYPE,
)
from lintorch.evaluator.operators.promote_dtypes import (
    as_floating,
    promote_operands,
    read_dtype,
)
from lintorch.evaluator.operators.register import layer_shape, shape_of, spell_names
from lintorch.evaluator.operators.tensor_types import OPEN, Shape, ShapeError, TensorType

_HOMES = ("torch", "torch.Tensor", "torch.nn.functional", "torch.special")


@shape_of(*spell_names(SAME_TYPE, *_HOMES))
def keep_type(input: Any) -> TensorType:
    """What changes neither shape nor type."""
    return as_tensor(input)


@shape_of(*spell_names("silu hardswish hardsigmoid mish elu", "torch.nn.functional"))
def keep_floating(input: Any, inplace: Any = False) -> TensorType:
    """The same for activations that can work in place."""
    return as_tensor(input)


@layer_shape(*spell_names(SAME_LAYERS, "torch.nn"))
def keep_type_in_layer(settings: Any, input: Any) -> TensorType:
    """Layers that change neither."""
    return as_tensor(input)


@shape_of(*spell_names("abs absolute angle real imag", "torch", "torch.Tensor"))
def make_real(input: Any) -> TensorType:
    """What makes real numbers of complex ones."""
    tensor = as_tensor(input)
    real = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}
    return TensorType(tensor.shape, real.get(tensor.dtype or "", tensor.dtype))


@shape_of(*spell_names(MADE_FLOATING, "torch", "torch.Tensor", "torch.special"))
@shape_of(*spell_names("sigmoid tanh", "torch.nn.functional"))
def make_floating(input: Any) -> TensorType:
    """What makes floats of integers."""
    tensor = as_tensor(input)
    return TensorType(tensor.shape, as_floating(tensor.dtype))


@shape_of(*spell_names(MADE_BOOLEAN, "torch", "torch.Tensor"))
def make_boolean(input: Any) -> TensorType:
    """What asks something of each element."""
    return TensorType(as_tensor(input).shape, "bool")


@shape_of(*spell_names(PROMOTED, "torch", "torch.Tensor", "torch.special"))
def combine_promoted(input: Any, other: Any = 0, exponent: Any = None) -> TensorType:
    """Two operands, and the type that holds both."""
    other = other if exponent is None else exponent
    require_tensor_among(input, other)
    return TensorType(broadcast_operands(input, other), promote_operands(input, other))


@shape_of(*spell_names(DIVIDED, "torch", "torch.Tensor", "torch.special"))
def combine_divided(input: Any, other: Any = 0, rounding_mode: Any = None) -> TensorType:
    """Two operands, and integers become floats unless what comes out is rounded."""
    found = combine_promoted(input, other)
    if rounding_mode is OPEN:
        return TensorType(found.shape)
    return found if rounding_mode else TensorType(found.shape, as_floating(found.dtype))


@shape_of(*spell_names("float_power", "torch", "torch.Tensor"))
def combine_widely(input: Any, exponent: Any) -> TensorType:
    """Powers in the widest type."""
    found = combine_promoted(input, exponent)
    complex_ = found.dtype is not None and found.dtype.startswith("complex")
    return TensorType(found.shape, "complex128" if complex_ else "float64")


@shape_of(*spell_names(COMPARED, "torch", "torch.Tensor"))
def combine_compared(input: Any, other: Any) -> TensorType:
    """Two operands that are compared."""
    return TensorType(combine_promoted(input, other).shape, "bool")


@shape_of(*spell_names(IN_PLACE, "torch.Tensor"))
def combine_in_place(
    input: Any, other: Any = 0, exponent: Any = 0, src: Any = None, mask: Any = None
) -> TensorType:
    """Two operands, of which the first keeps its shape and its type."""
    target = as_tensor(input)
    given = next((each for each in (mask, src) if each is not None), other)
    given = exponent if given == 0 and exponent != 0 else given
    shape = broadcast_operands(given)
    if target.shape is not None and shape is not None:
        require_expandable(shape, target.shape)
    return target


@shape_of(*spell_names("clamp clip", "torch", "torch.Tensor"))
def clamp_values(input: Any, min: Any = None, max: Any = None) -> TensorType:
    """Values held between two bounds, which may be tensors."""
    given = [each for each in (input, min, max) if each is not None]
    require_tensor_among(*given)
    return TensorType(broadcast_operands(*given), promote_operands(*given))


@shape_of(*spell_names("lerp addcmul addcdiv", "torch", "torch.Tensor"))
def combine_three(
    input: Any, end: Any = 0, weight: Any = 0, tensor1: Any = 0, tensor2: Any = 0
) -> TensorType:
    """Three operands, stretched to one another."""
    given = [
        each for each in (input, end, weight, tensor1, tensor2) if isinstance(each, TensorType)
    ]
    return TensorType(broadcast_operands(*given), promote_operands(*given))


@shape_of("torch.where", "torch.Tensor.where")
def choose_elements(
    input: Any = None, condition: Any = None, other: Any = None
) -> TensorType | tuple[TensorType, ...]:
    """Elements of one or the other; of a mask alone where it is true, which data decide."""
    if other is None and (input is None) is not (condition is None):
        mask = as_tensor(condition if input is None else input)
        return (TensorType((make_counted(),), "int64"),) * max(mask.rank, 1)
    require_tensor_among(condition, input, other)
    chosen = broadcast_operands(input, other)
    return TensorType(_stretch_to_mask(chosen, condition), promote_operands(input, other))


@shape_of("torch.masked_fill", "torch.Tensor.masked_fill")
def fill_masked(input: Any, mask: Any) -> TensorType:
    """One value at the places of a mask."""
    tensor = as_tensor(input)
    return TensorType(_stretch_to_mask(tensor.shape, as_tensor(mask)), tensor.dtype)


def _stretch_to_mask(shape: Shape | None, mask: Any) -> Shape | None:
    """The shape of what a mask is put on; one of which nothing is known adds no axes to a matrix or more."""
    if isinstance(mask, TensorType) and mask.shape is None and shape is not None:
        return shape if len(shape) > 1 else None
    return None if shape is None else broadcast_operands(TensorType(shape), mask)


@shape_of("torch.Tensor.to", "torch.Tensor.type", "torch.Tensor.type_as")
def convert_type(
    input: Any, dtype: Any = None, other: Any = None, device: Any = None
) -> TensorType:
    """The same in another type, or in that of another tensor."""
    tensor = as_tensor(input)
    if isinstance(other, TensorType):
        return TensorType(tensor.shape, other.dtype)
    if device is OPEN and dtype is None:  # which may be a type, or a tensor
        return TensorType(tensor.shape)
    return TensorType(tensor.shape, read_dtype(dtype, tensor.dtype))


def make_converter(name: str) -> Any:
    """The shape function of `x.float()` and the like."""

    def convert_to(input: Any) -> TensorType:
        return TensorType(as_tensor(input).shape, read_dtype(name, None))

    return convert_to


for _name in "float double half bfloat16 long int short bool".split():  # noqa: SIM905
    shape_of(f"torch.Tensor.{_name}")(make_converter(_name))
shape_of("torch.Tensor.byte")(make_converter("uint8"))
shape_of("torch.Tensor.char")(make_converter("int8"))


@shape_of("torch.nn.functional.prelu", "torch.prelu", "torch.Tensor.prelu")
def scale_negative(input: Any, weight: Any) -> TensorType:
    """One slope for all, or one for each channel."""
    tensor, slopes = as_tensor(input), as_tensor(weight)
    _require_slopes(tensor, slopes.shape[0] if slopes.shape else 1)
    return tensor


@layer_shape("torch.nn.PReLU")
def scale_negative_in_layer(settings: Any, input: Any) -> TensorType:
    """The same with slopes that are learnt."""
    tensor = as_tensor(input)
    _require_slopes(tensor, settings["num_parameters"])
    return tensor


def _require_slopes(tensor: TensorType, many: Any) -> None:
    channels = tensor.sizes[1] if tensor.rank > 1 else 1
    if many is not OPEN and many != 1 and differ_surely(many, channels):
        raise ShapeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{many} and channel size = {channels}."
        )
