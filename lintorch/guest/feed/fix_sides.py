"""What a model is fed becomes as big as its error asks for, or as is common."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import isqrt, lcm, prod

from lintorch.guest.feed.guess_inputs import COMMON_SIDES, SPATIAL, Guess, find_numbers
from lintorch.guest.feed.resize_axis import replace_size, scale_channels

LENGTH_NAMES = ("sequence", "length")
"""Names of sizes along which a sequence runs."""
_LARGEST_FACTOR = 4
"""How many times one side alone is made as big, at most."""
_IMAGE_NAMES = re.compile(r"(\w+_)?(images?|imgs?|rgbs?|pictures?|photos?)")
"""Names of what has three channels where it is larger than maps beside it."""
_LEAST_SIDE, _LARGEST_SIDE = 8, 512
"""Pixels of a side that is made to fit another input, or patches."""
_WIDEST_SPLIT = 4096
"""Numbers of an axis that a view splits, at most."""
_LARGEST_SUGGESTED, _LARGEST_OF_VOLUME = 1024, 128
"""Pixels of a side that is tried for an image or a map, and for a volume."""
_BIGGEST_GROWN, _LONGEST_GROWN = 512, 16384
"""Pixels and steps from which on sizes are not made bigger just because they are too small."""
_LONGEST_SCALED = 65536
"""Steps of a length that is worked out from how many numbers are wanted."""
_MOST_GROUPED = 64
"""Samples that are made two groups of, at most."""
_ONE_AXIS = re.compile(r"Kernel size: \(\d+\)")
"""Of the message of a convolution over one axis that is larger than what it is given."""
_COMMON_LENGTHS = (16, 32, 64, 128, 256, 1024)
"""Steps of sequences that models are commonly made for, in the order they are tried."""


def suggest_sizes(guess: Guess, message: str) -> Iterator[Guess]:
    """The same inputs at sizes that the message names, or that are common."""
    yield from _take_named_numbers(guess, message)
    yield from _vary_sides(guess)


def equalise_sizes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Two sizes that must be one: positions learned for another size, or inputs that must agree."""
    one, other = find_numbers(match)[:2]
    yield from _spread_masks(guess)
    yield from double_cut_axis(guess, one, other)
    yield from _share_length(guess, one, other)
    yield from _scale_one_image(guess, one, other)
    yield from _share_joined_axes(guess, one, other)
    yield from _part_lengths(guess, one, other)
    for got, want in ((one, other), (other, one)):
        for name, size in guess.sizes.items():
            if size == got and name != "batch":
                yield guess.with_sizes(**{name: want})
            elif size + 1 == got and want > 1 and name != "batch":
                yield guess.with_sizes(**{name: want - 1})
        yield from replace_size(guess, got, want, axis=-1)
        yield from replace_size(guess, got, want, axis=1)
        if want > 1:  # as in `frames[:, 1:]`
            yield from replace_size(guess, got + 1, want + 1, axis=1)
        yield from scale_channels(guess, got, want)
    yield from _drop_last_axis(guess, one, other)
    if guess.sizes.get("batch", 1) > 1 and guess.sizes["batch"] in (one, other):
        yield guess.with_sizes(batch=1)
    steps = guess.sizes.get("sequence", 0)
    exact = min(one, other) > 1 and steps * one % other == 0 < steps
    back = [(other, one)] if "length" in guess.sizes or exact else []
    pairs = sorted([(one, other), *back], key=lambda pair: pair[0] > pair[1])
    last = [(other, one)] if min(one, other) > 1 and not back and steps else []  # `n + n // 4 + 1`
    for got, want in (*pairs, (one - 1, other - 1), *last):  # a signal is rather too short
        if got > 0 and want > 0:
            yield from scale_sides(guess, got, want)


