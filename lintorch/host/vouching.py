"""What a worker was asked about, and whether what it tells belongs to that. Imports no torch.

Code that is not ours runs in the processes that tell it: a result speaks of the model that is
asked about, and names no line outside of the user's files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lintorch.record.decoders import HALVES
from lintorch.record.events import RunEvent
from lintorch.record.file_comparisons import Cause, FileComparison, LayerNumbers
from lintorch.record.input_notation import describe_inputs as shown
from lintorch.record.models import MOST_LAYERS, Failure, Layer, Model
from lintorch.record.outcomes import MOST_APART, Outcome
from lintorch.record.precisions import MOST_LAYER_ERRORS, PRECISIONS, LayerError, PrecisionLoss
from lintorch.record.proofs import Comparison, Observed
from lintorch.record.runs import GraphCapture, ModelRun
from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming
from lintorch.record.user_files import UserFiles
from lintorch.record.wire import MalformedError

_MOST_LETTERS = 8192
_MOST_TOLD, _LONGEST_TOLD = 24, 600
"""Lines of what came out otherwise with a fixed text, and their letters."""


@dataclass(frozen=True)
class Asked:
    """What a worker was asked about: what it tells of anything else is refused.

    `start` is the failure of what is in hand before any model is. What is `configured` may turn
    out to be in another file than its factory. Exported files lie below the folder `artifacts`.

    What is checked here is given back, or raises MalformedError.
    """

    start: Failure
    files: UserFiles
    models: int
    configured: bool = False
    exporters: tuple[str, ...] = ()
    artifacts: str = ""

    def model(self, model: Model, current: Failure) -> Model:
        """A model, which is the one that is `current`."""
        self._belongs(model, current)
        try:
            shown(model.inputs, model.sizes)
            for half in model.halves:
                shown(half.inputs, half.sizes)
        except Exception as error:  # inputs that stand nowhere in an argument
            raise MalformedError("inputs that make no arguments") from error
        self._are_shown(layer.built for layer in model.layers)
        if model.halves and tuple(half.name for half in model.halves) != HALVES:
            raise MalformedError("halves of no decoder")
        return replace(model, layers=tuple(map(_cut_names, model.layers[:MOST_LAYERS])))

    def failure(self, failure: Failure, current: Failure) -> Failure:
        """A failure of the model that is `current`; its texts are cut."""
        self._belongs(failure, current)
        for event in failure.raised:
            self.event(event)
        cause, output = failure.cause[:_MOST_LETTERS], failure.output[-_MOST_LETTERS:]
        traceback = failure.traceback[-_MOST_LETTERS:]
        return replace(failure, cause=cause, output=output, traceback=traceback)

    def _belongs(self, told: Model | Failure, current: Failure) -> None:
        itself = (told.path, told.qualname) == (current.path, current.qualname)
        if not itself and not (self.configured and self.files.is_shown(told.path)):
            raise MalformedError(f"a result of {told.path}:{told.qualname}")

    def run(self, run: ModelRun) -> ModelRun:
        """A run, whose lines are the user's."""
        _is_half(run.half)
        for event in run.events:
            self.event(event)
        return run

    def event(self, event: RunEvent) -> RunEvent:
        """An event, whose lines are the user's."""
        self._are_shown((event.site, event.built))
        return event

    def capture(self, capture: GraphCapture) -> GraphCapture:
        """A graph, whose lines are the user's."""
        self._are_shown((capture.site, *(site for _, site in capture.operators)))
        return capture

    def outcome(self, outcome: Outcome) -> Outcome:
        """An export that was asked for, with its file where it was to be."""
        if outcome.exporter not in self.exporters:
            raise MalformedError(f"a exporter {outcome.exporter[:40]!r}")
        self._are_shown((outcome.site, *(site for _, site in outcome.warnings)))
        self._are_shown((*(use.site for use in outcome.graph), *outcome.devices))
        outcome = replace(outcome, apart=outcome.apart[:MOST_APART])
        if outcome.precision not in ("", *PRECISIONS):
            raise MalformedError(f"a precision {outcome.precision[:40]!r}")
        _is_half(outcome.half)
        if outcome.loss is not None:
            outcome = replace(outcome, loss=self._loss(outcome.loss))
        if outcome.artifact and not _is_inside(outcome.artifact, self.artifacts):
            raise MalformedError(f"an exported file at {outcome.artifact}")
        return outcome

    def timing(self, timing: ModelTiming) -> ModelTiming:
        """How long the forms of a model take; its texts are cut."""
        self._are_shown(cost.site for cost in timing.costs)
        return replace(
            timing,
            stopped=_cut_text(timing.stopped),
            forms=tuple(map(_cut_form, timing.forms)),
            costs=tuple(
                replace(cost, layer=_cut_text(cost.layer), kind=_cut_text(cost.kind))
                for cost in timing.costs[:_MOST_TOLD]
            ),
        )

    def observed(self, observed: Observed) -> Observed:
        """What was run of a model; its texts are cut."""
        return replace(observed, left_out=_cut_texts(observed.left_out))

    def comparison(self, comparison: Comparison) -> Comparison:
        """What a fixed text makes of a model; its texts are cut."""
        return Comparison(
            self.observed(comparison.observed),
            tuple(
                replace(each, what=_cut_text(each.what), why=_cut_text(each.why))
                for each in comparison.changes[:_MOST_TOLD]
            ),
            _cut_texts(comparison.keys),
            _cut_texts(comparison.gained),
        )

    def beside(self, found: FileComparison) -> FileComparison:
        """A model beside an exported file: its lines are the user's, its texts are cut."""
        layers = [layer for layer in (found.first, found.last) if layer is not None]
        sites = [cause.site for cause in found.causes] + [found.between]
        self._are_shown((*sites, *(layer.built for layer in layers)))
        self._are_shown(layer.called for layer in layers)
        return replace(
            found,
            producer=_cut_text(found.producer),
            weights=_cut_text(found.weights),
            unable=_cut_text(found.unable),
            causes=tuple(map(_cut_cause, found.causes[:_MOST_TOLD])),
            runs=found.runs[:_MOST_TOLD],
            first=found.first and _cut_layer(found.first),
            last=found.last and _cut_layer(found.last),
        )

    def _loss(self, loss: PrecisionLoss) -> PrecisionLoss:
        """What a type costs: its layers are cut, and the line of the one that explains it is the user's."""
        layer = loss.layer
        if layer is not None:
            self._are_shown((layer.built, layer.called))
            layer = _cut_layer(layer)
        told = loss.layers[:MOST_LAYER_ERRORS]
        return replace(loss, layer=layer, layers=tuple(map(_cut_error, told)))

    def _are_shown(self, sites: Iterable[Site | None]) -> None:
        for site in sites:
            if site is not None and not self.files.is_shown(site.path):
                raise MalformedError(f"a line of {site.path}")


