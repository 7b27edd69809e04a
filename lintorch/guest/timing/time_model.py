"""One model timed: eager, compiled, and each export again, in rounds side by side."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import nn

from lintorch.guest.export.eager_reference import NamedSizes
from lintorch.guest.export.error_reading import UserFile, summarise_error
from lintorch.guest.export.exporter import ONNX_FILE, Job
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.quantization import Quantization
from lintorch.guest.export.try_exporter import run_exporter
from lintorch.guest.precision.cast_model import cast_inputs, cast_module
from lintorch.guest.precision.quantize_onnx import quantize_file
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.limits import TooSlow
from lintorch.guest.timing.compiled import compile_module, explain_no_compiler
from lintorch.guest.timing.forms import Form, describe_exported, describe_module
from lintorch.guest.timing.rounds import WARM, time_in_rounds, warm_up
from lintorch.guest.timing.uneven_layers import time_uneven_layers
from lintorch.guest.watch.make_tensors import find_dynamic_names, make_inputs
from lintorch.record.models import Model
from lintorch.record.outcomes import Outcome
from lintorch.record.precisions import FLOATS, QUANTIZATIONS
from lintorch.record.sites import Site
from lintorch.record.timings import FormTiming, ModelTiming

_SHARE_OF_FORMS, _SHARE_OF_ROUNDS, _SHARE_OF_LAYERS = 0.6, 0.15, 0.05
"""Of the seconds, for making all forms, for the rounds, and for layers with uneven sizes."""
_COMPILED = "torch.compile"


@dataclass(frozen=True)
class TimedExport:
    """An export that came out, to be made again; `precision` as `Outcome` has it."""

    exporter: str
    precision: str
    folder: Path

    @property
    def name(self) -> str:
        """`onnx`, `onnx float16`."""
        return f"{self.exporter} {self.precision}".strip()


def time_model(
    module: nn.Module,
    model: Model,
    others: Sequence[NamedSizes],
    exports: Sequence[TimedExport],
    built: Mapping[str, Site],
    *,
    opsets: Mapping[str, int],
    strict: bool,
    named: bool,
    user_file: UserFile,
    seconds: float,
) -> ModelTiming:
    """All forms at the model's first sizes, in one thread. Raises what the model raises."""
    torch.set_num_threads(1)
    began = clock()
    job = Job(
        module,
        model.inputs,
        make_inputs(model.inputs, model.sizes),
        find_dynamic_names(model.sizes, others),
        None,
        Path(),
        None,
        keep=True,
        strict=strict,
        named=named,
    )
    largest = {name: max(at[name] for at in (model.sizes, *others)) for name in job.dynamic}
    job = replace(job, largest=largest)
    with ExitStack() as copies:
        forms = [*_make_eager(job, exports, copies)]
        for each in exports:
            if clock() - began > _SHARE_OF_FORMS * seconds:
                forms.append(Form(FormTiming(each.name, why="no time was left for it")))
                continue
            own = replace(job, opset=opsets.get(each.exporter), directory=each.folder)
            forms.append(_export_again(own, each, model, user_file, copies))
        left = max(1, round(_SHARE_OF_FORMS * seconds - (clock() - began)))
        forms.insert(1, _compile(job, left, copies))
        timed, rounds = _time_forms(forms, _SHARE_OF_ROUNDS * seconds)
        costs = []
        with suppress(Exception):  # layers that take what cannot be made anew
            arguments = job.arrange_arguments(job.example)
            costs = [*time_uneven_layers(module, arguments, built, _SHARE_OF_LAYERS * seconds)]
    return ModelTiming(
        model.sizes,
        torch.get_num_threads(),
        rounds,
        WARM,
        _read_load(),
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        tuple(timed),
        tuple(costs),
    )


def _make_eager(job: Job, exports: Sequence[TimedExport], copies: ExitStack) -> Iterator[Form]:
    """Eager, and eager in each floating type that something was exported in."""
    types = dict.fromkeys(each.precision for each in exports if each.precision in FLOATS)
    for precision in ("", *types):
        cast = _cast_job(job, precision, copies)
        call = _make_call(cast)
        name = f"eager {precision}".strip()
        with torch.no_grad():
            call()
        yield describe_module(name, cast.module, call, cast.example)


def _make_call(job: Job) -> Callable[[], object]:
    arguments = job.arrange_arguments(job.example)
    return lambda: job.module(*arguments)


def _cast_job(job: Job, precision: str, copies: ExitStack) -> Job:
    """The job of a copy in eval mode, in the type where it is a floating one."""
    if precision not in FLOATS:
        return replace(job, module=copies.enter_context(copy_module(job.module)))
    dtype = getattr(torch, precision)
    example = tuple(
        value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value
        for value in job.example
    )
    cast = cast_inputs(Model("", "", 1, inputs=job.inputs), precision)
    module = cast_module(job.module, precision).eval()
    return replace(job, module=module, inputs=cast.inputs, example=example)


def _compile(job: Job, seconds: float, copies: ExitStack) -> Form:
    told = FormTiming(_COMPILED)
    if why := explain_no_compiler():
        return Form(replace(told, why=why))
    own = _cast_job(job, "", copies)
    began = clock()
    try:
        call = compile_module(own.module, own.arrange_arguments(own.example), seconds)
    except TooSlow as slow:
        return Form(replace(told, why=str(slow)))
    except Exception as error:
        return Form(replace(told, why=summarise_error(error, 1)))
    return Form(replace(told, first=clock() - began), call)


def _export_again(
    job: Job, each: TimedExport, model: Model, user_file: UserFile, copies: ExitStack
) -> Form:
    quantized = each.precision in QUANTIZATIONS
    try:
        job = _cast_job(job, each.precision, copies)
        with torch.no_grad():
            output = job.module(*job.arrange_arguments(job.example))
        job = replace(job, output=output, module=copies.enter_context(copy_module(job.module)))

        job = replace(job, quantization=Quantization.find(each.precision, model.sizes))
        made = run_exporter(each.exporter, job, user_file, finish=quantize_file)
        if isinstance(made, Outcome):
            return Form(FormTiming(each.name, why=made.message or made.stage))
        file = each.folder / (f"{each.precision}.onnx" if quantized else ONNX_FILE)
        return describe_exported(each.name, made, job, file if file.exists() else None)
    except Exception as error:
        return Form(FormTiming(each.name, why=summarise_error(error, 1)))


def _time_forms(forms: Sequence[Form], seconds: float) -> tuple[list[FormTiming], int]:
    """Those that run, in rounds; the others with why they do not."""
    told = {form.told.form: form.told for form in forms}
    ready = {}
    for form in forms:
        if form.call is None:
            continue
        try:
            first, calls = warm_up(form.call)
        except Exception as error:
            told[form.told.form] = replace(form.told, why=summarise_error(error, 1))
            continue
        before = form.told.first
        told[form.told.form] = replace(form.told, first=before or first, calls=calls)
        ready[form.told.form] = (form.call, calls)
    spreads, rounds = time_in_rounds(ready, seconds)
    return [replace(each, spread=spreads.get(name)) for name, each in told.items()], rounds


def _read_load() -> float | None:
    with suppress(OSError, AttributeError):
        return round(os.getloadavg()[0], 2)
    return None
