"""Reads the error of a model that was fed wrongly, and changes what it is fed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from lintorch.models.guess import SIDES, Guess
from lintorch.trace.record import Input

Repair = Callable[[Guess, re.Match[str]], Iterator[Guess]]
_SPATIAL = ("depth", "height", "width")
_RUNNING = ("sequence", "length")
_LENGTHS = (16, 32, 64, 128, 256, 1024)


def repairs(guess: Guess, message: str) -> Iterator[Guess]:
    """Other inputs that the message suggests, the most likely first."""
    for pattern, repair in _TABLE:
        if match := pattern.search(message):
            yield from repair(guess, match)


def other_sizes(guess: Guess, message: str) -> Iterator[Guess]:
    """The same inputs at sizes that the message names, or that are common."""
    yield from _numbers_named(guess, message)
    yield from _other_sides(guess)


def _numbers(match: re.Match[str]) -> list[int]:
    return [int(number) for group in match.groups() for number in re.findall(r"\d+", group or "")]


def _channels(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """`want` channels instead of `got`, of the input itself or in proportion."""
    want, got = _numbers(match)[-2:]
    yield from _swapped(guess, got, want, axis=1)
    yield from _scaled(guess, got, want)


def _scaled(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    """Channels in proportion, where `got` was worked out from them: of all inputs, then of each."""
    together = guess
    for number, given in enumerate(guess.inputs):
        have = guess.size(given, 1) if len(given.shape) > 1 else 0
        if have and have * want % got == 0 and isinstance(given.shape[1], int):
            together = together.with_size(number, 1, have * want // got)
    if together != guess:
        yield together
    for number, given in enumerate(guess.inputs):
        have = guess.size(given, 1) if len(given.shape) > 1 else 0
        if have and have != got and have * want % got == 0 and isinstance(given.shape[1], int):
            yield guess.with_size(number, 1, have * want // got)


def _vector(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    got, want = _numbers(match)[:2]
    yield from _swapped(guess, got, want, axis=1)
    yield from _swapped(guess, got, want, axis=-1)


def _group_norm(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want, *shape = _numbers(match)
    yield from _swapped(guess, shape[1], want, axis=1)


def _groups(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    *shape, groups = _numbers(match)
    yield from _swapped(guess, shape[1], 2 * groups, axis=1)


def _features(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A linear layer met `got` features where it takes `want`."""
    got, want = _numbers(match)[1:3]
    yield from _swapped(guess, got, want, axis=-1)
    for number, given in enumerate(guess.inputs):
        if len(given.shape) == 3 and guess.size(given, 1) == got:
            yield guess.with_size(number, 1, want)
    yield from _in_proportion(guess, got, want)
    yield from _at_rank(guess, 2, want)


def _in_proportion(guess: Guess, got: int, want: int) -> Iterator[Guess]:
    sides = {n: size for n, size in guess.sizes.items() if n in _SPATIAL}
    root = round((want / got) ** (1 / max(1, len(sides))), 6)
    grown = {name: round(size * root) for name, size in sides.items()}
    if sides and max(grown.values()) <= 1024 and min(grown.values()) > 0:
        yield guess.resized(**grown)
    for name in _RUNNING:
        length = guess.sizes.get(name, 0) * want / got
        if 1 <= length <= 8192:
            yield guess.resized(**{name: round(length)})


