"""The type of the numbers in an array of NumPy, by NumPy's own rules; None where it is not sure."""

from __future__ import annotations

from lintorch.evaluator.machine import Machine
from lintorch.evaluator.operators.promote_dtypes import DTYPES, kind_of_dtype, promote_pair
from lintorch.evaluator.truth import known_items
from lintorch.evaluator.values import (
    Array,
    Constant,
    External,
    Given,
    Held,
    Items,
    Number,
    Unknown,
    Value,
)

_DOUBLES = frozenset({"zeros", "ones", "empty", "eye", "identity", "linspace", "logspace"})
"""Makers of float64, unless a type is asked for."""
_DRAWN = {
    "rand": 0, "randn": 0, "random": 0, "random_sample": 0, "standard_normal": 0, "uniform": 2,
    "normal": 2, "randint": 2,
}  # fmt: skip
"""What draws numbers, and the place of the argument without which it gives one alone."""
_KEEPING = frozenset(
    {
        "transpose", "reshape", "expand_dims", "squeeze", "concatenate", "stack", "vstack", "hstack",
        "flip", "fliplr", "flipud", "rot90", "roll", "tile", "repeat", "pad", "clip", "ravel", "flatten",
        "swapaxes", "moveaxis", "copy", "ascontiguousarray", "array", "asarray", "zeros_like",
        "ones_like", "empty_like", "abs", "negative", "T", "sort", "maximum", "minimum",
    }
)  # fmt: skip
"""What gives the type of the array, or of the arrays, that it is given."""
_FLOATING = frozenset({"sqrt", "exp", "log", "sin", "cos", "tanh", "log1p", "power"})
_TYPED = {"zeros": 1, "ones": 1, "empty": 1, "array": 1, "asarray": 1, "astype": 1}
"""The place of the type among the arguments, where it may go without its name."""
_NAMES = {
    "float": "float64",
    "int": "int64",
    "double": "float64",
    "single": "float32",
    "bool_": "bool",
}
_NARROW = ("bool", "int8", "uint8", "int16")


def read_array_type(value: Value | None) -> str | None:
    """A type as it is asked for: `np.float32`, `float`, `"float32"`."""
    named = value.path if isinstance(value, External) else getattr(value, "value", None)
    if not isinstance(named, str) or named.startswith("torch."):
        return None
    short = named.removeprefix("numpy.")
    short = _NAMES.get(short, short)
    return short if short in DTYPES else None


def infer_array_type(machine: Machine, path: str, given: Given) -> str | None:
    """What a function or a method of NumPy gives; `path` is its full name."""
    name = path.rpartition(".")[2]
    asked = given.keyword.get("dtype")
    place = _TYPED.get(name)
    if asked is None and place is not None:
        asked = given.pick(place)
    if asked is not None:
        return read_array_type(asked)
    if given.open or "out" in given.keyword:
        return None
    if path.startswith("numpy.random."):
        at = _DRAWN.get(name)
        sized = at is not None and (at < len(given.positional) or "size" in given.keyword)
        return ("int64" if name == "randint" else "float64") if sized else None
    if name in _DOUBLES:
        return "float64"
    if name in _KEEPING:
        return _type_of_all(machine, given)
    if name in _FLOATING:
        held = _type_of_all(machine, given)
        return held if held and kind_of_dtype(held) == "floating" else None
    return read_array_type(External(path)) if path.count(".") == 1 else None


def _type_of_all(machine: Machine, given: Given) -> str | None:
    """The one type of the arrays that are given, in a list too, or of the numbers that a list holds."""
    first = given.pick(0)
    items = known_items(machine, first) if isinstance(first, (Held, Items)) else None
    found = {_type_of(machine, each) for each in (items or (first,))}
    return found.pop() if len(found) == 1 else None


def _type_of(machine: Machine, value: Value | None) -> str | None:
    if isinstance(value, Array):
        return value.dtype
    if isinstance(value, Constant):
        return {float: "float64", int: "int64", bool: "bool"}.get(type(value.value))
    if isinstance(value, (Held, Items)) and value.kind in ("list", "tuple"):
        items = known_items(machine, value)
        found = {_type_of(machine, each) for each in items or ()}
        return found.pop() if len(found) == 1 else None
    return "uint8" if isinstance(value, Unknown) and _is_image(value.path) else None


def _is_image(path: str) -> bool:
    """Whether it is a picture that PIL read, perhaps made RGB or of another size; not one of its masks."""
    head, _, rest = path.partition("PIL.Image.open()")
    steps = [each for each in rest.replace("()", "").split(".") if each]
    return not head and "convert" in steps and set(steps) <= _SEEN_AS_IMAGE and rest != path


_SEEN_AS_IMAGE = {"convert", "resize", "crop", "rotate", "transpose"}


def combine_types(kind: str, left: Value, right: Value) -> str | None:
    """What `left OPERATOR right` of an array gives; `kind` is the class of the ast operator."""
    types = [each.dtype for each in (left, right) if isinstance(each, Array)]
    if None in types:
        return None
    found = types[0] if len(types) == 1 else _promote(types[0], types[1])
    for each in (left, right):
        found = found if isinstance(each, Array) else _lift(found, each)
    if kind == "Div" and found is not None and kind_of_dtype(found) != "floating":
        return "float64"
    return found


def _promote(left: str | None, right: str | None) -> str | None:
    """The type of two arrays together: whole numbers of 32 bits and more make float32 a float64."""
    if left is None or right is None or left == right:
        return left if left == right else None
    floats = [each for each in (left, right) if kind_of_dtype(each) == "floating"]
    others = [each for each in (left, right) if each not in floats]
    if len(floats) == 2:
        return promote_pair(left, right)
    if len(floats) == 1 and "complex" not in others[0]:
        narrow = others[0] in _NARROW and floats[0] == "float32"
        return "float32" if narrow else "float64" if floats[0] != "float16" else None
    return None


def _lift(found: str | None, number: Value) -> str | None:
    """A number of Python leaves the type of an array, unless it is a float and those are whole."""
    if isinstance(number, Constant):
        is_float = isinstance(number.value, float)
    elif isinstance(number, Number) and number.whole is not None:
        is_float = not number.whole
    else:
        return None
    if found is not None and is_float and kind_of_dtype(found) != "floating":
        return "float64"
    return found
