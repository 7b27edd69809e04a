"""The loops over a data loader, wherever they stand: which of them train, and whether they are repeated."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lintorch.evaluator.events import Called, Occurrence, Repeated
from lintorch.evaluator.values import External, Held, Value

LOADER = "torch.utils.data.DataLoader"
_THROUGH = frozenset(
    {"enumerate", "iter", "tqdm", "trange", "track", "list", "reversed", "progress_bar", "zip"}
)
"""Functions that hand on what they are given first."""
FindMaker = Callable[[Value | None], object]


@dataclass(frozen=True, eq=False)
class LoaderRead:
    """A loop over a loader. `again`: whether it stands, or is called, in another loop."""

    event: Repeated
    trains: bool
    again: bool


def list_loader_loops(
    events: Iterable[Occurrence], made: Called, find_maker: FindMaker
) -> Iterator[Repeated]:
    """The loops over what a call of DataLoader gave, in the events of all roots."""
    for event in events:
        if not isinstance(event, Repeated) or event.way.root != made.way.root:
            continue
        if find_loader(event.over, find_maker) == made.result:
            yield event


def is_chosen(loop: ast.AST) -> bool:
    """`for batch in loaders[phase]`: the phase may decide as well whether it trains."""
    parts = ast.walk(loop.iter) if isinstance(loop, (ast.For, ast.AsyncFor)) else ()
    picked = (each for each in parts if isinstance(each, ast.Subscript))
    return any(not isinstance(each.slice, ast.Constant) for each in picked)


def find_loader(value: Value | None, find_maker: FindMaker) -> Value | None:
    """The loader in `enumerate(tqdm(loader))`."""
    for _ in range(len(_THROUGH)):
        if isinstance(value, Held) and value.of == External(LOADER):
            return value
        maker = find_maker(value)
        if not isinstance(maker, Called) or not maker.positional:
            return None
        if maker.name.rpartition(".")[2] not in _THROUGH:
            return None
        value = maker.positional[0]
    return None