def _is_half(name: str) -> None:
    if name not in ("", *HALVES):
        raise MalformedError(f"a half {name[:40]!r}")


def _cut_names(layer: Layer) -> Layer:
    return replace(layer, path=_cut_text(layer.path), kind=_cut_text(layer.kind))


def _cut_cause(cause: Cause) -> Cause:
    return replace(
        cause,
        kind=_cut_text(cause.kind),
        text=_cut_text(cause.text),
        proof=_cut_text(cause.proof),
        remedy=_cut_text(cause.remedy),
    )


def _cut_layer(layer: LayerNumbers) -> LayerNumbers:
    return replace(
        layer,
        name=_cut_text(layer.name),
        kind=_cut_text(layer.kind),
        value=_cut_text(layer.value),
        operator=_cut_text(layer.operator),
    )


def _cut_error(error: LayerError) -> LayerError:
    return replace(error, name=_cut_text(error.name), kind=_cut_text(error.kind))


def _cut_form(form: FormTiming) -> FormTiming:
    kinds = [*form.operators.items()][:_LONGEST_TOLD]
    operators = {_cut_text(name): count for name, count in kinds}
    return replace(form, form=_cut_text(form.form), why=_cut_text(form.why), operators=operators)


def _cut_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_cut_text, texts[:_MOST_TOLD]))


def _cut_text(text: str) -> str:
    return text[:_LONGEST_TOLD]


def _is_inside(path: str, folder: str) -> bool:
    """Whether a file lies in a folder that lies in this one."""
    if not folder or os.path.islink(path):
        return False
    return os.path.dirname(os.path.realpath(os.path.dirname(path))) == os.path.realpath(folder)
