"""A model run again with one thing changed: what the change does to the output is a fact about a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lintorch.guest.replay.replay_baked import baked
from lintorch.guest.replay.replay_device import MAKERS, elsewhere
from lintorch.guest.replay.replay_random import chanced
from lintorch.guest.replay.replay_written import kept
from lintorch.guest.replay.run_again import Replay
from lintorch.guest.watch.record_run import Subject
from lintorch.record.trace import Event

_EXPERIMENTS = {
    "module.write": kept,
    "python.random": chanced,
    "torch.Tensor.data.__get__": baked,
    "torch.autograd.grad": baked,
    "tensor.numpy": baked,
    "array.asked": baked,
    **dict.fromkeys(MAKERS, elsewhere),
}


def wanted(events: Iterable[Event]) -> bool:
    """Whether what a run recorded is worth a second look."""
    return any(map(_asks, events))


def _asks(event: Event) -> bool:
    if event.name in MAKERS:
        return event.args.get("device") is None
    return event.name in _EXPERIMENTS and not event.args.get("same")


def replayed(
    subject: Subject, sizes: Mapping[str, int], events: Sequence[Event]
) -> Iterator[Event]:
    """The facts that runs of the model with something changed bring to light; few where it is random.

    `module.kept`, `module.reset`, `random.matters`, `baked.*` and `device.*`, see `record`.
    """
    found = {event.name for event in events if _asks(event)}
    experiments = dict.fromkeys(run for name, run in _EXPERIMENTS.items() if name in found)
    replay = Replay(subject, sizes)
    for experiment in experiments:
        if experiment is elsewhere or replay.is_steady:
            yield from experiment(replay, events)
