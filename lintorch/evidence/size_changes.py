"""What a value that a model asked for did when its inputs took other sizes, and which trial that explains."""

from __future__ import annotations

import linecache
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.profile import CONVERTS_TRACE
from lintorch.evidence.host_reads import has_several_tests, is_run_whole
from lintorch.evidence.trace import Trace
from lintorch.evidence.treatment import fails_when_run, name_sizes, report_refusal
from lintorch.evidence.trial import Trial
from lintorch.record.events import RunEvent, SizeQuestion, SizeRead, SizeUse, TensorRead
from lintorch.record.outcomes import AS_TRACED, REDRAWN, Outcome, Variation

_MOST = 200
_WORKED_OUT = re.compile(r"\bmath\.|\b(sqrt|log\w*|ceil|floor|trunc)\(")
_DECIDES = re.compile(r"\s*(if|elif|while)\b")
_LOOKS = re.compile(r"\s*(assert|if|elif|while|raise|print|log(ger|ging)?\.|warnings\.)\b")
E = TypeVar("E", bound=RunEvent)
Question = SizeQuestion | TensorRead


def get_answer(event: RunEvent) -> Any:
    """What was answered, where the event is a question."""
    return event.value if isinstance(event, (SizeQuestion, TensorRead)) else None


def get_question(event: Question) -> Any:
    """What the question was about, where that is recorded, and the answer."""
    return event.value, event.operands if isinstance(event, SizeQuestion) else ()


def find_changes(event: E, trace: Trace, of: Callable[[E], Any] = get_answer) -> dict[Variation, E]:
    """The same event in the runs where something about it was another, by the sizes changed there."""
    others = trace.find_again(event).items()
    return {at: other for at, other in others if of(other) != of(event)}


def clear_fixed_line(event: Question, trace: Trace, reason: str) -> Iterator[Refuted]:
    """That a line is harmless where what was asked there, and the answer, never change.

    Of a line of which a part may not have run, one hit alone is meant; none where a test of several
    parts may have ended before its last.
    """
    if trace.never_changes(event, get_question) and not has_several_tests(event.site):
        yield Refuted(event.site, reason, settles=0 if is_run_whole(event.site) else 1)


def only_looks(event: RunEvent) -> bool:
    """Whether the question stands in a check, a branch or a message: its answer is not computed with."""
    return bool(_LOOKS.match(linecache.getline(event.site.path, event.site.row)))


def decides_branch(event: RunEvent) -> bool:
    """Whether the question stands in the head of a branch or loop."""
    return bool(_DECIDES.match(linecache.getline(event.site.path, event.site.row)))


def is_function_of(event: RunEvent) -> bool:
    """Whether a float() of a size is not the user's but one that `math.sqrt` or the like asks for."""
    line = linecache.getline(event.site.path, event.site.row)
    floated = isinstance(event, SizeRead) and event.how is SizeUse.FLOAT
    return floated and "float(" not in line and bool(_WORKED_OUT.search(line))


def may_be_of(outcome: Outcome, event: RunEvent) -> bool:
    """Whether a refusal can be about the line of an event: it names that line, or several, or none."""
    where = outcome.site
    if where is None or len(outcome.operators) > 1:
        return True
    return (where.path, where.row) == (event.site.path, event.site.row)


def may_be_wrong_by(outcome: Outcome, explains: Collection[Variation]) -> bool:
    """Whether what is wrong with an export can come of what is so at these sizes.

    What is wrong at the traced sizes already has a cause that is there too.
    """
    wrong = outcome.wrong_at
    return bool(set(wrong) & set(explains)) and (AS_TRACED not in wrong or AS_TRACED in explains)