def double_cut_axis(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Where a cut left nothing of the second half of an axis, `x[:, n:]`: that axis twice as large, of fractions first."""
    numbered = sorted(enumerate(guess.inputs), key=lambda pair: pair[1].dtype.startswith("int"))
    for number, given in numbered if 0 in (one, other) else ():
        for axis in (-1, 1):
            if len(given.shape) > 1 and guess.size_along(given, axis) == one + other:
                yield guess.with_size(number, axis, 2 * (one + other))


def _drop_last_axis(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """One number where a row stood that is as wide as one of the sizes, beside what is looked up: `value[:, i] * table(index[:, i])`."""
    looked_up = any(given.dtype == "int64" for given in guess.inputs)
    for number, given in enumerate(guess.inputs if looked_up else ()):
        is_row = len(given.shape) > 2 and guess.size_along(given, -1) in (one, other)
        if is_row and given.dtype == "float32":
            yield guess.with_input(number, replace(given, shape=given.shape[:-1]))


def _spread_masks(guess: Guess) -> Iterator[Guess]:
    """A mask of words that is to meet what each head of attention, or each word, gives to the others."""
    for number, given in enumerate(guess.inputs):
        masks_words = given.dtype == "bool" and guess.inputs[0].dtype == "int64"
        if masks_words and (len(given.shape) == 2 or given.shape[1:-1] == (1,)):
            shape = (given.shape[0], 1, *given.shape[1:])
            yield guess.with_input(number, replace(given, shape=shape))


def _share_length(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Beside a signal, numbers for each of its steps: they are as many as it is long."""
    for got, want in ((one, other), (other, one)):
        names = [name for name in LENGTH_NAMES if guess.sizes.get(name) == want != got]
        for number, given in enumerate(guess.inputs if names and len(guess.inputs) > 1 else ()):
            batch, *rest = given.shape or ("",)
            if len(rest) == 2 and rest[0] == got and (rest[1] == names[0] or type(rest[1]) is int):
                last = got if rest[1] == names[0] else rest[1]
                yield guess.with_input(number, replace(given, shape=(batch, names[0], last)))


def _part_lengths(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Texts that have lengths of their own, a question beside a context: those that begin with one letter get another."""
    if any("int" not in given.dtype for given in guess.inputs):
        return
    groups: dict[str, list[int]] = {}
    for number, given in enumerate(guess.inputs):
        if "sequence" in given.shape and not given.longest:
            groups.setdefault(given.name[:1].lower(), []).append(number)
    for got, want in ((one, other), (other, one)):
        if guess.sizes.get("sequence") != got or not 1 < want != got or len(groups) != 2:
            continue
        for letter, numbers in groups.items():
            name = f"sequence_{letter}"
            parted = guess
            for number in numbers:
                given = guess.inputs[number]
                shape = tuple(name if size == "sequence" else size for size in given.shape)
                parted = parted.with_input(number, replace(given, shape=shape))
            yield parted.with_sizes(**{name: want})


def _share_joined_axes(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Where two sides were made one axis of another length: that of joints, two or three coordinates each."""
    sides = [guess.sizes.get(name, 0) for name in SPATIAL[1:]]
    for got, want in ((one, other), (other, one)):
        if prod(sides) == got > 0 and want > 0 and want % got and got % want:
            for small in (2, 3):
                if want % small == 0 and isqrt(want) ** 2 != want:
                    yield guess.with_sizes(height=want // small, width=small)


def _scale_one_image(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Beside another image, an image so many times as big or small: a hint, a mask, a depth map."""
    images = [n for n, given in enumerate(guess.inputs) if given.shape[-2:] == SPATIAL[1:]]
    for number in images if len(images) > 1 and one and other else ():
        given = guess.inputs[number]
        met = guess.size_along(given, -2) if len(guess.inputs) > 2 else one  # skips grow
        for got, want in sorted(((one, other), (other, one)), key=lambda pair: pair[0] != met):
            sides = tuple(guess.sizes[name] * want // got for name in SPATIAL[1:])
            if all(_LEAST_SIDE <= side <= _LARGEST_SIDE for side in sides) and want != got:
                grows = want > got and len(given.shape) == 4 and _IMAGE_NAMES.fullmatch(given.name)
                shape = (given.shape[0], 3, *sides) if grows else (*given.shape[:-2], *sides)
                yield guess.with_input(number, replace(given, shape=shape))


def equalise_joined_sizes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides in proportion to two that must be one, larger ones first, then whatever else could make them so."""
    one, other = find_numbers(match)[:2]
    less, more = sorted((one, other))
    if less > 0 and more > less and more % less == 0:
        yield from _scale_one_image(guess, one, other)
    for got, want in sorted(((one, other), (other, one)), key=lambda pair: pair[0] > pair[1]):
        sides = {n: round(s * want / max(1, got)) for n, s in guess.sizes.items() if n in SPATIAL}
        if (
            sides
            and min(sides.values()) >= _LEAST_SIDE
            and max(sides.values()) <= _LARGEST_SUGGESTED
        ):
            yield guess.with_sizes(**sides)
    yield from _leave_one_window(guess, one, other)
    yield from equalise_sizes(guess, match)


def _leave_one_window(guess: Guess, one: int, other: int) -> Iterator[Guess]:
    """Where a window that is to meet a whole sequence left several places, each of which became a sample."""
    batch, more = guess.sizes.get("batch", 0), max(one, other)
    if batch == min(one, other) and more > batch and more % batch == 0:
        for name in LENGTH_NAMES:
            if (length := guess.sizes.get(name, 0) - more // batch + 1) > 0:
                yield guess.with_sizes(**{name: length})


def take_one_sample(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One sample alone: code that is run on no more often takes the batch for something else."""
    if guess.sizes.get("batch", 1) > 1:
        yield guess.with_sizes(batch=1)


def enlarge_sizes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides twice and lengths four times as big; twice first where a window is larger than they are."""
    grown = {n: s * 2 for n, s in guess.sizes.items() if n in SPATIAL and s < _BIGGEST_GROWN}
    lengths = {n: s for n, s in guess.sizes.items() if n in LENGTH_NAMES and s < _LONGEST_GROWN}
    for times in (2, 4) if lengths and "output size" in match.string else (4,):
        if grown or lengths:
            longer = {name: times * size for name, size in lengths.items()}
            yield guess.with_sizes(**grown, **longer)
    if _ONE_AXIS.search(match.string):
        yield from _lengthen_steps(guess)


def _lengthen_steps(guess: Guess) -> Iterator[Guess]:
    """Four times the steps that stand before two further axes: poses and frames that forward flattens."""
    for number, given in enumerate(guess.inputs):
        if (
            len(given.shape) == 4
            and type(steps := given.shape[1]) is int
            and steps < _LONGEST_GROWN
        ):
            shape = (given.shape[0], "sequence", *given.shape[2:])
            named = guess.with_input(number, replace(given, shape=shape))
            yield named.with_sizes(sequence=4 * steps)


def enlarge_vanished_sides(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Twice the sides of which a layer left nothing, where the message tells them."""
    given, left = (re.findall(r"\d+", text)[1:] for text in match.groups())
    names = [name for name in SPATIAL if name in guess.sizes]
    gone = [name for name, size in zip(names, left, strict=False) if size == "0"]
    if len(names) == len(given) == len(left) and gone:
        for factor in (2, 4, 8):
            yield guess.with_sizes(**{name: guess.sizes[name] * factor for name in gone})


def outgrow_window(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides of a volume, so many times as big as the window of a pool is bigger than what is left of them."""
    left, window = ([*map(int, re.findall(r"\d+", text))] for text in match.groups())
    if len(left) == len(window) and all(left) and set(SPATIAL) <= guess.sizes.keys():
        pairs = zip(SPATIAL, left, window, strict=True)
        yield guess.with_sizes(
            **{name: -(-guess.sizes[name] * max(want, got) // got) for name, got, want in pairs}
        )


def fit_patches(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides that patches of this size fill: the next one up, then sixteen of them; steps that these and the earlier ones do.

    Where it is no side that is divided but what became of it, sides of thirty-two patches.
    """
    length, chunk = find_numbers(match)
    steps = [n for n in guess.sizes if n in LENGTH_NAMES and guess.sizes[n] == length]
    if steps and chunk and lcm(length, chunk) <= _LONGEST_GROWN:
        next_up = -(-length // chunk) * chunk
        yield guess.with_sizes(**dict.fromkeys(steps, next_up))
        yield guess.with_sizes(**dict.fromkeys(steps, lcm(length, chunk)))
    for number, given in enumerate(guess.inputs):
        folded = len(given.shape) > 2 and type(given.shape[-1]) is int
        if folded and length == guess.sizes.get("batch", 0) * guess.size_along(given, -1):
            yield guess.with_size(number, -1, chunk)  # samples and channels were one axis
    every = [name for name in guess.sizes if name in SPATIAL]
    sides = [name for name in every if guess.sizes[name] == length]
    if every and not sides and 32 * chunk <= _LARGEST_SIDE:
        yield guess.with_sizes(**dict.fromkeys(every, 32 * chunk))
    for fitting in (-(-length // chunk) * chunk, 16 * chunk) if sides and chunk else ():
        yield guess.with_sizes(**dict.fromkeys(sides, fitting))
        yield guess.with_sizes(**{sides[0]: fitting})


def take_named_sides(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The sides that the message asks for."""
    wanted = find_numbers(match)[:2]
    if {"height", "width"} <= guess.sizes.keys():
        yield guess.with_sizes(**dict(zip(("height", "width"), wanted, strict=True)))


def fit_view(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """As many numbers as a view needs."""
    want = prod(int(number) for number in re.findall(r"\d+", match[1]))
    if any(given.dtype == "bool" for given in guess.inputs):  # of each sample it picks others
        yield from take_one_sample(guess, match)
    yield from scale_sides(guess, int(match[2]), want)


def group_samples(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Samples enough for two groups, where a view makes none of them: `x.view(len(x) // 6, 6, -1)`."""
    grouped = 2 * int(match[1])
    if guess.sizes.get("batch", grouped) < grouped <= _MOST_GROUPED:
        yield guess.with_sizes(batch=grouped)


def fill_split_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The last axis as wide as a view splits it, `view(b, nodes, -1)`, or twice that: of one input, or of all."""
    want = prod(int(number) for number in re.findall(r"\d+", match[1])[1:])
    if not 1 < want <= _WIDEST_SPLIT:
        return
    wide = [n for n, given in enumerate(guess.inputs) if given.dtype.startswith("float")]
    for width in (want, 2 * want):
        everywhere = guess
        for number in wide:
            last = len(guess.inputs[number].shape) - 1
            if last > 0:
                yield guess.with_size(number, last, width)
                everywhere = everywhere.with_size(number, last, width)
        if len(wide) > 1:
            yield everywhere


def add_viewed_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Sides at which a view makes one row of each map; several vectors a sample, as many as it lacks numbers."""
    want, got = prod(map(int, re.findall(r"\d+", match[1]))), int(match[2])
    batch = guess.sizes.get("batch", 1)
    if got % batch == 0 and len([name for name in guess.sizes if name in SPATIAL]) == 2:
        yield from scale_sides(guess, got // batch, want)
    yield from _set_viewed_axis(guess, match)
    if got % batch or want % max(1, got // batch) or not 1 < want * batch // got <= _LARGEST_SIDE:
        return
    for number, given in enumerate(guess.inputs):
        several = want * batch // got
        if len(given.shape) == 2 and type(given.shape[1]) is int:
            shape = (given.shape[0], several, given.shape[1])
            yield guess.with_input(number, replace(given, shape=shape))
        if len(given.shape) == 4 and type(given.shape[1]) is int:  # frames, one behind the other
            yield guess.with_size(number, 1, several * given.shape[1])


def _set_viewed_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The number of a view to rows of so many, `view(-1, 80)`, along the last axis or that of channels, of fractions."""
    channels, *sides = (int(number) for number in match[1].split(","))
    if sides:
        for number, given in enumerate(guess.inputs):
            own = [guess.size_along(given, axis) for axis in range(2, len(given.shape))]
            if own == sides:
                yield guess.with_size(number, 1, channels)
        return
    for number, given in enumerate(guess.inputs):
        axes = {1, len(given.shape) - 1} if len(given.shape) > 2 else set()
        for axis in sorted(axes):
            wide = guess.with_size(number, axis, int(match[1]))
            yield wide.with_input(
                number, replace(wide.inputs[number], dtype="float32", low=0, high=0)
            )


def scale_sides(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Sizes that make `want` numbers out of `got`: all sides by the root, one side alone, a length."""
    if got < 1:
        return
    sides = {n: size for n, size in guess.sizes.items() if n in SPATIAL}
    root = round((want / got) ** (1 / max(1, len(sides))), 6)
    grown = {name: round(size * root) for name, size in sides.items()}
    if sides and max(grown.values()) <= _LARGEST_SUGGESTED and min(grown.values()) > 0:
        yield guess.with_sizes(**grown)
    if len(sides) > 1 and want % got == 0 and 0 < want // got <= _LARGEST_FACTOR:
        for name in list(sides)[:1]:
            yield guess.with_sizes(**{name: sides[name] * (want // got)})
    for name in LENGTH_NAMES:
        length = guess.sizes.get(name, 0) * want / got
        if 1 <= length <= _LONGEST_SCALED:
            yield guess.with_sizes(**{name: round(length)})


def _vary_sides(guess: Guess) -> Iterator[Guess]:
    """Sides and lengths that models are commonly made for."""
    names = [name for name in guess.sizes if name in SPATIAL]
    if names:
        most = _LARGEST_OF_VOLUME if "depth" in names else _LARGEST_SUGGESTED
        for side in COMMON_SIDES:
            if side <= most and any(guess.sizes[name] != side for name in names):
                yield guess.with_sizes(**dict.fromkeys(names, side))
    for name in LENGTH_NAMES:
        if name in guess.sizes:
            for length in _COMMON_LENGTHS:
                yield guess.with_sizes(**{name: length})


def _take_named_numbers(guess: Guess, message: str) -> Iterator[Guess]:
    """Sides that the message names."""
    names = [name for name in guess.sizes if name in SPATIAL]
    for number in dict.fromkeys(map(int, re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", message))):
        if (
            names
            and _LEAST_SIDE <= number <= _LARGEST_SUGGESTED
            and number not in guess.sizes.values()
        ):
            yield guess.with_sizes(**dict.fromkeys(names, number))