def _last(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want, got = _numbers(match)[:2]
    yield from _swapped(guess, got, want, axis=-1)


def _normalized(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    want = [int(n) for n in re.findall(r"\d+", match[1])]
    got = [int(n) for n in re.findall(r"\d+", match[2])]
    yield from _swapped(guess, got[-1], want[-1], axis=-1)
    if len(got) > 1:
        yield from _swapped(guess, got[1], want[-1], axis=1)
    yield from _at_rank(guess, 3, want[-1])


def _rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    yield from _at_rank(guess, max(_numbers(match)[:2] if match.re.groups > 1 else _numbers(match)))


def _first_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    yield from _at_rank(guess, _numbers(match)[0])


def _second_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    yield from _at_rank(guess, _numbers(match)[1])


def _more_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    lowest, wanted = int(match[1]), int(match[2])
    yield from _at_rank(guess, max(-lowest, wanted + 1 if wanted >= 0 else -wanted))


def _at_rank(guess: Guess, rank: int, channels: int = 0) -> Iterator[Guess]:
    """The inputs that have another rank, each at this rank; all of them, then one by one."""
    wrong = [n for n, given in enumerate(guess.inputs) if len(given.shape) != rank]
    for numbers in [wrong, *([n] for n in wrong if len(wrong) > 1)]:
        for shape in _shapes(rank, channels or (guess.channels() if numbers else 0)):
            changed = guess
            for number in numbers:
                changed = changed.with_input(number, replace(guess.inputs[number], shape=shape))
            if numbers:
                yield changed


def _shapes(rank: int, channels: int) -> Iterator[tuple[int | str, ...]]:
    if rank == 1:
        yield ("batch",)
    elif rank == 2:
        yield ("batch", channels)
    elif rank == 3:
        yield ("batch", "sequence", channels)
        yield ("batch", channels, "length")
    elif rank == 4:
        yield ("batch", channels, "height", "width")
        yield ("batch", "height", "width", channels)
    elif rank == 5:
        yield ("batch", channels, "depth", "height", "width")
        yield ("batch", 4, channels, "height", "width")


def _whole(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Whole numbers where fractions were given."""
    wrong = [n for n, given in enumerate(guess.inputs) if given.dtype.startswith("float")]
    for numbers in [*([n] for n in wrong), *([wrong] if len(wrong) > 1 else [])]:
        for shape in (("batch", "sequence"), None):
            changed = guess
            for number in numbers:
                given = guess.inputs[number]
                ids = Input(given.name, "int64", shape or given.shape, 0, 2)
                changed = changed.with_input(number, ids)
            yield changed


def _fraction(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Fractions where whole numbers were given."""
    wrong = [n for n, given in enumerate(guess.inputs) if not given.dtype.startswith("float")]
    for numbers in [*([n] for n in wrong), *([wrong] if len(wrong) > 1 else [])]:
        changed = guess
        for number in numbers:
            given = guess.inputs[number]
            changed = changed.with_input(number, Input(given.name, "float32", given.shape))
        yield changed


def _lower(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Smaller whole numbers, then shorter sequences."""
    for high in (8, 2, 1):
        lowered = tuple(
            replace(given, high=high) if given.high > high else given for given in guess.inputs
        )
        if lowered != guess.inputs:
            yield replace(guess, inputs=lowered)
    if guess.sizes.get("sequence", 0) > 4:
        yield guess.resized(sequence=guess.sizes["sequence"] // 2)


def _sizes_differ(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Two sizes that must be one: positions learned for another size, or inputs that must agree."""
    one, other = _numbers(match)[:2]
    for got, want in ((one, other), (other, one)):
        for name, size in guess.sizes.items():
            if size == got and name != "batch":
                yield guess.resized(**{name: want})
            elif size + 1 == got and want > 1 and name != "batch":
                yield guess.resized(**{name: want - 1})
        yield from _swapped(guess, got, want, axis=-1)
        yield from _swapped(guess, got, want, axis=1)
        yield from _scaled(guess, got, want)
    for got, want in ((one, other), (one - 1, other - 1)):
        if got > 0 and want > 0:
            yield from _in_proportion(guess, got, want)


def _bigger(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    grown = {n: s * 2 for n, s in guess.sizes.items() if n in _SPATIAL and s < 512}
    longer = {n: s * 4 for n, s in guess.sizes.items() if n in _RUNNING and s < 16384}
    if grown or longer:
        yield guess.resized(**grown, **longer)


def _other_sides(guess: Guess) -> Iterator[Guess]:
    """Sides and lengths that models are commonly made for."""
    names = [name for name in guess.sizes if name in _SPATIAL]
    if names:
        most = 128 if "depth" in names else 1024
        for side in SIDES:
            if side <= most and any(guess.sizes[name] != side for name in names):
                yield guess.resized(**dict.fromkeys(names, side))
    for name in _RUNNING:
        if name in guess.sizes:
            for length in _LENGTHS:
                yield guess.resized(**{name: length})


def _numbers_named(guess: Guess, message: str) -> Iterator[Guess]:
    """Sides that the message names."""
    names = [name for name in guess.sizes if name in _SPATIAL]
    for number in dict.fromkeys(map(int, re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", message))):
        if names and 8 <= number <= 1024 and number not in guess.sizes.values():
            yield guess.resized(**dict.fromkeys(names, number))


def _swapped(guess: Guess, got: int, want: int, axis: int) -> Iterator[Guess]:
    """Inputs of `got` along an axis get `want` there: all of them, then one by one."""
    found = [
        n
        for n, given in enumerate(guess.inputs)
        if len(given.shape) > 1 and guess.size(given, axis) == got
    ]
    for numbers in [found, *([n] for n in found if len(found) > 1)]:
        changed = guess
        for number in numbers:
            changed = changed.with_size(number, axis, want)
        if numbers and want > 0:
            yield changed


_TABLE: tuple[tuple[re.Pattern[str], Repair], ...] = tuple(
    (re.compile(pattern), repair)
    for pattern, repair in (
        (r"to have (\d+) channels, but got (\d+) channels", _channels),
        (r"running_mean should contain (\d+) elements not (\d+)", _vector),
        (r"got weight of shape \[(\d+)\] and input of shape \[([\d, ]+)\]", _group_norm),
        (r"but got input of shape \[([\d, ]+)\] and num_groups=(\d+)", _groups),
        (r"cannot be multiplied \((\d+)x(\d+) and (\d+)x\d+\)", _features),
        (r"Expected (\d+), got (\d+)$", _last),
        (
            r"expected input with shape \[\*, ([\d, ]+)\], but got input of size ?\[([\d, ]+)\]",
            _normalized,
        ),
        (r"[Ee]xpected (\d)D \(unbatched\) or (\d)D \(batched\)", _rank),
        (r"[Ee]xpected (?:input to be )?(\d)-?D or (\d)-?D", _rank),
        (r"[Ee]xpected (\d)-?D (?:input|tensor|\(got)", _first_rank),
        (r"expected (\d)[Dd],? (?:but )?got", _first_rank),
        (r"unpack \(expected (\d)", _first_rank),
        (r"Expected (\d) dimensions, got (\d)", _first_rank),
        (r"Wrong shape: expected (\d) dims", _first_rank),
        (r"input\.dim\(\) = (\d) is not equal to len\(dims\) = (\d)", _second_rank),
        (r"expected to be in range of \[(-?\d+), \d+\], but got (-?\d+)", _more_axes),
        (r"to have one of the following scalar types: Long", _whole),
        (
            r"(?:expected|type) (?:scalar type )?Long|must be long|int64 indices|class indices|dtype: Long",
            _whole,
        ),
        (r"used as indices must be|only (?:integer|Long)|one_hot is only applicable", _whole),
        (
            r"expected scalar type Float|long int != float|float != long|Input type \(long|not implemented for '(?:Long|Int|Bool)'",
            _fraction,
        ),
        (
            r"must be floating|floating point (?:type|dtype)|Input type \(torch.LongTensor\)|Got Long",
            _fraction,
        ),
        (r"index out of range|out of bounds|is out of range", _lower),
        (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", _sizes_differ),
        (r"Expected size (\d+) but got size (\d+)", _sizes_differ),
        (
            r"(?:too small|can't be greater|smaller than|should be less than|at least|larger than|nonzero|non-?empty|greater than)",
            _bigger,
        ),
    )
)
