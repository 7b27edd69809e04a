"""Reads the error of a model that was fed wrongly, and changes what it is fed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lintorch.guest.feed.fix_channels import (
    channels,
    features,
    group_norm,
    groups,
    last,
    normalized,
    vector,
)
from lintorch.guest.feed.fix_dtype import fraction, lower, whole
from lintorch.guest.feed.fix_rank import first_rank, more_axes, rank, second_rank
from lintorch.guest.feed.fix_sides import (
    bigger,
    divided,
    reshaped,
    sized,
    sizes_differ,
    sizes_joined,
    too_small,
)
from lintorch.guest.feed.guess_inputs import Guess

Repair = Callable[[Guess, re.Match[str]], Iterator[Guess]]


def repairs(guess: Guess, message: str) -> Iterator[Guess]:
    """Other inputs that the message suggests, the most likely first."""
    for pattern, repair in _TABLE:
        if match := pattern.search(message):
            yield from repair(guess, match)


_TABLE: tuple[tuple[re.Pattern[str], Repair], ...] = tuple(
    (re.compile(pattern), repair)
    for pattern, repair in (
        (r"to have (\d+) channels, but got (\d+) channels", channels),
        (r"running_mean should contain (\d+) elements not (\d+)", vector),
        (r"got weight of shape \[(\d+)\] and input of shape \[([\d, ]+)\]", group_norm),
        (r"but got input of shape \[([\d, ]+)\] and num_groups=(\d+)", groups),
        (r"cannot be multiplied \((\d+)x(\d+) and (\d+)x\d+\)", features),
        (r"Expected (\d+), got (\d+)$", last),
        (
            r"expected input with shape \[\*, ([\d, ]+)\], but got input of size ?\[([\d, ]+)\]",
            normalized,
        ),
        (r"Got (\d)D input, but \w+ mode needs (\d)D", second_rank),
        (r"[Ee]xpected (\d)D \(unbatched\) or (\d)D \(batched\)", rank),
        (r"[Ee]xpected (?:input to be )?(\d)-?D or (\d)-?D", rank),
        (r"should be a (\d)d-array", first_rank),
        (r"[Ee]xpected (\d)-?D (?:input|tensor|\(got)", first_rank),
        (r"expected (\d)[Dd],? (?:but )?got", first_rank),
        (r"unpack \(expected (\d)", first_rank),
        (r"Expected (\d) dimensions, got (\d)", first_rank),
        (r"Wrong shape: expected (\d) dims", first_rank),
        (r"input\.dim\(\) = (\d) is not equal to len\(dims\) = (\d)", second_rank),
        (r"expected to be in range of \[(-?\d+), \d+\], but got (-?\d+)", more_axes),
        (r"to have one of the following scalar types: Long", whole),
        (
            r"(?:expected|type) (?:scalar type )?Long|must be long|int64 indices|class indices|dtype: Long",
            whole,
        ),
        (r"used as indices must be|only (?:integer|Long)|one_hot is only applicable", whole),
        (
            r"expected scalar type Float|long int != float|float != long|Input type \(long|not implemented for '(?:Long|Int|Bool)'",
            fraction,
        ),
        (
            r"must be floating|floating point (?:type|dtype)|Input type \(torch.LongTensor\)|Got Long",
            fraction,
        ),
        (r"index out of range|out of bounds|is out of range", lower),
        (r"can't divide axis of length (\d+) in chunks of (\d+)", divided),
        (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)", sizes_differ),
        (r"(?:must|should|expected|doesn't match)\D{0,40}?(\d{2,4}) ?[x*×,] ?(\d{2,4})", sized),
        (r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)", reshaped),
        (r"length\D{0,14}(\d+),? but (?:found|got)\D{0,12}(\d+)", sizes_differ),
        (r"Expected size (\d+) but got size (\d+)", sizes_joined),
        (r"Given input size: \(([\dx]+)\). Calculated output size: \(([\dx]+)\)", too_small),
        (
            r"(?:too small|can't be greater|smaller than|should be less than|at least|larger than|nonzero|non-?empty|greater than)",
            bigger,
        ),
    )
)
