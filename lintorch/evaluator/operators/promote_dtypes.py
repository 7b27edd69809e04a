"""Which type comes out where operands have several, by torch's rules."""

from __future__ import annotations

from typing import Any

from lintorch.evaluator.operators.tensor_types import OPEN, TensorType

_INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
_FLOATS = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex32", "complex64", "complex128")
_KINDS = ("bool", "integer", "floating", "complex")
_OF_SCALARS = {"bool": "bool", "integer": "int64", "floating": "float32", "complex": "complex64"}
DTYPES = frozenset(("bool", *_INTEGERS, *_FLOATS, *_COMPLEX))
"""The names of torch's types that code computes with."""
ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
"""Other names of the same types."""


def read_dtype(value: Any, otherwise: str | None) -> str | None:
    """An argument `dtype`, as a name; `otherwise` where none is given, None where it is open."""
    if value is None:
        return otherwise
    name = value.removeprefix("torch.") if isinstance(value, str) else None
    name = ALIASES.get(name, name) if name else None
    return name if name in DTYPES else None


def kind_of_dtype(dtype: str) -> str:
    """One of "bool", "integer", "floating" and "complex"."""
    if dtype == "bool":
        return "bool"
    if dtype in _COMPLEX:
        return "complex"
    return "integer" if dtype in _INTEGERS else "floating"


def promote_pair(left: str | None, right: str | None) -> str | None:
    """The type that holds both; None where one is unknown."""
    if left is None or right is None or left == right:
        return left if left == right else None
    if not {left, right} <= DTYPES:
        return None
    low, high = sorted((left, right), key=lambda each: _KINDS.index(kind_of_dtype(each)))
    if kind_of_dtype(low) != kind_of_dtype(high):
        wide = low == "float64" and high == "complex64"
        return "complex128" if wide else high
    if kind_of_dtype(low) == "integer":
        if "uint8" in (low, high):
            other = high if low == "uint8" else low
            return "int16" if other == "int8" else other
        return max(low, high, key=_INTEGERS.index)
    if {low, high} == {"float16", "bfloat16"}:
        return "float32"
    return max(low, high, key=(*_FLOATS, *_COMPLEX).index)


def promote_operands(*operands: Any) -> str | None:
    """The type that comes out of tensors with axes, tensors without, and numbers of Python."""
    levels: tuple[list[str], list[str], list[str]] = ([], [], [])
    for operand in operands:
        if isinstance(operand, TensorType):
            if operand.dtype is None or operand.shape is None:
                return _agree_on_one(operands)
            levels[0 if operand.shape else 1].append(operand.dtype)
        elif operand is OPEN:
            return None
        else:
            levels[2].append(_OF_SCALARS[_kind_of_number(operand)])
    return _promote_levels(levels)


def _promote_levels(levels: tuple[list[str], list[str], list[str]]) -> str | None:
    found: str | None = None
    for number, level in enumerate(levels):
        for dtype in level:
            if found is None or number == 0:
                found = dtype if found is None else promote_pair(found, dtype)
            elif _KINDS.index(kind_of_dtype(dtype)) > _KINDS.index(kind_of_dtype(found)):
                found = promote_pair(found, dtype) if number == 1 else _lift_number(found, dtype)
            elif number == 1 and not levels[0]:
                found = promote_pair(found, dtype)
    return found


def _lift_number(found: str, dtype: str) -> str:
    return "complex128" if (found, dtype) == ("float64", "complex64") else dtype


def _agree_on_one(operands: tuple[Any, ...]) -> str | None:
    """The type of tensors that all have the same, and numbers, where it is not known which have axes."""
    tensors = {each.dtype for each in operands if isinstance(each, TensorType)}
    found = tensors.pop() if len(tensors) == 1 else None
    numbers = [each for each in operands if not isinstance(each, TensorType)]
    if found is None or any(each is OPEN for each in numbers):
        return None
    kinds = [_OF_SCALARS[_kind_of_number(each)] for each in numbers]
    return _promote_levels(([found], [], kinds))


def _kind_of_number(number: Any) -> str:
    if isinstance(number, bool):
        return "bool"
    return {float: "floating", complex: "complex"}.get(type(number), "integer")


def as_floating(dtype: str | None) -> str | None:
    """The type of functions such as `exp`, which make floats of integers."""
    whole = dtype is not None and kind_of_dtype(dtype) in ("bool", "integer")
    return "float32" if whole else dtype


def as_summed(dtype: str | None) -> str | None:
    """The type of sums, which make int64 of all integers."""
    whole = dtype is not None and kind_of_dtype(dtype) in ("bool", "integer")
    return "int64" if whole else dtype
