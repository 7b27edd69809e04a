"""What a model is fed gets the channels or features that its error asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod

from lintorch.guest.feed.fix_rank import change_rank
from lintorch.guest.feed.fix_sides import double_cut_axis, equalise_sizes, scale_sides
from lintorch.guest.feed.guess_inputs import SPATIAL, Guess, find_numbers
from lintorch.guest.feed.resize_axis import replace_size, scale_channels

_MOST_CONSTANT = 2
"""Channels that a model puts beside its inputs itself: ones, coordinates."""
_OF_ONE_CHANNEL = re.compile(r"(?:^|_)(?:masks?|edges?|trimaps?|holes?|alphas?|mattes?)(?:$|_|\d)")
"""Names of what is as large as an image and has one channel."""


def fix_conv_channels(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """`want` channels instead of `got`, of the input itself or in proportion."""
    want, got = find_numbers(match)[-2:]
    yield from _make_signals(guess, got, want)
    yield from _narrow_masks(guess)
    yield from _put_channels_first(guess, got, want)
    yield from replace_size(guess, got, want, axis=1)
    yield from _fill_up_channels(guess, got, want)
    yield from _leave_constant(guess, got, want)
    yield from _narrow_joined(guess, got, want)
    yield from _put_channels_last(guess, got, want)
    yield from _widen_last_axis(guess, got, want)
    yield from scale_channels(guess, got, want)
    yield from _leave_one_of_each(guess, got, want)
    yield from _fill_up_frames(guess, got, want)
    yield from _add_cut_channels(guess, got, want)


def _leave_one_of_each(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """One of an axis that was made part of the samples before, and of the channels after: persons, `x.view(n, -1, t, v)`."""
    times, rest = divmod(got, want)
    for name, size in guess.sizes.items():
        if size == times > 1 and not rest and name != "batch" and name not in SPATIAL:
            yield guess.with_sizes(**{name: 1})


def _fill_up_frames(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where frames are joined with a state, of which nothing is fed: the rest of the channels, on the axis behind the steps."""
    for number, given in enumerate(guess.inputs):
        held = given.shape[2] if len(given.shape) == 5 else 0
        if isinstance(held, int) and 0 < held < got and held + want - got > 0:
            yield guess.with_size(number, 2, held + want - got)


def _narrow_masks(guess: Guess) -> Iterator[Guess]:
    """Beside an image, all that is called a mask, edges or the like has one channel."""
    wide = [
        number
        for number, given in enumerate(guess.inputs)
        if _OF_ONE_CHANNEL.search(given.name) and len(given.shape) > 3 and given.shape[1] != 1
    ]
    narrowed = guess
    for number in wide:
        narrowed = narrowed.with_size(number, 1, 1)
    if 0 < len(wide) < len(guess.inputs):
        yield narrowed


