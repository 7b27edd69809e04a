"""What a value that a model asked for did when its inputs took other sizes, and which trial that explains."""

from __future__ import annotations

import linecache
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.evidence.trace import Trace
from lintorch.evidence.trial import Trial
from lintorch.record.trace import Event, Outcome

RAISES = "the exported model raises"
"""In the details of an export that goes wrong: there are no numbers to compare."""
_MOST = 200
_WORKED_OUT = re.compile(r"\bmath\.|\b(sqrt|log\w*|ceil|floor|trunc)\(")
_DECIDES = re.compile(r"\s*(if|elif|while)\b")
_LOOKS = re.compile(r"\s*(assert|if|elif|while|raise|print|log(ger|ging)?\.|warnings\.)\b")
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


def only_looks(event: Event) -> bool:
    """Whether the question stands in a check, a branch or a message: its answer is not computed with."""
    return bool(_LOOKS.match(linecache.getline(event.site.path, event.site.row)))


def decides(event: Event) -> bool:
    """Whether the question stands in the head of a branch or loop."""
    return bool(_DECIDES.match(linecache.getline(event.site.path, event.site.row)))


def is_function_of(event: Event) -> bool:
    """Whether a float() of a size is not the user's but one that `math.sqrt` or the like asks for."""
    line = linecache.getline(event.site.path, event.site.row)
    return event.name == "size.float" and "float(" not in line and bool(_WORKED_OUT.search(line))


def may_be_of(outcome: Outcome, event: Event) -> bool:
    """Whether a refusal can be about the line of an event: it names that line, or several, or none."""
    where = outcome.site
    if where is None or len(outcome.operators) > 1:
        return True
    return (where.path, where.row) == (event.site.path, event.site.row)


def may_be_wrong_by(outcome: Outcome, explains: Collection[str]) -> bool:
    """Whether what is wrong with an export can come of what is so at these changed sizes.

    "" stands for the traced sizes: what is wrong there already has a cause that is there too.
    """
    return bool(set(outcome.wrong) & set(explains)) and ("" not in outcome.wrong or "" in explains)


def blamed(
    outcome: Outcome,
    event: Event,
    trial: Trial,
    harm: Mapping[str, Harm],
    explains: Collection[str] | None = None,
) -> Hit | None:
    """The hit on an event that explains why a trial export is wrong or refused there, if it does.

    `explains` names the changed sizes ("" for the traced ones) at which the event makes an export
    wrong, where those are not just the sizes at which its answer changes.
    """
    kind = harm.get(outcome.exporter)
    if kind is None:
        return None
    if outcome.status == "failed":
        return _refused(outcome, event)
    found = changes(event, trial.trace) if explains is None else explains
    if not may_be_wrong_by(outcome, found):
        return None
    if kind is Harm.WARNED and not _warned(outcome, event):
        return None  # the export went another way than the run
    raised = {key for key, difference in outcome.wrong.items() if difference is None}
    wrong = raised if kind in (Harm.REFUSED, Harm.FAILS) else set(outcome.wrong)
    if kind is Harm.NOISY or not wrong & set(found):
        return None
    return Hit(event.site, said_of(outcome), severity=Severity.ERROR)


def said_of(outcome: Outcome, silently: bool = False) -> str:
    """What an export that is `wrong` does; one that raises, or has warned, is not silent about it."""
    verb = "is silently wrong" if silently and not outcome.warnings else "is wrong"
    if RAISES in outcome.detail.partition(";")[0]:
        verb = "fails at run time"
    return f"{outcome.exporter} {verb}: {outcome.detail}"


def cleared(
    outcome: Outcome,
    events: Iterable[Event],
    trial: Trial,
    explains: Callable[[Event], Collection[str]] | None = None,
) -> Iterator[Refuted]:
    """What a trial that went right proves of the lines of these events: no harm by its exporter.

    Only where the events of a line were others at other sizes, and the numbers right at all of
    these. `explains` names the changed sizes at which an event would make an export wrong, where
    those are not just the sizes at which its answer changes.
    """
    lines: dict[tuple[str, int], list[Event]] = defaultdict(list)
    for event in events if outcome.status == "ok" else ():
        lines[event.site.path, event.site.row].append(event)
    for on_line in lines.values():
        varied = [changes(e, trial.trace) if explains is None else explains(e) for e in on_line]
        keys = sorted({key for each in varied for key in each})
        if keys and set(keys) <= set(outcome.compared):
            layers = Counter(event.layer for event in on_line)
            where = " and ".join(key.replace(",", " and ") for key in keys if key)
            told = f"{outcome.exporter} exports it right, also when {where} changes"
            yield Refuted(on_line[0].site, told, settles=max(layers.values()))


def _warned(outcome: Outcome, event: Event) -> bool:
    here = (event.site.path, event.site.row)
    return any(site and (site.path, site.row) == here for _, site in outcome.warnings)


def _refused(outcome: Outcome, event: Event) -> Hit | None:
    where = outcome.site
    if where is None or (where.path, where.row) != (event.site.path, event.site.row):
        return None
    said = outcome.message.strip().partition("\n")[0][:_MOST]
    return Hit(event.site, f"{outcome.exporter} refuses: {said}", severity=Severity.ERROR)
