"""What a value that a model asked for did when its inputs took other sizes, and which trial that explains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lintorch.finding import Harm, Hit, Severity
from lintorch.subjects import Trace, Trial
from lintorch.trace.record import Event, Outcome

_WRONG = (Harm.WARNED, Harm.AUTO, Harm.SILENT)
_MOST = 200
Asked = Callable[[Event], Any]


def answer(event: Event) -> Any:
    """What was answered."""
    return event.value


def asked_of(event: Event) -> Any:
    """What the question was about: its operands where they are recorded, else the answer."""
    return dict(event.args) or event.value


def changes(event: Event, trace: Trace, of: Asked = answer) -> dict[str, Event]:
    """The same event in the runs where something about it was another, by the sizes changed there."""
    others = trace.again(event).items()
    return {key: other for key, other in others if of(other) != of(event)}


def is_fixed(event: Event, trace: Trace) -> bool:
    """Whether what was asked, and the answer, stayed the same at every other size that was tried."""
    return bool(trace.again(event)) and not (
        changes(event, trace) or changes(event, trace, asked_of)
    )


def blamed(outcome: Outcome, event: Event, trial: Trial, harm: Mapping[str, Harm]) -> Hit | None:
    """The hit on an event whose change explains why a trial export is wrong or refused there."""
    kind, exporter = harm.get(outcome.exporter), outcome.exporter
    if outcome.status == "failed":
        where = outcome.site
        same = where is not None and (where.path, where.row) == (event.site.path, event.site.row)
        said = outcome.message.strip().partition("\n")[0][:_MOST]
        message = f"{exporter} refuses: {said}"
        return Hit(event.site, message, severity=Severity.ERROR) if same and kind else None
    if kind not in _WRONG or not changes(event, trial.trace).keys() & outcome.wrong.keys():
        return None
    return Hit(event.site, f"{exporter} is wrong: {outcome.detail}", severity=Severity.ERROR)
