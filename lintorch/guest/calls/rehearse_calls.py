"""Finds the calls of a model whose values can be worked out: in a process of its own first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from lintorch.guest.calls.list_model_calls import SoughtModel, list_model_calls
from lintorch.guest.calls.project_examples import join_examples, read_examples
from lintorch.guest.construct.call_examples import Example
from lintorch.guest.process.isolate import Send, isolate_work
from lintorch.record.framing import Message
from lintorch.record.model_options import ModelLimits
from lintorch.record.wire import MalformedError
from lintorch.record.work_bounds import bound_step

_MOST_SECONDS = 8.0
"""For the calls of one model; a small share of its time, where that is less."""
_SHARE = 0.2


@dataclass(frozen=True)
class CallRead(Message, tag="call-read"):
    """The values of the call of this number could be worked out."""

    number: int


def find_project_examples(sought: SoughtModel, limits: ModelLimits) -> Iterator[Example]:
    """What the project's calls show of a model: those with inputs first.

    Values are worked out by code of the project, so that is tried in a child: only calls of which
    it came to an end are looked at here.
    """
    calls = list_model_calls(sought)
    seconds = min(_MOST_SECONDS, limits.seconds * _SHARE)

    def rehearse(send: Send) -> None:
        for number, _ in read_examples(sought, calls, seconds, rehearsal=True):
            send(CallRead(number))

    good: list[int] = []
    pieces = isolate_work(rehearse, bound_step(limits, 2 * seconds, CallRead)) if calls else None
    while pieces is not None:
        try:
            parcel = next(pieces)
        except StopIteration:
            break
        with suppress(MalformedError):
            good.append(parcel.open_as(CallRead).number)
    chosen = [calls[number] for number in good if number < len(calls)]
    read = [example for _, example in read_examples(sought, chosen, seconds)]
    yield from join_examples(read)
