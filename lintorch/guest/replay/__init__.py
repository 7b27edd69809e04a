"""A model run again with one thing changed: what the change does to the output is a fact about a line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from lintorch.guest.replay.replay_baked import replay_baked_values
from lintorch.guest.replay.replay_chance import replay_chance
from lintorch.guest.replay.replay_device import MAKERS, MOVES, replay_elsewhere
from lintorch.guest.replay.replay_random import replay_draws
from lintorch.guest.replay.replay_written import replay_writes
from lintorch.guest.replay.run_again import Replay
from lintorch.guest.watch.record_run import WatchedModel
from lintorch.record.events import (
    ModuleWrite,
    RandomDraw,
    RunEvent,
    TensorUse,
    TorchDraw,
)

Experiment = Callable[[Replay, Sequence[RunEvent]], Iterator[RunEvent]]
_EXPERIMENTS: Mapping[Hashable, Experiment] = {
    ModuleWrite: replay_writes,
    RandomDraw: replay_draws,
    TorchDraw: replay_chance,
    "torch.Tensor.data.__get__": replay_baked_values,
    "torch.autograd.grad": replay_baked_values,
    TensorUse.NUMPY: replay_baked_values,
    TensorUse.ARRAY: replay_baked_values,
    **dict.fromkeys((*MAKERS, *MOVES), replay_elsewhere),
}


def is_replay_wanted(events: Iterable[RunEvent]) -> bool:
    """Whether what a run recorded is worth a second look."""
    return any(map(_asks, events))


def _asks(event: RunEvent) -> bool:
    if isinstance(event, ModuleWrite) and event.same:
        return False
    return event.key in _EXPERIMENTS


def replay_run(
    subject: WatchedModel, sizes: Mapping[str, int], events: Sequence[RunEvent]
) -> Iterator[RunEvent]:
    """The facts that runs of the model with something changed bring to light; few where it is random."""
    found = {event.key for event in events if _asks(event)}
    experiments = dict.fromkeys(run for key, run in _EXPERIMENTS.items() if key in found)
    replay = Replay(subject, sizes)
    for experiment in experiments:
        if experiment is replay_elsewhere or replay.is_steady:
            yield from experiment(replay, events)
