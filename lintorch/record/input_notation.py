"""How inputs are written: `float32[batch, 3, height=512, width=512]`, `int64[batch, sequence=16] in 0..98`.

Arguments that hold several tensors are lists and mappings of such texts. What is no tensor is a value
behind an equals sign, `= True`, `= (height, width)`, in which names stand for sizes of the tensors.
`int64[batch] down from sequence` tells how long each sample is: the first as long as that size, the others ever shorter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lintorch.record.arguments import arrange_arguments, list_leaves
from lintorch.record.models import FedArgument, Input, PlainArgument
from lintorch.record.plain_values import parse_plain

FIRST_SIZES = {"batch": 2, "height": 64, "width": 64, "depth": 32, "sequence": 16, "length": 256}
"""What a named size is at first where nothing else says."""
_OTHER_SIZE = 8
_PLAIN_MARK = "="
_DTYPES = frozenset(
    [
        "float16",
        "bfloat16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
    ]
)
_INPUT = re.compile(
    r"(?P<dtype>\w+)\s*\[(?P<shape>[^\]]*)\]\s*(in\s+(?P<low>-?\d+)\s*\.\.\s*(?P<last>-?\d+)"
    r"|down\s+from\s+(?P<longest>\w+))?"
)
_SIZE = re.compile(r"(?P<name>[A-Za-z_]\w*)(\s*=\s*(?P<first>\d+))?|(?P<number>\d+)")


def parse_input(text: str, name: str = "") -> tuple[Input, dict[str, int]]:
    """An input and the first values of its named sizes. Raises ValueError, naming what is wrong."""
    match = _INPUT.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"input {text!r} is not written like float32[batch, 3, height=64]")
    if match["dtype"] not in _DTYPES:
        raise ValueError(f"input {text!r} has no dtype of torch before its sizes")
    sizes: dict[str, int] = {}
    parts = filter(None, (part.strip() for part in match["shape"].split(",")))
    shape = [_size(part, text, sizes) for part in parts]
    low, high = (int(match["low"]), int(match["last"]) + 1) if match["low"] else (0, 0)
    of = match["longest"] or ""
    longest = int(of) if of.isdigit() else of
    return Input(name, match["dtype"], tuple(shape), low, high, longest=longest), sizes


def parse_argument(written: Any, name: str = "") -> tuple[tuple[FedArgument, ...], dict[str, int]]:
    """The inputs of an argument, which may be a list or mapping of such texts, and their sizes."""
    parsed = [(place, _parse_leaf(text, name)) for place, text in list_leaves(written)]
    sizes = {size: first for _, (_, named) in parsed for size, first in named.items()}
    return tuple(replace(given, at=place) for place, (given, _) in parsed), sizes


def _parse_leaf(written: Any, name: str) -> tuple[FedArgument, dict[str, int]]:
    """A tensor, or a plain value: TOML's own, or what stands behind an equals sign."""
    if isinstance(written, (bool, int, float)):
        return PlainArgument(name, repr(written)), {}
    if isinstance(written, str) and written.lstrip().startswith(_PLAIN_MARK):
        value = written.strip().removeprefix(_PLAIN_MARK).strip()
        parse_plain(value)
        return PlainArgument(name, value), {}
    return parse_input(written, name)


def write_arguments(inputs: Sequence[FedArgument], sizes: Mapping[str, int]) -> list[Any]:
    """An argument after the other, as `parse_argument` reads it. Raises ValueError."""
    lists = [replace(given, records=()) for given in inputs]
    return list(arrange_arguments(lists, [_write_leaf(given, sizes) for given in inputs]))


def _write_leaf(given: FedArgument, sizes: Mapping[str, int]) -> str:
    if isinstance(given, Input):
        return write_input(given, sizes)
    parse_plain(given.value)
    return f"{_PLAIN_MARK} {given.value}"


def describe_inputs(inputs: Sequence[FedArgument], sizes: Mapping[str, int]) -> str:
    """All arguments in one line, by their names."""
    names = arrange_arguments(inputs, [given.name for given in inputs])
    pairs = zip(map(_first, names), write_arguments(inputs, sizes), strict=True)
    return ", ".join(_describe_argument(name, _line(part)) for name, part in pairs)


def _describe_argument(name: str, written: str) -> str:
    """`x: float32[batch, 3]`, and `flag = True` of a plain value."""
    return f"{name}{' ' if written.startswith(_PLAIN_MARK) else ': '}{written}" if name else written


def _first(argument: Any) -> Any:
    return next(leaf for _, leaf in list_leaves(argument))


def _line(argument: Any) -> str:
    if isinstance(argument, dict):
        return "{" + ", ".join(f"{key}: {_line(part)}" for key, part in argument.items()) + "}"
    if isinstance(argument, list):
        return "[" + ", ".join(map(_line, argument)) + "]"
    return str(argument)


def write_input(given: Input, sizes: Mapping[str, int]) -> str:
    """The notation of an input, as `parse_input` reads it."""
    parts = [
        str(part) if isinstance(part, int) or part not in sizes else f"{part}={sizes[part]}"
        for part in given.shape
    ]
    bounds = f" in {given.low}..{given.high - 1}" if given.high > given.low else ""
    bounds = bounds if given.longest == "" else f" down from {given.longest}"
    return f"{given.dtype}[{', '.join(parts)}]{bounds}"


def _size(part: str, text: str, sizes: dict[str, int]) -> int | str:
    match = _SIZE.fullmatch(part)
    if match is None:
        raise ValueError(f"size {part!r} of input {text!r} is neither a number nor a name")
    if match["number"]:
        return int(match["number"])
    name = match["name"]
    first = match["first"]
    sizes[name] = int(first) if first else sizes.get(name, FIRST_SIZES.get(name, _OTHER_SIZE))
    return name
