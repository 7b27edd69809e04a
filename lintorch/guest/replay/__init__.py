"""A model run again with one thing changed: what the change does to the output is a fact about a line."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

from lintorch.guest.replay.replay_baked import baked
from lintorch.guest.replay.replay_device import MAKERS, elsewhere
from lintorch.guest.replay.replay_random import chanced
from lintorch.guest.replay.replay_written import kept
from lintorch.guest.replay.run_again import Replay
from lintorch.guest.watch.record_run import Subject
from lintorch.record.events import ModuleWrite, OperatorCall, RandomDraw, RunEvent, TensorUse

Experiment = Callable[[Replay, Sequence[RunEvent]], Iterator[RunEvent]]
_EXPERIMENTS: Mapping[Hashable, Experiment] = {
    ModuleWrite: kept,
    RandomDraw: chanced,
    "torch.Tensor.data.__get__": baked,
    "torch.autograd.grad": baked,
    TensorUse.NUMPY: baked,
    TensorUse.ARRAY: baked,
    **dict.fromkeys(MAKERS, elsewhere),
}


def wanted(events: Iterable[RunEvent]) -> bool:
    """Whether what a run recorded is worth a second look."""
    return any(map(_asks, events))


def _asks(event: RunEvent) -> bool:
    if isinstance(event, OperatorCall) and event.name in MAKERS:
        return event.args.get("device") is None
    if isinstance(event, ModuleWrite) and event.same:
        return False
    return event.key in _EXPERIMENTS


def replayed(
    subject: Subject, sizes: Mapping[str, int], events: Sequence[RunEvent]
) -> Iterator[RunEvent]:
    """The facts that runs of the model with something changed bring to light; few where it is random."""
    found = {event.key for event in events if _asks(event)}
    experiments = dict.fromkeys(run for key, run in _EXPERIMENTS.items() if key in found)
    replay = Replay(subject, sizes)
    for experiment in experiments:
        if experiment is elsewhere or replay.is_steady:
            yield from experiment(replay, events)