def blame_event(
    outcome: Outcome,
    event: RunEvent,
    trial: Trial,
    harm: Mapping[str, Harm],
    explains: Collection[Variation] | None = None,
) -> Hit | None:
    """The hit on an event that explains why a trial export is wrong or refused there, if it does.

    `explains` names the sizes at which the event makes an export wrong, where those are not just
    the sizes at which its answer changes.
    """
    kind = harm.get(outcome.exporter)
    by_trace = kind is None and outcome.exporter in CONVERTS_TRACE and outcome.status == "wrong"
    if by_trace:
        kind = harm.get("torchscript-trace")
    if kind is None:
        return None
    if outcome.status == "failed":
        return _refused(outcome, event)
    found = find_changes(event, trial.trace) if explains is None else explains
    if REDRAWN in outcome.wrong_at and _stands_at(outcome, event):
        found = {REDRAWN}
    if not may_be_wrong_by(outcome, found):
        return None
    if kind is Harm.WARNED and not by_trace and not _warned(outcome, event):
        return None  # the export went another way than the run
    raised = {each.at for each in outcome.wrong if each.amount is None}
    wrong = raised if kind in (Harm.REFUSED, Harm.FAILS) else set(outcome.wrong_at)
    if kind is Harm.NOISY or not wrong & set(found):
        return None
    shown = name_sizes(each.at for each in outcome.wrong if each.at in wrong & set(found))
    return Hit(
        event.site,
        describe_outcome(outcome),
        severity=Severity.ERROR,
        sizes=shown,
        tried=_treated(outcome, event),
    )


def describe_outcome(outcome: Outcome, silently: bool = False) -> str:
    """What an export that is `wrong` does; one that raises, or has warned, is not silent about it."""
    verb = "is silently wrong" if silently and not outcome.warnings else "is wrong"
    if fails_when_run(outcome):
        verb = "fails at run time"
    return f"{outcome.exporter} {verb}: {outcome.detail}"


def clear_lines(
    outcome: Outcome,
    events: Iterable[E],
    trial: Trial,
    explains: Callable[[E], Collection[Variation]] | None = None,
) -> Iterator[Refuted]:
    """What a trial that went right proves of the lines of these events: no harm by its exporter.

    Only where events of a line were others at other sizes, and the numbers right at all of these;
    it
    speaks of no more hits than there were such events, and of no line for which the export took
    anything for given. `explains` names the sizes at which an
    event would make an export wrong, where those are not just the sizes at which its answer changes.
    """
    lines: dict[tuple[str, int], list[E]] = defaultdict(list)
    for event in events if outcome.status == "ok" else ():
        lines[event.site.path, event.site.row].append(event)
    limited = {(each.site.path, each.site.row) for each in outcome.limits if each.site}
    for on_line in (events for line, events in lines.items() if line not in limited):
        changes = [
            find_changes(e, trial.trace) if explains is None else explains(e) for e in on_line
        ]
        varied = [set(each) - {AS_TRACED} for each in changes]
        found = sorted({at for each in varied for at in each}, key=Variation.write_sizes)
        known = all(varied) or not has_several_tests(on_line[0].site)
        if found and known and set(found) <= set(outcome.compared):
            layers = Counter(e.layer for e, each in zip(on_line, varied, strict=True) if each)
            where = " and ".join(dict.fromkeys(name for at in found for name in at.changed))
            told = f"{outcome.exporter} exports it right, also when {where} changes"
            yield Refuted(on_line[0].site, told, settles=max(layers.values()))


def _warned(outcome: Outcome, event: RunEvent) -> bool:
    here = (event.site.path, event.site.row)
    return any(site and (site.path, site.row) == here for _, site in outcome.warnings)


def _treated(outcome: Outcome, event: RunEvent) -> Harm:
    if fails_when_run(outcome):
        return Harm.FAILS
    return Harm.WARNED if _warned(outcome, event) else Harm.SILENT


def _stands_at(outcome: Outcome, event: RunEvent) -> bool:
    where, here = outcome.site, event.site
    return where is not None and (where.path, where.row) == (here.path, here.row)


def _refused(outcome: Outcome, event: RunEvent) -> Hit | None:
    if outcome.returned or not _stands_at(outcome, event):
        return None
    said = outcome.message.strip().partition("\n")[0][:_MOST]
    return report_refusal(event.site, outcome, said)
