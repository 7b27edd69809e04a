"""One model exported with one exporter in another type, compared with eager in it and in float32."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from lintorch.guest.beside.case import Case
from lintorch.guest.beside.onnx_file import read_onnx_file
from lintorch.guest.beside.pair_inputs import pair_inputs
from lintorch.guest.beside.pair_layers import list_layer_values
from lintorch.guest.beside.prepare_case import weigh_case
from lintorch.guest.export.closed_arguments import take_tensors_alone
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import find_site_of_error, summarise_error
from lintorch.guest.export.exporter import ONNX_FILE, Exported, Job
from lintorch.guest.export.find_exporter import find_exporter
from lintorch.guest.export.quantization import Quantization
from lintorch.guest.export.try_exporter import OUT_OF_MEMORY, try_export
from lintorch.guest.precision.cast_model import cast_inputs, cast_module
from lintorch.guest.precision.find_layer import (
    LayerValue,
    find_first_layer,
    list_read_layers,
    list_typed_layers,
)
from lintorch.guest.precision.measure_loss import measure_loss
from lintorch.guest.precision.measured_eager import MeasuredEager, QuantizedEager
from lintorch.guest.precision.quantize_onnx import quantize_file
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.watch.make_tensors import is_weightless
from lintorch.guest.watch.user_lines import UserLines
from lintorch.record.arguments import pick_tensors
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome
from lintorch.record.precisions import (
    MOST_LAYER_ERRORS,
    QUANTIZATIONS,
    LayerError,
    PrecisionLoss,
)
from lintorch.record.sites import Site

_SECONDS_FOR_LAYER = 20.0
"""Seconds in which the layer is looked for, at most."""


@dataclass(frozen=True)
class Subject:
    """A model in float32, the further sizes that it is compared at, its files and the lines that made its parts."""

    module: nn.Module
    model: Model
    others: Sequence[NamedSizes]
    files: UserLines
    built: Mapping[str, Site]
    memory: int
    """Bytes that it may take."""

    def user_file(self, path: str) -> str | None:
        """A path as the user knows it; None where the file is not the user's."""
        return self.files.shown(path) if self.files.is_user(path) else None


def try_precision(
    exporter: str, precision: str, subject: Subject, directory: Path, **wanted: Any
) -> Outcome:
    """The outcome of the export in that type, and what the type costs.

    `wanted` is for `try_export`. Where eager itself does not run in the type, nothing is exported.
    """
    if lacking := find_exporter(exporter).available():
        return Outcome(exporter, "unavailable", message=lacking, precision=precision)
    if is_weightless(subject.module):
        found = try_export(
            exporter, subject.module, subject.model, (), directory=directory,
            train=False, user_file=subject.user_file, **wanted,
        )  # fmt: skip
        return replace(found, precision=precision)
    eager = _make_eager(exporter, precision, subject)
    if isinstance(eager, Outcome):
        return eager
    made: list[Exported] = []

    def finish(exported: Exported, job: Job) -> Exported:
        exported = quantize_file(exported, job)
        whole = len(job.inputs) == len(subject.model.inputs)
        made.append(exported if whole else take_tensors_alone(exported))
        return exported

    found = try_export(
        exporter,
        eager.module,
        eager.model,
        subject.others,
        directory=directory,
        train=False,
        user_file=subject.user_file,
        late=0.0,  # what takes a second export is told of the model as it is built
        eager=eager,
        quantization=Quantization.find(precision, subject.model.sizes),
        finish=finish,
        **wanted,
    )
    found = replace(found, precision=precision)
    if found.status == "random" or found.stage == "stopped":
        return found
    exported = made[0] if made and found.status in ("ok", "wrong") else None
    loss = measure_loss(precision, eager, exported, subject.others)
    return replace(found, loss=_add_layer(loss, found, eager, exported, subject, directory))


def _make_eager(exporter: str, precision: str, subject: Subject) -> MeasuredEager | Outcome:
    """Both have run at the first sizes; else why not."""
    exact = Eager(subject.module, subject.model)
    try:
        exact.run_at(subject.model.sizes)
        if precision in QUANTIZATIONS:
            return QuantizedEager(subject.module, subject.model)
        cast = cast_inputs(subject.model, precision)
        eager = MeasuredEager(cast_module(subject.module, precision), cast, exact)
        eager.run_at(cast.sizes)
    except Exception as error:
        if is_of_memory(error):
            return Outcome(exporter, "failed", "stopped", OUT_OF_MEMORY, precision=precision)
        message = f"eager itself does not run in {precision}: {summarise_error(error)}"
        site = find_site_of_error(error, subject.user_file)
        return Outcome(exporter, "failed", "eager", message, site, precision=precision)
    return eager


def _add_layer(
    loss: PrecisionLoss,
    found: Outcome,
    eager: MeasuredEager,
    exported: Exported | None,
    subject: Subject,
    directory: Path,
) -> PrecisionLoss:
    """The same with its layers: of the exported file where it alone is off, or there is no eager in the type."""
    late, sizes = clock() + _SECONDS_FOR_LAYER, subject.model.sizes
    quantized = isinstance(eager, QuantizedEager)
    in_file = exported is not None and (quantized or found.status == "wrong")
    with suppress(Exception):  # layers whose values cannot be copied, values that cannot be had
        values: Sequence[LayerValue]
        if in_file:
            assert exported is not None
            whole = eager.measure(sizes, exported.run(eager.make_inputs(sizes)))
            values = _list_exported_values(exported, subject, eager, directory, found.precision)
        elif quantized:
            return loss
        else:
            whole = eager.measure(sizes, eager.list_numbers_at(sizes))
            values = [
                *list_typed_layers(
                    (subject.module, subject.model),
                    (eager.module, eager.model),
                    (eager.exact.make_inputs(sizes), eager.make_inputs(sizes)),
                    subject.files,
                    subject.built,
                )
            ]
        told = tuple(map(_tell_error, values[:MOST_LAYER_ERRORS]))
        loss = replace(loss, layers=told, in_file=in_file)
        layer = find_first_layer(eager, subject.module, values, whole, late)
        if layer is not None:
            given = layer.given if layer.is_given else None
            return replace(loss, layer=layer.told, given=given)
    return loss


def _tell_error(value: LayerValue) -> LayerError:
    told, off = value.told, value.told.distance
    return LayerError(told.name, told.kind, told.call, off.amount, off.relative)


def _list_exported_values(
    exported: Exported, subject: Subject, eager: MeasuredEager, directory: Path, precision: str
) -> Sequence[LayerValue]:
    if exported.read_layers is None:
        return _list_file_values(subject, directory / _name_file(precision))
    given = eager.make_inputs(subject.model.sizes)
    read = exported.read_layers(given)
    return [
        *list_read_layers(subject.module, subject.model, given, read, subject.files, subject.built)
    ]


def _name_file(precision: str) -> str:
    return f"{precision}.onnx" if precision in QUANTIZATIONS else ONNX_FILE


def _list_file_values(subject: Subject, path: Path) -> Sequence[LayerValue]:
    file = read_onnx_file(str(path), subject.memory)
    pairs = pair_inputs(file.inputs, pick_tensors(subject.model.inputs))
    case = Case(file, subject.module, subject.model, pairs, subject.files, subject.built, {})
    found = list_layer_values(case, weigh_case(case, "", own=True).foldings)
    return [LayerValue(told, value) for told, value in found]
