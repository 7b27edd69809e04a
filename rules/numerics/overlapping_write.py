"""LT829: a shift of a tensor within itself, which reads what it has just written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed, ItemSet, Occurrence
from lintorch.evaluator.sizes import Dim
from lintorch.evaluator.values import NONE, Constant, Items, Number, Slice, Tensor, Value, size_in
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT829",
    summary="a shift of a tensor within itself",
    why="""
        `x[:, 1:] = x[:, :-1]` copies from memory that it writes to as it goes: each place gets the number
        that was just written before it, and the whole row becomes its first number, without a word.
        NumPy, from which the line often comes, copies first. Along the first axis, `x[1:] = x[:-1]`,
        torch sees the overlap, and raises RuntimeError. Measured on torch 2.13, on the CPU.

        An ONNX file moves the numbers instead, as `clone()` does, and so differs from the model.

        `x[:, 1:] = x[:, :-1].clone()` is right, and so is `torch.roll`. A shift to lower places along a
        later axis comes out right on the CPU, and is not reported.
    """,
    bad="""
        import torch


        def push(history: torch.Tensor, newest: torch.Tensor):
            history[:, 1:] = history[:, :-1]
            history[:, 0] = newest
            return history
    """,
    good="""
        import torch


        def push(history: torch.Tensor, newest: torch.Tensor):
            history[:, 1:] = history[:, :-1].clone()
            history[:, 0] = newest
            return history
    """,
    proof="""
        history = push(torch.arange(8.0).reshape(2, 4), torch.zeros(2))
        assert history.tolist() == [[0, 0, 1, 2], [0, 4, 5, 6]]
    """,
    severity=Severity.ERROR,
    remedy="copy what is read first: x[:, 1:] = x[:, :-1].clone()",
)


WHOLE = Slice(NONE, NONE, NONE)
ALONG_LATER = (
    "each place is given what was just written before it, as both sides share their memory"
)
ALONG_FIRST = "both sides share their memory: RuntimeError"


@rule.event(ItemSet)
def in_assignments(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`x[:, 1:] = x[:, :-1]`."""
    read = source.evaluation.ways.find_maker(event.value)
    if isinstance(read, Indexed) and read.spot.row == event.spot.row:
        yield from judge_shift(event, event.held, event.index, read)


@rule.event("torch.Tensor.copy_")
def in_copies(event: Called, source: Source) -> Iterator[Hit]:
    """`x[:, 1:].copy_(x[:, :-1])`."""
    written, read = (source.evaluation.ways.find_maker(v) for v in (*event.positional, NONE)[:2])
    if isinstance(written, Indexed) and isinstance(read, Indexed):
        yield from judge_shift(event, written.held, written.index, read)


@rule.event(Combined)
def in_sums(event: Combined, source: Source) -> Iterator[Hit]:
    """`x[:, 1:] += x[:, :-1]`."""
    written, read = (source.evaluation.ways.find_maker(v) for v in (event.left, event.right))
    if event.inplace and isinstance(written, Indexed) and isinstance(read, Indexed):
        yield from judge_shift(event, written.held, written.index, read)


def judge_shift(event: Occurrence, held: Value, index: Value, read: Indexed) -> Iterator[Hit]:
    if not isinstance(held, Tensor) or read.held is not held:
        return
    written, given = list_parts(index), list_parts(read.index)
    apart = [n for n, (w, r) in enumerate(zip(written, given, strict=False)) if not is_one(w, r)]
    if len(written) != len(given) or len(apart) != 1:
        return
    axis = apart[0]
    before = written[:axis]
    shift = measure_shift(written[axis], given[axis], find_size(held, axis, before))
    if not shift or not overlaps(shift, held, axis, before):
        return
    if is_in_one_piece(held, before, written[axis + 1 :]):
        yield Hit(event, ALONG_FIRST)
    elif shift > 0:
        yield Hit(event, ALONG_LATER)


def is_in_one_piece(held: Tensor, before: Sequence[Value], behind: Sequence[Value]) -> bool:
    """Whether what is written lies without gaps, in a tensor that does: torch sees the overlap then."""
    sizes = held.shape or ()
    single = all(
        (isinstance(each, (Constant, Number)) and each != Constant(Ellipsis))
        or sizes[n : n + 1] == (1,)
        for n, each in enumerate(before)
    )
    return single and all(each == WHOLE for each in behind)


def list_parts(index: Value) -> Sequence[Value]:
    """The indices of the axes."""
    return (index.items or ()) if isinstance(index, Items) and index.kind == "tuple" else (index,)


def is_one(written: Value, read: Value) -> bool:
    """Whether both take the same places: `:c // 4` too, each time it is written."""
    if not isinstance(written, Slice) or not isinstance(read, Slice):
        return written == read
    bounds = zip(list_bounds(written), list_bounds(read), strict=True)
    return all(
        one == other or (size_in(one) is not None and size_in(one) == size_in(other))
        for one, other in bounds
    )


def list_bounds(part: Slice) -> tuple[Value, ...]:
    return part.start, part.stop, part.step


def find_size(held: Tensor, axis: int, before: Sequence[Value]) -> Dim | None:
    """How many places an axis has."""
    known = held.shape is not None and Constant(Ellipsis) not in before
    return held.shape[axis] if known and held.shape and axis < len(held.shape) else None


def measure_shift(written: Value, read: Value, size: Dim | None) -> int:
    """By how many places what is read goes up: 1 of `x[1:] = x[:-1]`, -1 of `x[:-1] = x[1:]`; else 0."""
    if not isinstance(written, Slice) or not isinstance(read, Slice):
        return 0
    if written.step != NONE or read.step != NONE:
        return 0
    if written.stop == read.start == NONE:
        return count_places(written.start, read.stop, size)
    if written.start == read.stop == NONE:
        return -count_places(read.start, written.stop, size)
    return 0


def count_places(start: Value, stop: Value, size: Dim | None) -> int:
    """2 of `[2:]` and `[:-2]`, or `[:n - 2]` of n places."""
    first = start.value if isinstance(start, Constant) else None
    if type(first) is not int or first <= 0:
        return 0
    left = size - first if size is not None else None
    return first if stop == Constant(-first) or (left is not None and size_in(stop) == left) else 0


def overlaps(shift: int, held: Tensor, axis: int, before: Sequence[Value]) -> bool:
    """Whether the axis has more places than the shift leaves apart, as far as its size is known."""
    size = find_size(held, axis, before)
    return not isinstance(size, int) or size > 2 * abs(shift)
