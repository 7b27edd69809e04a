"""Whether a tensor went to a device or type before that it is moved to again."""

from __future__ import annotations

from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Constant, External, Value
from lintorch.facts.models.value_ways import Operation, ValueWays, is_one

_MOVES = ("torch.Tensor.to", "torch.Tensor.cuda")


def is_there_already(event: Called, ways: ValueWays) -> bool:
    """Whether the tensor is made of what went to the same device, or type, before: nothing is missed."""
    if event.name not in _MOVES or not event.positional:
        return False
    held, *asked = event.positional
    made = [ways.find_maker(each) for each in ways.list_sources(held)]
    if len(asked) == 1 and any(_is_made_on(each, asked[0]) for each in made):
        return True
    moves = (m for m in made if isinstance(m, Called) and m.name == event.name and m is not event)
    return any(
        len(move.positional) - 1 == len(asked)
        and move.keyword.keys() == event.keyword.keys()
        and all(
            map(
                _is_same,
                (*move.positional[1:], *move.keyword.values()),
                (*asked, *event.keyword.values()),
            )
        )
        for move in moves
    )


def _is_made_on(made: Operation | None, device: Value) -> bool:
    """`torch.randn(3, device=device)`."""
    named = made.keyword.get("device") if isinstance(made, Called) else None
    return named is not None and _is_same(named, device)


def _is_same(left: Value, right: Value) -> bool:
    return is_one(left, right) or (isinstance(left, (Constant, External)) and left == right)
