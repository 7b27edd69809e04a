"""The child's side: one model is built, fed, recorded at several sizes, traced as a graph and exported."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any

from torch import nn

from lintorch.models import feeding
from lintorch.models.guess import is_loss
from lintorch.models.identity import Seen, contained, identified
from lintorch.models.making import Built
from lintorch.models.narrow import Fed
from lintorch.models.trial import Subject, tried
from lintorch.models.work import Options, Work
from lintorch.trace import run, wire
from lintorch.trace.record import Model, Rung, Site
from lintorch.trace.rungs import LADDER
from lintorch.trace.site import Files
from lintorch.worker.isolate import SLACK, Send


def examine(
    send: Send,
    seen: Seen,
    makes: Callable[[], Iterator[Built]],
    files: Files,
    options: Options,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Send what becomes of one model: "failure", or "model", then "run", "rung" and "outcome"."""
    work = Work(send, seen, files, options, time.monotonic() + options.seconds)

    def name(module: nn.Module) -> Seen | None:
        itself = identified(seen, module, files)
        if setting:
            return itself
        return None if itself != seen and f"{itself.path}:{itself.qualname}" in passed else seen

    found = feeding.fed(work, makes, setting, name)
    if found is None:
        return
    work, built, fed = found
    model = _model(work.seen, built, fed, files)
    send({"model": wire.packed(model)})
    whole = Site(work.seen.path, work.seen.row)
    subject = run.Subject(built.module, fed.inputs, built.sites, whole, files)
    if options.trace and _recorded(work, subject, fed) and options.graphs:
        _climb(work, subject, fed)
    if setting or not is_loss([given.name for given in model.inputs]):  # losses stay at home
        tried(work, Subject(built, model, fed))


def _model(seen: Seen, built: Built, fed: Fed, files: Files) -> Model:
    return Model(
        seen.path,
        seen.qualname,
        seen.row,
        built.arguments,
        fed.inputs,
        fed.sizes,
        contained(seen, built.module, files),
        sum(parameter.numel() for parameter in built.module.parameters()),
    )


def _recorded(work: Work, subject: run.Subject, fed: Fed) -> bool:
    """Record a run at each set of sizes; whether each came to its end."""
    first = (*_refused(work, subject, fed),)
    for sizes in (fed.sizes, *fed.varied.values(), *fed.odd.values()):
        further = sizes in fed.odd.values()

        def running(send: Send, sizes: Mapping[str, int] = sizes, further: bool = further) -> None:
            ran = run.record(subject, sizes)
            if not (further and ran.error):
                send({"run": wire.packed(ran)})

        sent, ending = work.step(running, work.left())
        for message in sent:
            if sizes is fed.sizes:
                message["run"]["events"] += first
            work.send(message)
        if ending.cause and not further:
            work.fail("stopped", ending.cause, ending.output)
            return False
    return True


def _refused(work: Work, subject: run.Subject, fed: Fed) -> Iterator[dict[str, Any]]:
    """What the model raises at the sizes that it does not take, run afresh."""
    named = replace(subject, inputs=fed.named)
    for changed in fed.refused.values():

        def running(send: Send, changed: Mapping[str, int] = changed) -> None:
            event = run.refused(named, {**fed.named_sizes, **changed}, changed)
            send({"raised": wire.packed(event)})

        sent, _ = work.step(running, work.left())
        yield from (message["raised"] for message in sent if message["raised"])


def _climb(work: Work, subject: run.Subject, fed: Fed) -> None:
    """Trace the model as a graph, each way in time of its own."""
    for name, trace in LADDER.items():

        def tracing(send: Send, trace: Any = trace) -> None:
            send({"rung": wire.packed(trace(subject, fed.sizes))})

        work.send({"allow": work.options.seconds + SLACK})
        sent, ending = work.step(tracing, work.options.seconds)
        if not sent:
            sent = [{"rung": wire.packed(Rung(name, False, ending.cause))}]
        for message in sent:
            work.send(message)
