"""How heavy a run of a model is, by what it computes: a busy machine does not change that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from lintorch.guest.feed.begun_state import Begun
from lintorch.guest.watch.make_tensors import find_tensors
from lintorch.guest.watch.operator_watch import OperatorWatch

_PRODUCTS, _NUMBERS, _CALLS = 4e10, 4e8, 5e4
"""What one core does in about a second: multiplications and additions, numbers written, operators."""
_MOST_CALLS = 20_000
"""Operators whose shapes are kept."""


class TooHeavy(BaseException):
    """A run computes more than it may; no handler of the user's for Exception meets it."""


@dataclass
class RunWeight:
    """What a run has computed so far, as the seconds that one core takes, and the shapes that came of it.

    It may not take more than `most` seconds. The model was `trained` first, or `begun`, where it asked for that.
    """

    most: float = math.inf
    seconds: float = 0.0
    shapes: list[tuple[str, tuple[tuple[int, ...], ...]]] = field(default_factory=list)
    trained: bool = False
    begun: Begun | None = None

    def count_last_rows(self) -> int:
        """How many rows the last thing computed has; 0 where that is not kept."""
        last = self.shapes[-1][1] if 0 < len(self.shapes) < _MOST_CALLS else ()
        return last[0][0] if last and last[0] else 0

    def vanishes_to_one(self, other: RunWeight) -> bool:
        """Whether a size that is more than one in this run is one in the other.

        Exporters take a size of one for always one, and say so of any model.
        """
        pairs = zip(self.shapes, other.shapes, strict=False)
        alike = takewhile(lambda pair: pair[0][0] == pair[1][0], pairs)
        return any(
            was > 1 and now == 1
            for (_, before), (_, after) in alike
            for first, second in zip(before, after, strict=False)
            for was, now in zip(first, second, strict=False)
        )


@contextmanager
def weigh_run(weight: RunWeight) -> Iterator[None]:
    """Within, everything computed is weighed. Raises TooHeavy where that is more than it may be."""
    with _Scale(weight):
        yield


class _Scale(OperatorWatch):
    def __init__(self, weight: RunWeight) -> None:
        super().__init__()
        self._weight = weight

    def note(self, func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], out: Any) -> None:
        """Weigh it."""
        written = list(find_tensors(out))
        products = _count_products(func, args, kwargs, out)
        numbers = sum(each.numel() for each in written)
        self._weight.seconds += products / _PRODUCTS + numbers / _NUMBERS + 1 / _CALLS
        if len(self._weight.shapes) < _MOST_CALLS:
            self._weight.shapes.append((str(func), tuple(tuple(each.shape) for each in written)))
        if self._weight.seconds > self._weight.most:
            raise TooHeavy(f"it computes for more than {self._weight.most:g} s")


def _count_products(func: Any, args: Any, kwargs: Mapping[str, Any], out: Any) -> float:
    count = _COUNTERS.get(getattr(func, "overloadpacket", None))
    if count is None:
        return 0.0
    try:
        return float(count(*args, **kwargs, out_val=out))
    except Exception:  # a counter of torch's that does not know these arguments
        return 0.0


def _find_counters() -> Mapping[Any, Callable[..., Any]]:
    """How torch counts the multiplications of its operators; nothing where it does not."""
    try:
        from torch.utils.flop_counter import flop_registry
    except ImportError:
        return {}
    return dict(flop_registry)


_COUNTERS = _find_counters()
