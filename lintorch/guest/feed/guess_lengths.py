"""Inputs that tell how long each sample of another one is: `x_lengths` beside `x`, `src_lens` beside `texts`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lintorch.record.models import Input, PlainArgument

_LENGTHS_NAMES = re.compile(
    r"(?P<of>\w+?)?_?(lengths?|lens?|seq_?lens?|num_frames|n_frames)(_(x|y|a|b|1|2))?"
    r"|batch_(num|n)_nodes|(num|n)_nodes_(per|of|in)_(graph|sample)s?"
)
_LONGEST_NAMES = re.compile(
    r"max_?(?P<of>\w+?)?_?(seq_?)?(lengths?|lens?|frames|steps)|max_?(time|T)"
)
_SHAPES = ("batch",), ("batch", 1)
"""Of what holds lengths; the second where a text tells so."""
_AXES_OF_TIME = ("sequence", "length", "width")
"""Names of the axis along which samples are padded, the likeliest first."""


def is_named_as_lengths(name: str) -> bool:
    """Whether an argument that is a tensor is called as those are that hold lengths."""
    return bool(_LENGTHS_NAMES.fullmatch(name))


def link_lengths(inputs: Sequence[Input], names: Sequence[str] = ()) -> tuple[Input, ...]:
    """The inputs; what is called lengths has a whole number for each sample, the first its whole size.

    Each is of the input whose name it begins with, else of the nearest one before it that has such an
    axis, else behind it. `names` are those of the parts of one argument. What nothing has an
    axis for stays as it is.
    """
    called = names or [_name_part(given) for given in inputs]
    return tuple(
        _link(given, number, inputs, called)
        if given.longest != "" or is_named_as_lengths(called[number])
        else given
        for number, given in enumerate(inputs)
    )


def follow_lengths(inputs: Sequence[Input]) -> tuple[Input, ...]:
    """The inputs; those that hold lengths already go by what the sizes are called now."""
    called = [_name_part(given) for given in inputs]
    return tuple(
        _link(given, number, inputs, called) if given.longest != "" else given
        for number, given in enumerate(inputs)
    )


def follow_longest(
    plain: Sequence[PlainArgument], inputs: Sequence[Input]
) -> tuple[PlainArgument, ...]:
    """The plain arguments; one called `max_src_len` is the size that `src_lens` go down from.

    Where no lengths are called so, it is that of the input whose name it has, else of the nearest.
    """
    return tuple(
        replace(given, value=longest) if (longest := find_longest(given.name, inputs)) else given
        for given in plain
    )


def find_longest(name: str, inputs: Sequence[Input]) -> str:
    """The size that an argument called `max_src_len` tells; "" where it tells none of these inputs."""
    match = _LONGEST_NAMES.fullmatch(name)
    if match is None or not inputs:
        return ""
    of = match["of"] or ""
    akin = sorted(inputs, key=lambda given: not (of and _name_part(given).startswith(of)))
    measured = (str(given.longest) for given in akin if isinstance(given.longest, str))
    axes = (axis for given in akin for axis in _find_time_axes(given))
    return next(filter(None, (*measured, *axes)), "")


def read_lengths(given: Input, sizes: Mapping[str, int]) -> Input:
    """An input of an example whose largest number is the size of another one, as lengths of that."""
    whole = [name for name, size in sizes.items() if name != "batch" and size == given.high - 1]
    if len(given.shape) != 1 or not is_named_as_lengths(_name_part(given)) or not whole:
        return given
    return replace(given, low=0, high=0, longest=whole[0])


def measure_samples(inputs: Sequence[Input], number: int) -> Input:
    """One of the inputs as lengths of the samples of the others, whatever it is called; as it is where none has an axis for them."""
    return _link(inputs[number], number, inputs, [_name_part(given) for given in inputs])


def _name_part(given: Input) -> str:
    words = [part for part in given.at if isinstance(part, str)]
    return words[-1] if words else given.name


def _link(given: Input, number: int, inputs: Sequence[Input], called: Sequence[str]) -> Input:
    match = _LENGTHS_NAMES.fullmatch(called[number])
    of = (match["of"] or "") if match else ""
    behind = [*reversed(range(number)), *range(number + 1, len(inputs))]
    akin = [n for n in behind if of and called[n].startswith(of)]
    measured = (n for n in (*akin, *behind) if inputs[n].longest == "")
    others = (inputs[n] for n in measured if not is_named_as_lengths(called[n]))
    longest: int | str
    longest = next((axis for other in others for axis in _find_time_axes(other)), "")
    if not longest and given.longest != "":
        longest = min((n for g in inputs for n in g.shape[1:] if isinstance(n, int)), default=1)
    if not longest or (given.longest == longest and given.shape in _SHAPES):
        return given
    shape = given.shape if given.shape == ("batch", 1) else ("batch",)
    return replace(given, dtype="int64", shape=shape, low=0, high=0, longest=longest)


def _find_time_axes(given: Input) -> Iterator[str]:
    sizes = given.shape if given.shape[1:2] == ("batch",) else given.shape[1:]
    for name in _AXES_OF_TIME:
        yield from (str(size) for size in sizes if size == name or str(size).startswith(f"{name}_"))
