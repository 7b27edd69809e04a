"""The child's side: one model is built, fed, recorded at several sizes, traced as a graph and exported."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.models import search
from lintorch.models.build import Built
from lintorch.models.guess import is_loss
from lintorch.models.identity import Seen, contained, identified
from lintorch.models.notation import parse
from lintorch.models.search import Fed, NotFedError
from lintorch.trace import run, wire
from lintorch.trace.record import Failure, Input, Model, Outcome, Rung, Site
from lintorch.trace.rungs import LADDER, shortened
from lintorch.trace.site import Files
from lintorch.worker.isolate import SLACK, Ending, Message, Send, isolate

_SEARCH_SHARE = 0.5
_LEAST_SECONDS = 2.0


@dataclass(frozen=True)
class Options:
    """What to do with each model, and within which limits (seconds, bytes)."""

    seconds: float
    trial_seconds: float
    memory: int
    trace: bool
    exporters: tuple[str, ...]
    in_training: Collection[Sequence[str]]
    opset: int | None


@dataclass(frozen=True)
class _Work:
    """One model in the making."""

    send: Send
    seen: Seen
    files: Files
    options: Options
    deadline: float

    def fail(self, stage: str, cause: str, output: str = "") -> None:
        """Send a failure of this model."""
        seen = self.seen
        failure = Failure(seen.path, seen.qualname, seen.row, stage, cause, output)
        self.send({"failure": wire.packed(failure)})

    def left(self) -> float:
        """Seconds that are left for building, feeding and running."""
        return max(_LEAST_SECONDS, self.deadline - time.monotonic())

    def step(self, work: Callable[[Send], None], seconds: float) -> tuple[list[Message], Ending]:
        """Do a part of the work in a child of its own, so that this process stays as it is."""
        sent: list[Message] = []
        pieces = isolate(work, seconds, self.options.memory)
        while True:
            try:
                sent.append(next(pieces))
            except StopIteration as stop:
                return sent, stop.value


def examine(
    send: Send,
    seen: Seen,
    make: Callable[[], Built],
    files: Files,
    options: Options,
    setting: Mapping[str, Any],
    passed: Set[str] = frozenset(),
) -> None:
    """Send what becomes of one model: "failure", or "model", then "run", "rung" and "outcome"."""
    deadline = time.monotonic() + options.seconds
    try:
        built = make()
        module = built.module.eval()
    except BaseException as error:  # whatever user code raises, SystemExit too
        work = _Work(send, seen, files, options, deadline)
        work.fail("build", _told(error, files))
        return
    seen = identified(seen, module, files) if setting else seen
    if not setting and _is_known(seen, module, files, passed):
        return
    work = _Work(send, seen, files, options, deadline)
    fed = _fed(work, module, built.arguments, setting)
    if fed is None:
        return
    model = _model(work.seen, built, fed, files)
    send({"model": wire.packed(model)})
    whole = Site(work.seen.path, work.seen.row)
    subject = run.Subject(module, fed.inputs, built.sites, whole, files)
    if options.trace and _recorded(work, subject, fed):
        _climb(work, subject, fed)
    if setting or not is_loss([given.name for given in model.inputs]):  # losses stay at home
        for exporter in options.exporters:
            _tried(work, module, model, fed, exporter)
            if [f"{model.path}:{model.qualname}", exporter] in options.in_training:
                _tried(work, module, model, fed, exporter, train=True)


def _is_known(seen: Seen, module: nn.Module, files: Files, passed: Set[str]) -> bool:
    """Whether a factory gave a model whose class has been seen already."""
    itself = identified(seen, module, files)
    return itself != seen and f"{itself.path}:{itself.qualname}" in passed


def _fed(
    work: _Work, module: nn.Module, arguments: Mapping[str, Any], setting: Mapping[str, Any]
) -> Fed | None:
    """What the model runs on, found in a child; None where nothing was, which has been told."""

    def feeding(send: Send) -> None:
        try:
            if "inputs" in setting:
                fed = search.configured(module, *_given(setting["inputs"]), work.files)
            else:
                fed = search.search(module, arguments, work.files, work.left() * _SEARCH_SHARE)
            send({"fed": wire.packed((fed.inputs, fed.sizes, fed.varied))})
        except NotFedError as error:
            send({"unfed": [error.stage, str(error)]})

    sent, ending = work.step(feeding, work.left())
    for message in sent:
        if "fed" in message:
            inputs, sizes, varied = message["fed"]
            return Fed(tuple(wire.given(part) for part in inputs), sizes, varied)
        if "unfed" in message:
            stage, cause = message["unfed"]
            work.fail(stage, cause, ending.output)
    if not sent:
        work.fail("stopped", ending.cause or "it sent nothing", ending.output)
    return None


def _given(inputs: list[str]) -> tuple[tuple[Input, ...], dict[str, int]]:
    parsed = [parse(text) for text in inputs]
    sizes = {name: size for _, named in parsed for name, size in named.items()}
    return tuple(part for part, _ in parsed), sizes


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


def _recorded(work: _Work, subject: run.Subject, fed: Fed) -> bool:
    """Record a run at each set of sizes; whether each came to its end."""
    for sizes in (fed.sizes, *fed.varied.values()):

        def running(send: Send, sizes: Mapping[str, int] = sizes) -> None:
            send({"run": wire.packed(run.record(subject, sizes))})

        sent, ending = work.step(running, work.left())
        for message in sent:
            work.send(message)
        if ending.cause:
            work.fail("stopped", ending.cause, ending.output)
            return False
    return True


def _climb(work: _Work, subject: run.Subject, fed: Fed) -> None:
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


def _tried(
    work: _Work, module: nn.Module, model: Model, fed: Fed, exporter: str, train: bool = False
) -> None:
    """Export the model on trial."""
    from lintorch import trials

    options, files = work.options, work.files
    directory = Path(tempfile.mkdtemp())

    def trying(send: Send) -> None:
        outcome = trials.attempt(
            exporter,
            module,
            model,
            fed.varied,
            opset=options.opset,
            train=train,
            user_file=lambda path: files.shown(path) if files.is_user(path) else None,
            directory=directory,
        )
        send({"outcome": wire.packed(outcome)})

    work.send({"begin": f"{model.path}:{model.qualname} → {exporter}"})
    work.send({"allow": options.trial_seconds + SLACK})
    started = time.monotonic()
    sent, ending = work.step(trying, options.trial_seconds)
    if not sent:
        seconds = round(time.monotonic() - started, 3)
        stopped = Outcome(exporter, "failed", "stopped", ending.cause, seconds=seconds)
        sent = [{"outcome": wire.packed(stopped)}]
    for message in sent:
        work.send(message)


def _told(error: BaseException, files: Files) -> str:
    site = files.of_error(error)
    where = f" ({site.path}:{site.row})" if site else ""
    return f"{shortened(error)}{where}"
