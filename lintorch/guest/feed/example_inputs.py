"""Guesses that follow what a file itself feeds its model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from torch import nn

from lintorch.guest.construct.call_examples import OpenAxes
from lintorch.guest.construct.parameters import list_positional_parameters
from lintorch.guest.feed.guess_inputs import Guess
from lintorch.guest.feed.guess_lengths import read_lengths
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import FedArgument, Input, PlainArgument
from lintorch.record.plain_values import is_plain

_AXIS_NAMES = {
    (2, False): ("batch", "sequence"),
    (2, True): ("batch", "length"),
    (3, True): ("batch", "sequence", "length"),
    (4, True): ("batch", "", "height", "width"),
    (5, True): ("batch", "", "depth", "height", "width"),
}
"""Names of the axes that commonly vary, by the rank of a tensor and whether it holds fractions."""
_OTHER_AXIS = "length"
"""An axis that commonly does not vary, and does here."""
_MOST_COMPONENTS = 4
"""Numbers that a complex number, a point, a colour or a box is made of."""
_SMALL_SIDE = 64
_BIG_SIDE = 128
"""Pixels: a side above the one is also tried at the other."""


def follow_example(
    module: nn.Module,
    fed: tuple[tuple[str, FedArgument], ...],
    open_axes: OpenAxes | None = None,
) -> Iterator[Guess]:
    """The same inputs, then smaller ones where they are big images.

    Where an export leaves some axes of parameters open, only these may vary.
    """
    arguments = _name_arguments(module, fed)
    named = pick_tensors(arguments)
    if not named:
        return
    whole = replace(Guess.of_arguments(arguments, {}), followed=True)
    guess = _name_sizes(whole, open_axes)
    small = {
        name: _SMALL_SIDE
        for name, size in guess.sizes.items()
        if name in ("height", "width") and size > _BIG_SIDE
    }
    yield guess
    if small:
        yield guess.with_sizes(**small)
    yield whole


def follow_tried(module: nn.Module, fed: tuple[tuple[str, FedArgument], ...]) -> Iterator[Guess]:
    """What a constructor runs parts of its model on, for a model that takes one argument."""
    needed = [p for p in list_positional_parameters(module) if p.default is p.empty]
    if fed and len(needed) == 1:
        yield from (replace(guess, followed=False) for guess in follow_example(module, fed))


def _name_arguments(
    module: nn.Module, fed: tuple[tuple[str, FedArgument], ...]
) -> list[FedArgument]:
    """What is for `forward`'s leading parameters, by their names; those left out keep their defaults."""
    parameters = list_positional_parameters(module)
    left: dict[str, list[FedArgument]] = {}
    for keyword, given in fed:
        left.setdefault(keyword, []).append(given)
    by_place = left.pop("", [])
    found: list[FedArgument] = []
    for number, parameter in enumerate(parameters):
        if number < len(by_place):
            found.append(replace(by_place[number], name=parameter.name))
        elif parameter.name in left:
            found += [replace(given, name=parameter.name) for given in left.pop(parameter.name)]
        elif not left or not is_plain(parameter.default):
            break
        else:
            found.append(PlainArgument(parameter.name, repr(parameter.default)))
    return found


def _name_sizes(whole: Guess, open_axes: OpenAxes | None) -> Guess:
    """The inputs with names for sizes; a name stands for one size in all of them."""
    named = whole.inputs
    batch = named[0].shape[0] if named[0].shape else 0
    labels = _label_names(named, open_axes or ())
    sizes: dict[str, int] = {}
    inputs = []
    for given in named:
        names = _name_axes(given, open_axes, labels)
        shape = list(given.shape)
        for axis, name in enumerate(names[: len(shape)]):
            size = shape[axis]
            if not isinstance(size, int) or not name or (name == "batch" and size != batch):
                continue
            if sizes.setdefault(name, size) != size:
                name = _name_apart(f"{name}_{given.label}", size, sizes)
            shape[axis] = name
        inputs.append(replace(given, shape=tuple(shape)))
    if "batch" in sizes:
        sizes["batch"] = max(2, sizes["batch"])
    inputs = [read_lengths(given, sizes) for given in inputs]
    return replace(whole, inputs=tuple(inputs), sizes=sizes)


def _name_apart(wanted: str, size: int, sizes: dict[str, int]) -> str:
    """A name for a size that is another one than what has its name: a template beside the image it is sought in."""
    name = re.sub(r"\W", "_", wanted)
    while sizes.setdefault(name, size) != size:
        name += "_"
    return name


def _ends_in_components(given: Input, names: tuple[str, ...]) -> bool:
    """Whether the last axis holds parts of a number, a place or a colour: it is of two to four where others are longer."""
    shape = [size for size in given.shape if isinstance(size, int)]
    whole = len(shape) == len(given.shape) == len(names) > 2
    return whole and 2 <= shape[-1] <= _MOST_COMPONENTS < max(shape[1:-1])


def _label_names(inputs: Sequence[Input], open_axes: OpenAxes) -> dict[str, str]:
    """What the export's own names are here: what axes commonly are called, where each name has one of its own."""
    common = {given.name: _list_names(given) for given in inputs}
    labels: dict[str, str] = {}
    for parameter, axis, name in open_axes:
        usual = dict(enumerate(common.get(parameter, ()))).get(axis, "")
        if name and name not in labels:
            labels[name] = usual if usual and usual not in labels.values() else name
    return labels


def _list_names(given: Input) -> tuple[str, ...]:
    return _AXIS_NAMES.get((len(given.shape), given.dtype.startswith("float")), ("batch",))


def _name_axes(
    given: Input, open_axes: OpenAxes | None, labels: Mapping[str, str]
) -> tuple[str, ...]:
    """Names for the axes that may vary, "" for the others."""
    names = _list_names(given)
    if not open_axes:
        return (*names[:-1], "") if _ends_in_components(given, names) else names
    every = (*names, *[""] * (len(given.shape) - len(names)))
    is_open = {axis: name for parameter, axis, name in open_axes if parameter == given.name}
    return tuple(
        labels.get(is_open[axis]) or usual or _OTHER_AXIS if axis in is_open else ""
        for axis, usual in enumerate(every)
    )
