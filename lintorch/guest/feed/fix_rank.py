"""What a model is fed gets as many axes as its error asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from math import prod

from lintorch.guest.feed.guess_inputs import Guess, find_numbers
from lintorch.guest.feed.guess_lengths import is_named_as_lengths, measure_samples
from lintorch.record.models import Input

_QUERIES = re.compile(r"quer(?:y|ies)|(?:^|_)tgt")
_OF_CAMERA = re.compile(r"camera|intrinsics?|(?:^|_)k(?:$|_|inv)|calib", re.IGNORECASE)
"""Names of the matrix that takes places in a camera's own room to those of its image."""
_SIZE_MET = re.compile(r"got input of size: \[([\d, ]+)\]")


def take_batched_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The higher of the two ranks that the message allows: the one with a batch.

    Where what it met has axes that forward gave it, as many fewer.
    """
    rank = max(find_numbers(match)[:2] if match.re.groups > 1 else find_numbers(match))
    met = _SIZE_MET.search(match.string)
    got = len(met[1].split(",")) if met else 0
    ranks = {len(given.shape) for given in guess.inputs}
    if got and got not in ranks:
        for own in sorted(ranks - {1}, reverse=True):
            yield from change_rank(guess, max(2, own + rank - got), got=own)
    else:
        yield from change_rank(guess, rank)


def take_first_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The rank that the message names first."""
    yield from change_rank(guess, find_numbers(match)[0])


def take_second_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The rank that the message names second; the first is the one it met."""
    got, want = find_numbers(match)[:2]
    ranks = {(len(g.shape), g.dtype) for g in guess.inputs}
    if (
        all(rank != got for rank, _ in ranks) and (got - 1, "int64") in ranks
    ):  # of what is looked up
        got, want = got - 1, want - 1
    yield from change_rank(guess, want, got=got)


def take_asserted_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The rank that an assertion asks of an argument by its name: `x.dim() == 3`; of all of other ranks, then of it."""
    rank = int(match[2])
    yield from change_rank(guess, rank)
    width = guess.first_fixed_size()
    shapes = list(_list_shapes(rank, width))
    for number, given in enumerate(guess.inputs):
        if given.name == match[1] and len(given.shape) != rank:
            yield from (guess.with_input(number, replace(given, shape=s)) for s in shapes)


def lose_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Fewer axes of one input, whose copies are counted along fewer: one a sample, then two."""
    for rank in (1, 2):
        for number, given in enumerate(guess.inputs):
            if len(given.shape) > rank:
                shorter = replace(given, shape=given.shape[:rank])
                yield guess.with_input(number, shorter)


def lose_expanded_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """As many axes fewer of one input as what became of it has too many for what it is expanded to."""
    less, more = sorted(find_numbers(match)[:2])
    for rank in sorted({len(given.shape) for given in guess.inputs}, reverse=True):
        if rank - (more - less) > 0:
            yield from change_rank(guess, rank - (more - less), got=rank)


def lose_rows(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One number a sample for an input beside the first whose samples are taken for as many rows as it has numbers."""
    less, more = sorted(find_numbers(match)[:2])
    for number, given in enumerate(guess.inputs):
        each = prod(guess.size_along(given, axis) for axis in range(1, len(given.shape)))
        if number and less and len(given.shape) > 1 and each > 1 and more == each * less:
            yield guess.with_input(number, replace(given, shape=given.shape[:1]))


def take_packed_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One axis more than a layer has to have of a packed batch: batch and steps are one there."""
    want, got = find_numbers(match)[:2]
    yield from change_rank(guess, want + 1, got=got + 1)


def fit_padded_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """So many axes more, or fewer, as what is padded has to have: a batch, channels and the padded ones."""
    sizes, got = find_numbers(match)[:2]
    for rank in sorted({len(given.shape) for given in guess.inputs}):
        if (other := rank + sizes // 2 + 2 - got) > 0:
            yield from change_rank(guess, other, got=rank)


def put_samples_second(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The first two axes of an input the other way round: it is packed steps first, with lengths of its samples."""
    for number, given in enumerate(guess.inputs):
        if given.shape[:1] == ("batch",) and isinstance(steps := (*given.shape, 0)[1], str):
            turned = (steps, "batch", *given.shape[2:])
            yield guess.with_input(number, replace(given, shape=turned))


