"""Finds the sizes that became plain numbers on their way into what a model computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lintorch.evaluator.events import (
    Baked,
    Called,
    Combined,
    Indexed,
    ItemSet,
    Occurrence,
    Returned,
)
from lintorch.evaluator.values import Items, Number, Slice, Tensor, Value, Via

_WORKING = ("torch.", "einops.")
_LOOKS = ("torch.jit.", "torch.onnx.", "torch._check", "torch.is_", "torch.compiler.")


def find_baked(events: Iterable[Occurrence]) -> Iterator[Baked]:
    """One event for each function that such a number went through, once for each place and way."""
    told: set[tuple[Via, str]] = set()
    for event in events:
        if not event.way.forward:
            continue
        for value in _list_consumed(event):
            names = frozenset(via.name for via in value.via)
            for via in value.via:
                key = via, event.way.root
                if key not in told:
                    told.add(key)
                    yield Baked(
                        event.node, via.spot, event.way, via, names - {via.name}, value.varies
                    )


def _list_consumed(event: Occurrence) -> Iterator[Number]:
    """The numbers that an operator on tensors is given, and those that a model gives."""
    if isinstance(event, Called):
        if event.name.startswith(_WORKING) and not event.name.startswith(_LOOKS):
            for value in (*event.positional, *event.keyword.values()):
                yield from _numbers_in(value)
    elif isinstance(event, Combined):
        if isinstance(event.left, Tensor) or isinstance(event.right, Tensor):
            yield from _numbers_in(event.left)
            yield from _numbers_in(event.right)
    elif isinstance(event, (Indexed, ItemSet)) and isinstance(event.held, Tensor):
        yield from _numbers_in(event.index)
    elif isinstance(event, Returned):
        yield from _numbers_in(event.value)


def _numbers_in(value: Value) -> Iterator[Number]:
    if isinstance(value, Number):
        yield value
    elif isinstance(value, Items):
        for item in value.items or ():
            yield from _numbers_in(item)
    elif isinstance(value, Slice):
        for part in (value.start, value.stop, value.step):
            yield from _numbers_in(part)
