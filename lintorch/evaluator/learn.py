"""What code tells of a model's inputs by what it does with them: rank, channels, kind of index.

An input begins as a tensor of unknown shape. What is learned in one evaluation of a model holds from
the beginning in the next.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from lintorch.evaluator.events import Called
from lintorch.evaluator.machine import Machine, TaughtError
from lintorch.evaluator.other_kinds import MANY
from lintorch.evaluator.sizes import Dim, Symbol, make_symbol, varies
from lintorch.evaluator.values import (
    NONE,
    Constant,
    Items,
    Number,
    Slice,
    Tensor,
    Value,
    make_number,
)

SPATIAL = {1: ("L",), 2: ("H", "W"), 3: ("D", "H", "W")}


def learn_rank(machine: Machine, value: Value, names: Sequence[str]) -> Value:
    """The shape of an input, when it is unpacked to these names; a starred one tells no rank."""
    if not (isinstance(value, Items) and value.kind == "Size" and value.items is None):
        return value
    name = value.of_input or value.like_input
    if not name or "*" in names:
        return value
    if not machine.is_certain and name in machine.several_ranks:
        return value
    sides = machine.library.image_axes(names)
    shape = name_sides(name, len(names), sides, _find_lengths(names))
    teach = teach_shape if machine.is_certain else teach_width  # a branch may be for some ranks
    teach(machine, name, shape)
    return Items("Size", tuple(map(make_number, shape)), of_input=name)


def name_axes(name: str, rank: int, channels: Dim | None = None) -> tuple[Dim, ...]:
    """Symbols for the axes of an input of which no more than the rank is known.

    The batch varies, the two last of four axes, and of five the three last; of others it is unknown,
    and of what attention is given, whose last axis is as long as a head. The last axis of tokens is a
    sequence.
    """
    if rank in (4, 5) and _ATTENDED.fullmatch(name) is None:
        sides = SPATIAL[rank - 2]
        first: Dim = make_symbol(f"{name}.C", False) if channels is None else channels
        return make_symbol("B"), first, *(make_symbol(f"{name}.{side}") for side in sides)
    last = _find_sequence(name, rank)
    rest = (make_symbol(f"{name}.{axis}", axis in last or None) for axis in range(1, rank))
    return (make_symbol("B"), *rest) if rank else ()


def name_film(name: str) -> tuple[Dim, ...]:
    """The same for images of several steps, `[B, T, C, H, W]`."""
    steps = (make_symbol(f"{name}.{axis}", None) for axis in (1, 2))
    return make_symbol("B"), *steps, *(make_symbol(f"{name}.{side}") for side in SPATIAL[2])


def _find_sequence(name: str, rank: int) -> Collection[int]:
    """The last axis of tokens, behind the batch."""
    return (rank - 1,) if rank > 1 and _TOKENS.fullmatch(name) else ()


_TOKENS = re.compile(r"((de|en)coder_)?(input|token|token_type)_ids|((de|en)coder_)?attention_mask")


_ATTENDED = re.compile(r"(q|k|v|quer(y|ies)|keys?|values?)(_(states?|layer))?", re.IGNORECASE)


_LENGTH = re.compile(
    r"(\w+_)?(seq(uence)?_?)?len(gth)?|seq|time(_?steps?)?|n(um)?_?(frames|tokens|steps)",
    re.IGNORECASE,
)
"""Names of how long a sequence is."""


def _find_lengths(names: Sequence[str]) -> Collection[int]:
    """The axis behind the batch that names say is a sequence: `batch, seq_len, dim`; of three `B, T, C` too."""
    short = len(names) == 3 and names[1] in _SHORT
    return (1,) if len(names) > 2 and (short or _LENGTH.fullmatch(names[1])) else ()


def name_sides(
    name: str, rank: int, sides: Collection[int], lengths: Collection[int] = ()
) -> tuple[Dim, ...]:
    """Symbols for the axes of an input where names tell which of them are height and width, or a length."""
    axes: list[Dim] = [make_symbol("B")] if rank else []
    long = {*lengths, *_find_sequence(name, rank)}
    for axis in range(1, rank):
        known = axis in sides or axis in long or None
        channel = bool(sides) and axis not in sides and rank == 4
        axes.append(make_symbol(f"{name}.{axis}", False if channel else known))
    return tuple(axes)


def teach_shape(machine: Machine, name: str, shape: Sequence[Dim]) -> None:
    """Note the shape of an input, for the next evaluation; the first that is learned counts.

    Raises TaughtError where that is all there is to learn by going on without it.
    """
    if name in machine.learned:
        return
    if not machine.is_certain:
        machine.branched.add(name)
    machine.learned[name] = tuple(shape)
    if name == machine.only_input:
        raise TaughtError


def teach_width(machine: Machine, name: str, shape: Sequence[Dim]) -> None:
    """The same where only the last size is sure; anything else that is learned outweighs it."""
    machine.guessed.setdefault(name, tuple(shape))


def presume_counted(machine: Machine) -> None:
    """`x.size(1)` of what a Linear is given: nobody asks the number of channels that he wrote, so it is another axis."""
    columns = machine.stepped - machine.timed - machine.shifted
    for name in machine.counted - machine.learned.keys() - columns:
        shape = machine.guessed.get(name, ())
        if not shape and name in machine.narrowed:
            machine.guessed[name] = name_axes(name, 3)
        elif _tells_channels(name, shape):
            machine.widened[name] = shape
            machine.guessed[name] = name_axes(name, 3)


def _tells_channels(name: str, shape: tuple[Dim, ...]) -> bool:
    """Whether no more is known of an input than the number of its channels, the last of two axes."""
    return len(shape) == 2 and not str(shape[1]).startswith(f"{name}.")


def widen_guesses(machine: Machine) -> bool:
    """Presume one more axis, between batch and channels, of the one input that a Linear says the channels of.

    For what does not fit two axes, and then three; after that it has two again. Of several inputs
    it is not told which of them does not fit.
    """
    guesses = {k: v for k, v in machine.guessed.items() if k not in machine.stepped}
    presumed = [name for name, shape in guesses.items() if _is_plain(machine, name, shape)]
    if len(presumed) != 1:
        return any(_narrow_stepped(machine, name) for name in [*machine.stepped])
    name, shape = presumed[0], machine.guessed[presumed[0]]
    first = machine.widened.setdefault(name, shape)
    more = (*shape[:-1], make_symbol(f"{name}.{len(shape) - 1}", None), shape[-1])
    machine.guessed[name] = machine.learned[name] = more if len(more) <= _WIDEST else first
    return True


def _narrow_stepped(machine: Machine, name: str) -> bool:
    """Presume two axes, batch and time, of what `ids[:, t]` was taken to have three of; if that is worse, three."""
    shape, first = machine.guessed.get(name), machine.widened.get(name)
    if shape is None or machine.learned.get(name) != shape:
        return False
    if first is None and len(shape) == 3:
        machine.widened[name] = shape
        machine.guessed[name] = machine.learned[name] = (shape[0], make_symbol(f"{name}.1"))
        return True
    machine.stepped.discard(name)
    if first is not None and len(shape) == 2:
        machine.guessed[name] = machine.learned[name] = first
        return True
    return False


def settle_widened(machine: Machine) -> bool:
    """Whether axes are now said to vary that an input has between batch and channels, as what fits it shows."""
    known = len(machine.settled)
    for name, first in machine.widened.items():
        shape = machine.learned.get(name, first)
        for size in shape if shape != first else ():
            if _open_symbol(size) is not None and str(size).startswith(f"{name}."):
                machine.settled.setdefault(str(size), make_symbol(str(size)))
    return len(machine.settled) > known


def _is_plain(machine: Machine, name: str, shape: tuple[Dim, ...]) -> bool:
    """Whether no more is known of an input than its channels, and not all numbers of axes were tried."""
    first = machine.widened.get(name)
    fresh = first is None and _tells_channels(name, shape)
    return machine.learned.get(name) == shape and (fresh or first not in (None, shape))


_WIDEST = 4


def teach_kind(machine: Machine, name: str, dtype: str) -> None:
    """Note the type of an input, for the next evaluation."""
    machine.learned_types.setdefault(name, dtype)


def teach_tensors(machine: Machine, values: Iterable[Value]) -> None:
    """Note that inputs are no Python numbers, for the next evaluation."""
    for value in values:
        if isinstance(value, Tensor) and value.data is None and value.origin == "input":
            machine.tensors.add(value.name)


def note_rank_asked(machine: Machine, held: Tensor) -> None:
    """`x.dim() == 4`: an input of which this is asked may have another number of axes."""
    if held.shape is None:
        machine.several_ranks |= {held.ranked_as or held.turned_from} - {""}


def note_length_asked(machine: Machine, shape: Items) -> None:
    """The same of `len(x.shape)`, of a shape that is not known."""
    if shape.items is None:
        machine.several_ranks |= {shape.of_input or shape.like_input} - {""}


def teach_moved(machine: Machine, value: Tensor) -> None:
    """The same of an input that came through `cpu()` or `detach()`."""
    if value.data is None and len(value.memory) == 1:
        machine.tensors |= {
            each.removeprefix("input ") for each in value.memory if each.startswith("input ")
        }


def teach_sequence(machine: Machine, value: Tensor) -> None:
    """Note that an input is a list of tensors: it, or a part of it, is joined, which no tensor can be."""
    machine.sequences |= {
        each.removeprefix("input ") for each in value.memory if value.data is None
    }


def teach_foreign(machine: Machine, value: Tensor, attribute: str) -> None:
    """Note that an attribute of an input is read which no tensor has: of several, it is a graph or a batch."""
    read = machine.foreign.setdefault(value.name, set())
    read.add(attribute)
    if len(read) >= MANY and value.name not in machine.learned:
        machine.sequences.add(value.name)


def is_input(value: Value) -> bool:
    """Whether it is an input of the model itself, of which no shape is known."""
    return isinstance(value, Tensor) and value.origin == "input" and value.shape is None


def settle_axis(machine: Machine, given: Tensor, axis: int, size: Dim) -> None:
    """A layer takes so many channels: an axis of an input that is still open is as long, from now on."""
    if given.shape is None or varies(size) is not False or len(given.shape) < -axis:
        return
    symbol = _open_symbol(given.shape[axis])
    if symbol is not None:
        machine.settled.setdefault(symbol.name, size)


def settle_shape(machine: Machine, name: str) -> tuple[Dim, ...] | None:
    """The shape of an input as far as it was learned; axes beside a channel vary."""
    shape = machine.learned.get(name)
    if shape is None:
        return None
    names = [str(size) for size in shape]
    settled = [machine.settled[each] for each in names if each in machine.settled]
    channels = any(varies(each) is False for each in settled)
    return tuple(
        machine.settled[each] if each in machine.settled else _vary(size) if channels else size
        for each, size in zip(names, shape, strict=True)
    )


def name_axis(machine: Machine, name: str, axis: int) -> Dim:
    """The size of an input of which no more than the axis is known."""
    size = make_symbol(f"{name}.{axis}", None)
    return machine.settled.get(str(size), size)


def settle_cut(machine: Machine, bound: Value) -> None:
    """`self.table[:, : x.size(1)]`: a table that is cut to a size is there because that varies."""
    _settle_varying(machine, bound)


def settle_tokens(machine: Machine, ids: Tensor) -> None:
    """An input whose items are looked up: who asks how many stand side by side has tokens, of any number.

    So has one of which a loop looks up a step at a time, up to its size.
    """
    axis = f"{ids.name}.1"
    if ids.origin == "input" and (ids.shape is None or len(ids.shape) == 2):
        machine.settled.setdefault(axis, make_symbol(axis))
    elif ids.shape is not None and len(ids.shape) == 1:
        for each in machine.ranged & {f"{held.removeprefix('input ')}.1" for held in ids.memory}:
            machine.settled.setdefault(each, make_symbol(each))


def settle_named(machine: Machine, name: str, value: Value) -> None:
    """`seq_len = x.size(1)`: an axis behind the batch that code calls a length varies."""
    size = value.size if isinstance(value, Number) and not value.data else None
    symbol = _open_symbol(size) if size is not None else None
    owner, _, axis = symbol.name.rpartition(".") if symbol is not None else ("", "", "")
    if owner and axis == "1" and (name in _SHORT or _LENGTH.fullmatch(name)):
        machine.timed.add(owner)
        _settle_varying(machine, value)


_SHORT = ("t", "T", "l", "L")
"""Letters that stand for a length."""


def settle_turns(machine: Machine, test: Value) -> None:
    """`while start < x.shape[1]`: an axis that a loop goes along is as long as the input has it."""
    for asked in test.asked if isinstance(test, Number) else ():
        for side in (asked.left, asked.right):
            _settle_varying(machine, side)


def settle_most(machine: Machine, test: Value, holds: bool) -> None:
    """`assert x.shape[1] <= self.most`: an axis that may be shorter than a model allows varies."""
    for asked in test.asked if isinstance(test, Number) else ():
        if asked.operator in ("<", "<=", ">", ">="):
            left_is_less = asked.operator.startswith("<") is holds
            _settle_varying(machine, asked.left if left_is_less else asked.right)


def settle_steps(machine: Machine, shape: Sequence[Dim], index: Sequence[Value]) -> None:
    """`for t in range(x.size(1)): x[:, t]` of images or of more: who steps along an axis has any number of steps."""
    ranged = len(shape) > _STEPPED and len(index) > 1 and str(shape[1]) in machine.ranged
    if ranged and index[0] == Slice(NONE, NONE, NONE) and isinstance(index[1], Number):
        _settle_varying(machine, make_number(shape[1]))


_STEPPED = 3
"""Axes of which the last may be the channels."""


def is_open(size: Dim | None) -> bool:
    """Whether it is the size of an input of which it cannot be told whether that varies."""
    return size is not None and _open_symbol(size) is not None


def settle_parts(machine: Machine, cut: Called) -> None:
    """`for part in x.split(64, dim=1)`: an axis of which nobody counts the parts varies."""
    held, axis = cut.positional[0] if cut.positional else None, cut.arguments.get("dim")
    shape = held.shape if isinstance(held, Tensor) else None
    place = axis.value if isinstance(axis, Constant) else None
    if shape is not None and isinstance(place, int) and -len(shape) <= place < len(shape):
        _settle_varying(machine, make_number(shape[place]))
    elif isinstance(held, Tensor) and held.ranked_as and place in (1, -2):
        teach_width(machine, held.ranked_as, name_sides(held.ranked_as, 3, (), (1,)))


def _settle_varying(machine: Machine, value: Value) -> None:
    """A number that is the size of an open axis of an input: it varies, from now on."""
    size = value.size if isinstance(value, Number) and not value.data else None
    symbol = _open_symbol(size) if size is not None else None
    if symbol is not None and "." in symbol.name:
        machine.settled.setdefault(symbol.name, make_symbol(symbol.name))


def _vary(size: Dim) -> Dim:
    return size if _open_symbol(size) is None else make_symbol(str(size))


def _open_symbol(size: Dim) -> Symbol | None:
    """The symbol that a size is, where it cannot be told whether that varies."""
    if isinstance(size, int) or len(size.terms) != 1:
        return None
    product, factor = size.terms[0]
    only = product[0] if len(product) == factor == 1 else None
    return only if isinstance(only, Symbol) and only.varies is None else None