def put_queries_first(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """The steps of an input before its samples, where attention took the ones for the others: `view(t, b * heads, d)`."""
    *asked, got = find_numbers(match)
    for number, given in enumerate(guess.inputs):
        if given.shape[:1] != ("batch",) or len(given.shape) != 3:
            continue
        samples, steps = (guess.size_along(given, axis) for axis in (0, 1))
        if isinstance(given.shape[1], str) and prod(asked) * samples == got * steps:
            batch, length, width = given.shape
            yield guess.with_input(number, replace(given, shape=(length, batch, width)))


def take_lengths(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One input at a time, the last first, as lengths: a batch is packed by what is called otherwise."""
    for number, given in reversed(list(enumerate(guess.inputs))):
        told = measure_samples(guess.inputs, number)
        if number and given.longest == "" and told != given:
            yield guess.with_input(number, told)


def count_samples(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A length for each sample in place of one number, where that is used as a tensor: `item_seq_len.view(-1)`."""
    for plain in guess.plain:
        if is_named_as_lengths(plain.name) and type(plain.value) in (int, str):
            kept = replace(guess, plain=tuple(each for each in guess.plain if each is not plain))
            yield kept.with_inputs((*guess.inputs, Input(plain.name, "int64", ("batch",))))


def make_square(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A matrix a sample for what is inverted: of a camera of three rows, else of four, with others of the same end of a name."""
    for number, given in enumerate(guess.inputs):
        if len(given.shape) < 2 or guess.size_along(given, -1) != int(match[2]):
            continue
        side = 3 if _OF_CAMERA.search(given.name) else 4
        kind = given.name.lower().rpartition("_")[2]
        alike = tuple(
            replace(each, shape=("batch", side, side))
            if each == given or each.name.lower().rpartition("_")[2] == kind
            else each
            for each in guess.inputs
        )
        yield guess.with_inputs(alike)
        yield guess.with_input(number, replace(given, shape=("batch", side, side)))


def take_one_step(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One number a sample where a state is of so many samples, and a row of them was taken for more."""
    _, want, _, _, got, _ = find_numbers(match)
    for number, given in enumerate(guess.inputs):
        sizes = [guess.size_along(given, axis) for axis in range(len(given.shape))]
        if given.dtype == "int64" and len(sizes) == 2 and prod(sizes) == want and got in sizes:
            batch, steps = given.shape
            inputs = (
                replace(each, shape=tuple(batch if n == steps else n for n in each.shape))
                for each in guess.inputs
            )
            taken = guess.with_inputs(tuple(inputs))
            yield taken.with_input(number, replace(given, shape=(batch,)))


def add_steps(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Where a size is asked for that a row of numbers has not: several rows a sample, of one input at a time."""
    for number, given in reversed(list(enumerate(guess.inputs))):
        if len(given.shape) == 2 and given.shape[0] == "batch":
            shape = (given.shape[0], "sequence", given.shape[1])
            yield guess.with_input(number, replace(given, shape=shape))


def add_axes(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """As many axes as an index of one needs, or as the message's lowest index says there should be."""
    lowest, wanted = int(match[1]), int(match[2])
    yield from change_rank(guess, max(-lowest, wanted + 1 if wanted >= 0 else -wanted))


def add_indexed_axis(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One axis more where each of several is picked from: `x[:, :, :, i]` of an input that has three."""
    rank = find_numbers(match)[0]
    if rank < 3:  # of rows of numbers, what a sample has several of is not known
        return
    own = sorted({len(given.shape) for given in guess.inputs}, key=lambda each: abs(each - rank))
    for have in own:
        yield from change_rank(guess, have + 1, got=have)


def mask_each_step(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A mask beside a sequence has one value for each of its steps; else as many axes as the message says."""
    texts = [g.shape for g in guess.inputs if g.dtype == "int64" and len(g.shape) == 2]
    if any(given.shape[:2] == ("batch", "sequence") for given in guess.inputs):
        texts.insert(0, ("batch", "sequence"))
    for number, given in enumerate(guess.inputs if texts else ()):
        if "mask" in given.name and given.shape != texts[0]:
            yield guess.with_input(number, replace(given, shape=texts[0]))
    yield from take_first_rank(guess, match)


def mask_each_place(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """A mask beside a map, whose places are made steps, has one truth for each of them, and no channels."""
    for number, given in enumerate(guess.inputs):
        if "mask" in given.name and len(given.shape) == 4 and isinstance(given.shape[1], int):
            plane = (given.shape[0], *given.shape[2:])
            yield guess.with_input(number, replace(given, shape=plane, dtype="bool", low=0, high=0))


def take_query_rank(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """Several rows a sample for what is called a query, where attention takes no map for one."""
    for number, given in enumerate(guess.inputs):
        if _QUERIES.search(given.name) and len(given.shape) > 3 and len(guess.inputs) > 1:
            rows = ("batch", "sequence", guess.size_along(given, 1))
            yield guess.with_input(number, replace(given, shape=rows))


def stand_as_column(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """One number a sample as a column, where it meets a row of the model's own along a later axis: `level * self.rates[None]`."""
    one, other, axis = find_numbers(match)[:3]
    batch = guess.sizes.get("batch", 0)
    row = other if batch == one else one
    of_inputs = {guess.size_along(g, n) for g in guess.inputs for n in range(len(g.shape))}
    lone = [n for n, given in enumerate(guess.inputs) if given.shape == ("batch",)]
    for number in lone if axis and batch in (one, other) and row not in of_inputs else ():
        column = replace(guess.inputs[number], shape=("batch", *(1 for _ in range(axis))))
        yield guess.with_input(number, column)


def make_vectors_alike(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """What is put together gets as many axes: fractions with one too few those of the first that has them all.

    So does what has one number per sample. Else what has one too many loses it.
    """
    less, more = sorted(find_numbers(match)[:2])
    fractions = (g for g in guess.inputs if len(g.shape) == more and g.dtype == "float32")
    alike = next(fractions, None)
    if alike is not None and more == less + 1:
        changed = guess
        for number, given in enumerate(guess.inputs):
            if len(given.shape) == less and (less == 1 or given.dtype == "float32"):
                taken = replace(given, shape=alike.shape, dtype=alike.dtype, low=0, high=0)
                changed = changed.with_input(number, taken)
        yield changed
    if more > 2:
        yield from change_rank(guess, less, got=more)


def change_rank(guess: Guess, rank: int, channels: int = 0, got: int = 0) -> Iterator[Guess]:
    """The inputs that have another rank, each at this rank; all of them, then one by one.

    Only those of the rank that the message `got` where there are such.
    """
    wrong = [n for n, given in enumerate(guess.inputs) if len(given.shape) != rank]
    wrong = [n for n in wrong if len(guess.inputs[n].shape) == got] or wrong
    for places in [wrong, *([n] for n in wrong if len(wrong) > 1)]:
        for shape in _list_shapes(rank, channels or (guess.first_fixed_size() if places else 0)):
            changed = guess
            for number in places:
                changed = changed.with_input(number, replace(guess.inputs[number], shape=shape))
            if places:
                yield changed


def _list_shapes(rank: int, channels: int) -> Iterator[tuple[int | str, ...]]:
    if rank == 1:
        yield ("batch",)
    elif rank == 2:
        if channels == 1:  # forward gives what it takes its one channel: audio, a series
            yield ("batch", "length")
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


def add_layers(guess: Guess, match: re.Match[str]) -> Iterator[Guess]:
    """States that come in halves get an axis of layers, one, before that of samples."""
    stood = tuple(
        replace(given, shape=(1, *given.shape)) if given.at and len(given.shape) == 2 else given
        for given in guess.inputs
    )
    if stood != guess.inputs:
        yield guess.with_inputs(stood)
