"""How an exporter treated a model in a trial, read off the outcome, and the hit on what it refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lintorch.core.finding import Harm, Hit, Severity, Sizes
from lintorch.record.outcomes import Outcome, SizeLimit, Variation
from lintorch.record.sites import Site

_RAISES = "the exported model raises"
"""In the details of an export that goes wrong: there are no numbers to compare."""
_VERBS = {
    Harm.FAILS: "fails at run time",
    Harm.WARNED: "is wrong",
    Harm.SILENT: "is silently wrong",
}


def fails_when_run(outcome: Outcome) -> bool:
    """Whether what was exported raises where it runs, at the first sizes where it is wrong."""
    return _RAISES in outcome.detail.partition(";")[0]


def harm_of(outcome: Outcome) -> Harm | None:
    """What befell the model; None where the export came out right, or nothing is known of it."""
    if outcome.status == "failed":
        return None if outcome.stage == "stopped" else Harm.REFUSED
    if outcome.status != "wrong":
        return None
    if fails_when_run(outcome):
        return Harm.FAILS
    return Harm.WARNED if outcome.warnings else Harm.SILENT


def wrong_sizes(outcome: Outcome) -> tuple[Sizes, ...]:
    """The sizes at which what was exported is wrong, or raises."""
    return name_sizes(each.at for each in outcome.wrong)


def name_sizes(variations: Iterable[Variation]) -> tuple[Sizes, ...]:
    """The names of the sizes that are changed, each once; an export in training mode, or on other numbers, is at no other sizes."""
    at_sizes = (each for each in variations if not each.training and not each.redrawn)
    return tuple(dict.fromkeys(each.changed for each in at_sizes))


UNSOLVED = "cannot solve for the sizes"
"""Words of a trial whose sizes declared dynamic are tied by an equation that torch's solver has no answer to."""


def read_first_line(message: str) -> str:
    """The first line that says something."""
    lines = (line.strip() for line in message.splitlines())
    return next(filter(None, lines), "no message")


def report_refusal(node: object, outcome: Outcome, why: str) -> Hit:
    """The hit on a line that an exporter refuses, told at one line of those that it may be about."""
    message = f"{outcome.exporter} refuses: {why}"
    return Hit(node, message, severity=Severity.ERROR, tried=Harm.REFUSED, refusal=True)


def report_limits(outcome: Outcome, sites: Iterable[Site]) -> Iterator[Hit]:
    """The hits on those of some lines that ask for what an export holds for only, at sizes declared dynamic."""
    lines = {(site.path, site.row) for site in sites}
    for limit in outcome.limits:
        if limit.site is not None and (limit.site.path, limit.site.row) in lines:
            yield report_limit(limit.site, outcome, limit)


def report_limit(node: object, outcome: Outcome, limit: SizeLimit) -> Hit:
    """The hit on a node: what an export holds for only, and what came of it beyond."""
    only = f"holds only for {limit.condition}"
    shown = next((each for each in outcome.wrong if each.at in limit.at[:1]), None)
    if shown is None:
        message = f"{outcome.exporter} {only}; it was not tried beyond"
        return Hit(node, message, severity=Severity.WARNING)
    harm = Harm.WARNED if outcome.warnings else Harm.SILENT
    harm = Harm.FAILS if shown.why.startswith(_RAISES) else harm
    does = shown.why or f"the output differs from eager by {shown.amount:.3g}"
    beyond = f"at {shown.at.write_sizes()} {does}"
    message = f"{outcome.exporter} {_VERBS[harm]}: it {only}, and {beyond}"
    sizes = name_sizes(limit.at)
    return Hit(node, message, severity=Severity.ERROR, sizes=sizes, tried=harm)
