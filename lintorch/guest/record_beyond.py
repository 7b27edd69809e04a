"""Runs at sizes on the other side of what all others lie on one side of, and which of these were left out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from lintorch.guest.feed.run_weight import RunWeight
from lintorch.guest.feed.varying_sizes import Fed, SizeTrials, weigh_at
from lintorch.guest.model_work import ModelWork
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.isolate import Send
from lintorch.guest.watch import record_run
from lintorch.guest.watch.answered_sizes import find_unanswered, number_comparisons
from lintorch.guest.watch.multiple_sizes import suggest_multiples_beyond
from lintorch.guest.watch.unseen_sides import suggest_sizes_beyond
from lintorch.record.messages import RunRecorded
from lintorch.record.outcomes import Untried, Variation
from lintorch.record.runs import ModelRun

_MOST_BEYOND, _MOST_TRIES = 4, 8
"""Sizes beyond a comparison or constant that are added to the others, and that are tried."""
_SHARE = 0.3
"""Of the time that is left, for each of these tries."""
_MOST_TOLD = 3
_TOO_LONG = "the model computes for too long there"
_REFUSED = "the model does not take these sizes"
_NOT_COME_TO = "others were tried instead"


@dataclass
class _Beyond:
    """What was tried so far: all runs, the sizes that were added, and why others were left out."""

    runs: list[ModelRun]
    tried: list[Mapping[str, int]]
    added: list[Mapping[str, int]] = field(default_factory=list)
    left: dict[Hashable, tuple[Mapping[str, int], str]] = field(default_factory=dict)

    def is_answered(self, key: Hashable) -> bool:
        return key not in find_unanswered(self.runs)

    def tells_more(self, run: ModelRun) -> bool:
        return bool(find_unanswered(self.runs) - find_unanswered((*self.runs, run)))


def record_beyond(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed, runs: tuple[ModelRun, ...]
) -> tuple[tuple[Mapping[str, int], ...], tuple[Untried, ...]]:
    """Sizes at which a comparison of sizes comes out otherwise than in all runs so far, each run recorded.

    Beside them those that were left out, because they take too long or others were tried.
    """
    beyond = _Beyond([*runs], [run.sizes for run in runs])
    suggested = chain(suggest_sizes_beyond(runs), suggest_multiples_beyond(beyond.runs))
    for key, sizes in suggested:
        if sizes in beyond.tried or beyond.is_answered(key):
            continue
        many = len(beyond.added) == _MOST_BEYOND
        if many or len(beyond.tried) > len(fed.varied) + _MOST_TRIES or work.is_time_up:
            beyond.left.setdefault(key, (sizes, _NOT_COME_TO))
            break
        _try_sizes(work, subject, fed, beyond, key, sizes)
    return tuple(beyond.added), _list_untried(beyond, fed)


def _try_sizes(
    work: ModelWork,
    subject: record_run.WatchedModel,
    fed: Fed,
    beyond: _Beyond,
    key: Hashable,
    sizes: Mapping[str, int],
) -> None:
    beyond.tried.append(sizes)
    run, heavy = _record_if_light(work, subject, fed, sizes)
    if run is not None and beyond.tells_more(run):
        work.send(RunRecorded(run))
        beyond.runs.append(run)
        beyond.added.append(sizes)
    elif heavy:
        beyond.left.setdefault(key, (sizes, _TOO_LONG))


def _record_if_light(
    work: ModelWork, subject: record_run.WatchedModel, fed: Fed, sizes: Mapping[str, int]
) -> tuple[ModelRun | None, bool]:
    """A run at sizes of which it is not known whether the model takes them; None where it does not, or takes too long, which is said beside it."""
    seconds = work.count_seconds_left() * _SHARE

    def send_run(send: Send) -> None:
        first = weigh_at(subject.module, subject.inputs, fed.sizes, seconds) or RunWeight()
        trials = SizeTrials(subject.module, subject.inputs, (fed.sizes, first), clock() + seconds)
        if trials.runs_at(sizes):
            send(RunRecorded(record_run.record_run(subject, sizes)))
        elif not trials.left_out:
            send(RunRecorded(ModelRun(dict(sizes), (), _REFUSED)))

    sent, _ = work.run_step(send_run, seconds, RunRecorded)
    runs = [parcel.open_as(RunRecorded).run for parcel in sent]
    return next((run for run in runs if not run.error), None), not sent


def _list_untried(beyond: _Beyond, fed: Fed) -> tuple[Untried, ...]:
    """Those left out whose question no run has answered, each line once."""
    sites = (
        {key: event.site for key, event in number_comparisons(beyond.runs[0])}
        if beyond.runs
        else {}
    )
    found = {
        sites[key]: Untried(Variation.between(fed.sizes, sizes), sites[key], why)
        for key, (sizes, why) in beyond.left.items()
        if key in sites and not beyond.is_answered(key)
    }
    return tuple(found.values())[:_MOST_TOLD]
