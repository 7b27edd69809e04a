"""Finds the sizes, and the data, that became plain numbers on their way into what a model computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import (
    Baked,
    Called,
    Combined,
    DataRead,
    Indexed,
    ItemSet,
    Occurrence,
    Repeated,
    Returned,
)
from lintorch.evaluator.layers import LISTS
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import (
    Array,
    Choice,
    External,
    Held,
    Items,
    Number,
    Slice,
    Spot,
    Tensor,
    Unknown,
    Value,
    Via,
)

_LOOKS = (
    "torch.jit.", "torch.onnx.", "torch._check", "torch.is_", "torch.compiler.", "torch.nn.Module.",
    "torch._assert", "torch.equal", "torch.allclose",
)  # fmt: skip
_COMPUTING = ("torch.", "einops.")


def find_baked(events: Iterable[Occurrence]) -> Iterator[Baked | DataRead]:
    """One event for each function that such a number went through, once for each place and way."""
    told: set[tuple[Via, str]] = set()
    before: set[Spot] = set()
    """Where constructors called something."""
    for event in events:
        if not event.way.forward:
            before.add(event.spot)
            continue
        before.discard(event.spot)
        for value in _list_consumed(event):
            for via in value.via:
                key = via, event.way.root
                if key not in told and (via.data or _takes_sizes(event, value)):
                    told.add(key)
                    if not via.data or via.spot not in before:
                        yield _make_event(event, value, via)


def _make_event(event: Occurrence, value: Number | Array, via: Via) -> Baked | DataRead:
    if via.data:
        own = isinstance(value, Number) and value.own and not value.data
        return DataRead(event.node, via.spot, event.way, via.name, event, own)
    names = frozenset(each.name for each in value.via if not each.data)
    varying = value.varies if isinstance(value, Number) else _vary(via) or None
    if any(_may_stay(each) and each.spot.is_within(via.spot) for each in value.via):
        varying = None  # whatever else made the number vary
    return Baked(event.node, via.spot, event.way, via, names - {via.name}, varying)


def _vary(via: Via) -> bool:
    """Whether an array was made there of a size that varies."""
    return via.size is not None and varies(via.size) is True


def _may_stay(via: Via) -> bool:
    """Whether nobody knows that what a function was given there varies."""
    return not via.data and via.size is not None and varies(via.size) is None


def _takes_sizes(event: Occurrence, value: Number | Array) -> bool:
    """Whether it matters here that a number is not the size it was."""
    if isinstance(event, Combined):
        return isinstance(event.left, Tensor) or isinstance(event.right, Tensor)
    return not isinstance(event, Repeated)


def _list_consumed(event: Occurrence) -> Iterator[Number | Array]:
    """The numbers that an operator on tensors is given, that a model gives back, or repeats something by."""
    if isinstance(event, Called):
        if event.name.startswith(_COMPUTING) and not event.name.startswith(_LOOKS):
            for value in (*event.positional, *event.keyword.values()):
                yield from _numbers_in(value)
    elif isinstance(event, Combined):
        if isinstance(event.left, _COMPUTED) or isinstance(event.right, _COMPUTED):
            yield from _numbers_in(event.left)
            yield from _numbers_in(event.right)
    elif isinstance(event, (Indexed, ItemSet)):
        if isinstance(event.held, Tensor):
            yield from _numbers_in(event.index)
        elif isinstance(event, Indexed) and is_sequence(event.held):  # which layer, or which number
            yield from (each for each in _numbers_in(event.index) if any(v.data for v in each.via))
    elif isinstance(event, Returned):
        yield from _numbers_in(event.value)
    elif isinstance(event, Repeated) and isinstance(event.over, Items) and event.over.length:
        yield event.over.length


def is_sequence(held: Value) -> bool:
    """Whether it is a list or tuple of Python, or of layers, and no shape."""
    if isinstance(held, Held) and isinstance(held.of, External):
        return held.of.path in LISTS
    return isinstance(held, (Held, Items)) and held.kind in ("list", "tuple")


_COMPUTED = (Tensor, Unknown)


def _numbers_in(value: Value) -> Iterator[Number | Array]:
    if isinstance(value, (Number, Array)):
        yield value
    elif isinstance(value, Items):
        for item in (value.each,) if value.items is None else value.items:
            yield from _numbers_in(item)
    elif isinstance(value, Choice):
        for each in value.alternatives:
            yield from _numbers_in(each)
    elif isinstance(value, Slice):
        for part in (value.start, value.stop, value.step):
            yield from _numbers_in(part)