def _add_cut_channels(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where the channels are what a slice left of an input, as `x[:, 3:]`: what it cut off comes on top."""
    for number, given in enumerate(guess.inputs):
        have = guess.size_along(given, 1) if len(given.shape) > 2 else 0
        if have > got and isinstance(given.shape[1], int):
            yield guess.with_size(number, 1, have - got + want)


def _fill_up_channels(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where the channels of all inputs are put together, with a constant or not: one, the last first, makes up the rest."""
    held = [guess.size_along(given, 1) for given in guess.inputs if len(given.shape) > 1]
    if (
        len(held) < 2
        or len(held) != len(guess.inputs)
        or not 0 <= got - sum(held) <= _MOST_CONSTANT
    ):
        return
    for number in reversed(range(len(held))):
        if held[number] + want - got > 0 and guess.inputs[number].shape[1] != "sequence":
            yield guess.with_size(number, 1, held[number] + want - got)


def _leave_constant(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where a constant stands beside the channels of one input, coordinates or ones: the rest of them."""
    for number, given in enumerate(guess.inputs):
        have = given.shape[1] if len(given.shape) > 3 else 0
        if isinstance(have, int) and 0 < have < got <= have + _MOST_CONSTANT < want:
            yield guess.with_size(number, 1, have + want - got)


def _narrow_joined(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where an input is joined with maps made of others, skips of a decoder: the channels that they leave it."""
    for number, given in enumerate(guess.inputs if len(guess.inputs) > 2 else ()):
        have = given.shape[1] if len(given.shape) > 3 else 0
        if isinstance(have, int) and 0 < have + want - got < have < got:
            yield guess.with_size(number, 1, have + want - got)


def _make_signals(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Beside another input, a row for each sample that a convolution took for one sample becomes a signal."""
    for number, given in enumerate(guess.inputs if len(guess.inputs) > 1 else ()):
        if len(given.shape) == 2 and guess.size_along(given, 0) == got:
            yield guess.with_input(number, replace(given, shape=(given.shape[0], want, "length")))


def _put_channels_first(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where the sizes were taken for channels: they stand behind."""
    for number, given in enumerate(guess.inputs):
        batch, *rest = given.shape or ("",)
        *names, last = rest or ("",)
        stands_last = names and isinstance(last, int) and all(isinstance(n, str) for n in names)
        if stands_last and guess.size_along(given, 1) == got:
            turned = ["length"] if names == ["sequence"] else names
            yield guess.with_input(number, replace(given, shape=(batch, want, *turned)))


def _put_channels_last(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where the last axis was turned to be the channels: it gets them, and all others the sizes.

    Several inputs that are alike may all be so: series of values, of times, of what is foretold.
    """
    turned = {}
    for number, given in enumerate(guess.inputs):
        batch, *rest = given.shape or ("",)
        if len(rest) > 1 and isinstance(rest[0], int) and guess.size_along(given, -1) == got:
            turned[number] = replace(given, shape=(batch, *rest[1:], want))
    if len(turned) > 2 and len({guess.inputs[number].shape for number in turned}) == 1:
        yield guess.with_inputs(tuple(turned.get(n, g) for n, g in enumerate(guess.inputs)))
    for number, other in turned.items():
        yield guess.with_input(number, other)


def _widen_last_axis(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where steps stand before the channels already, and forward turns them: a series, an embedding of values."""
    for number, given in enumerate(guess.inputs):
        is_series = len(given.shape) > 2 and isinstance(given.shape[1], str)
        if is_series and given.shape[-1] == got:
            yield guess.with_size(number, -1, want)


def fix_batch_norm(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A batch norm met `got` channels where it keeps statistics of `want`, on axis 1 or the last."""
    got, want = find_numbers(match)[:2]
    yield from replace_size(guess, got, want, axis=1)
    yield from replace_size(guess, got, want, axis=-1)
    for name, size in guess.sizes.items():  # channels and places were made one axis
        if name != "batch" and size * want % got == 0 and size != got:
            yield guess.with_sizes(**{name: size * want // got})


def fix_group_norm(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The message tells how many weights a group norm has, then the shape that it met."""
    want, *shape = find_numbers(match)
    yield from replace_size(guess, shape[1], want, axis=1)


def fix_channels_per_group(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The message tells the shape, then into how many groups its channels go: two channels for each."""
    *shape, groups = find_numbers(match)
    yield from replace_size(guess, shape[1], 2 * groups, axis=1)


_WIDEST_SCALED = 1024
"""Numbers of a row that convolutions have made narrower, at most."""
_MOST_BESIDE = 4
"""Rows that are put beside each other before a linear layer."""


def fix_linear_features(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A linear layer met `got` features where it takes `want`."""
    got, want = find_numbers(match)[1:3]
    yield from _take_sample_alone(guess, int(match[1]), got, want)
    yield from _shorten_flattened(guess, got, want)
    yield from _share_features(guess, got, want)
    yield from replace_size(guess, got, want, axis=-1)
    yield from _fill_up_vector(guess, got, want)
    if len(guess.inputs) > 1:
        yield from _put_channels_first(guess, got, want)
    for number, given in enumerate(guess.inputs):
        if len(given.shape) == 3 and guess.size_along(given, 1) == got:
            yield guess.with_size(number, 1, want)
    if len(guess.inputs) > 1:
        yield from _put_channels_last(guess, got, want)
    yield from _scale_last_axis(guess, got, want)
    yield from scale_sides(guess, got, want)
    yield from _fill_up_features(guess, got, want)
    yield from change_rank(guess, 2, want)


def _scale_last_axis(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where a row is put beside others as wide, of both ends of an edge: its share of what is wanted; else as much wider."""
    for number, given in enumerate(guess.inputs if got != want else ()):
        have = guess.size_along(given, -1) if len(given.shape) > 2 else 0
        times = got // have if have and got % have == 0 else 0
        wider = have * want // got if len(given.shape) == 3 and have * want % got == 0 else 0
        if 1 < times <= _MOST_BESIDE and want % times == 0:
            yield guess.with_size(number, -1, want // times)
        elif 0 < wider <= _WIDEST_SCALED:
            yield guess.with_size(number, -1, wider)


def _take_sample_alone(guess: Guess, rows: int, got: int, want: int) -> Iterator[Guess]:
    """One sample, where all of them were made one row: `x.view(1, -1)`."""
    batch = guess.sizes.get("batch", 1)
    if rows == 1 and batch > 1 and got == batch * want:
        alone = (
            replace(g, shape=tuple(1 if n == "batch" else n for n in g.shape)) for g in guess.inputs
        )
        yield guess.with_inputs(tuple(alone))


def _shorten_flattened(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """A vector in place of an input beside the first that was flattened as it is."""
    for number, given in enumerate(guess.inputs):
        numbers = prod(guess.size_along(given, axis) for axis in range(1, len(given.shape)))
        if number and len(given.shape) > 2 and numbers == got:
            yield guess.with_input(number, replace(given, shape=(given.shape[0], want)))


def _share_features(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where all inputs, or the first ones, are put together: each takes its share, the first what is left over."""
    for count in range(len(guess.inputs), 1, -1):
        joined = guess.inputs[:count]
        alike = len({len(given.shape) for given in joined}) == 1 and len(joined[0].shape) > 1
        if not alike or any(given.shape[-1] == "sequence" for given in joined):
            continue
        if want < count or sum(guess.size_along(given, -1) for given in joined) != got:
            continue
        share, shared = want // count, guess
        for number in range(count):
            width = share if number else want - share * (count - 1)
            shared = shared.with_size(number, -1, width)
        yield shared


def _fill_up_vector(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Beside words, or what has more axes, a vector a sample makes up the difference: of a speaker, a class."""
    for number, given in enumerate(guess.inputs if guess.inputs[1:] else ()):
        samples, width = given.shape if len(given.shape) == 2 else (0, 0)
        is_vector = given.dtype == "float32" and samples == "batch" and type(width) is int
        others = (each for each in guess.inputs if each is not given)
        beside = any(each.dtype == "int64" or len(each.shape) > 2 for each in others)
        if is_vector and beside and (wider := guess.size_along(given, 1) + want - got) > 0:
            yield guess.with_size(number, 1, wider)


def _fill_up_features(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Where what comes of an input, or of the rest of it, is put beside something: it makes up the difference.

    The last input first.
    """
    for number in reversed(range(len(guess.inputs))):
        given = guess.inputs[number]
        width = guess.size_along(given, -1) + want - got if len(given.shape) > 1 else 0
        if width > 0 and isinstance(given.shape[-1], int):
            yield guess.with_size(number, -1, width)


def fix_last_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """`want` on the last axis instead of `got`, as recurrent layers say it."""
    want, got = find_numbers(match)[:2]
    yield from replace_size(guess, got, want, axis=-1)
    yield from _take_row_alone(guess, got, want)


def _take_row_alone(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """One row of `want`, where all samples and steps were made one: `x.view(1, 1, -1)`."""
    for number, given in enumerate(guess.inputs if got % want == 0 else ()):
        numbers = prod(guess.size_along(given, axis) for axis in range(len(given.shape)))
        if numbers == got and given.shape != (1, want):
            yield guess.with_input(number, replace(given, shape=(1, want)))


def fix_split(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """As many along an axis as the parts have together that it is split into."""
    got, axis = int(match[1]), int(match[2])
    want = sum(int(number) for number in re.findall(r"\d+", match[3]))
    yield from replace_size(guess, got, want, axis=axis)


def fix_product(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Rows of one batch of matrices as wide as the other is high; also where they are what was cut off of wider ones."""
    got, want = (int(number) for number in match.groups())
    yield from double_cut_axis(guess, got, want)
    yield from equalise_sizes(guess, match)
    for number, given in enumerate(guess.inputs):
        have = guess.size_along(given, -1) if len(given.shape) > 2 else 0
        if have > got:
            yield guess.with_size(number, -1, have - got + want)


def fix_cell_features(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """`want` features of one step instead of `got`, as recurrent cells say it: also those of an image that was flattened."""
    got, want = find_numbers(match)[:2]
    yield from replace_size(guess, got, want, axis=-1)
    yield from scale_sides(guess, got, want)
    yield from _fill_up_features(guess, got, want)


def fix_layer_norm(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A layer norm over the axes `want` met the shape `got`, with its width last or on axis 1."""
    want = [int(n) for n in re.findall(r"\d+", match[1])]
    got = [int(n) for n in re.findall(r"\d+", match[2])]
    yield from replace_size(guess, got[-1], want[-1], axis=-1)
    if len(got) > 1:
        yield from replace_size(guess, got[1], want[-1], axis=1)
    yield from change_rank(guess, 3, want[-1])


def fix_prelu(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A slope for each of `want` channels met `got`, which may be what a side has become."""
    want, got = find_numbers(match)[:2]
    sides = [name for name, size in guess.sizes.items() if size == got and name != "batch"]
    yield from (guess.with_sizes(**{name: want}) for name in sides)
    yield from replace_size(guess, got, want, axis=1)
    yield from replace_size(guess, got, want, axis=-1)
    yield from scale_sides(guess, got, want)
