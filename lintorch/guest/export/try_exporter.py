"""One model exported with one exporter, and what became of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from torch import nn

from lintorch.guest.export import onnx_graph
from lintorch.guest.export.closed_arguments import close_over_plain, take_tensors_alone
from lintorch.guest.export.eager_reference import Eager, NamedSizes
from lintorch.guest.export.error_reading import (
    UserFile,
    find_root_cause,
    find_site_in_text,
    find_site_of_error,
    summarise_error,
)
from lintorch.guest.export.exporter import ONNX_FILE, Explained, Exported, Job, Refused
from lintorch.guest.export.find_exporter import find_exporter, takes_plain
from lintorch.guest.export.hidden_parts import look_into_parts
from lintorch.guest.export.module_state import copy_module
from lintorch.guest.export.ones_inside import note_ones_inside
from lintorch.guest.export.other_draws import try_other_draws
from lintorch.guest.export.quantization import Quantization
from lintorch.guest.export.refused_output import explain_refused_output
from lintorch.guest.export.single_choices import try_single_choice
from lintorch.guest.export.size_conditions import name_conditions
from lintorch.guest.export.size_limits import describe_limits, find_sizes_beyond
from lintorch.guest.export.verdict_on_export import judge_export
from lintorch.guest.export.warmed_module import try_after_run
from lintorch.guest.export.warnings_log import log_warnings
from lintorch.guest.process.deadline import clock
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.watch.make_tensors import find_dynamic_names, is_weightless
from lintorch.record.models import Model
from lintorch.record.outcomes import ExportStage, Outcome, Variation

_TOO_LARGE = (
    "its weights do not fit into the memory it may take, without them it is only traced; "
    "`trace-memory` raises this limit"
)
_SECONDS = 10.0
"""Seconds in which sizes beyond what an exporter took for given are looked for, at most."""
_SECONDS_FOR_SECOND = 60.0
"""Seconds within which a second export ends, where nothing else is said."""
OUT_OF_MEMORY = "it took more memory than it may"
"""What is said where the limit is not known: the one who set it knows better."""


def keep_exported(exported: Exported, job: Job) -> Exported:
    """What was exported, as it is."""
    return exported


def try_export(
    exporter: str,
    module: nn.Module,
    model: Model,
    others: Sequence[NamedSizes],
    *,
    opset: int | None,
    train: bool,
    user_file: UserFile,
    directory: Path,
    keep: bool = False,
    strict: bool = True,
    named: bool = False,
    late: float | None = None,
    eager: Eager | None = None,
    quantization: Quantization | None = None,
    finish: Callable[[Exported, Job], Exported] = keep_exported,
) -> Outcome:
    """Exports `module`, runs the result and compares it with eager.

    `others` are further sizes to compare at, each with all names; those names that are another
    there are exported dynamic, the rest fixed. With `train` the export is made in
    training mode and compared with eval at the traced size. `user_file` gives the path that is
    shown for a file of the user's, and None for any other. Writes only below `directory`, and
    there, if `keep`, the exported file. `named`: sizes are declared as `Dim("name")`. What needs a second export is left where `clock()` is `late`.
    `eager` is the measure, where it is not `module` alone, and `finish` makes of what was exported what is compared.
    """
    started = time.monotonic()
    late = clock() + _SECONDS_FOR_SECOND if late is None else late
    redrawn = eager is None and not train
    if lacking := find_exporter(exporter).available():
        return Outcome(exporter, "unavailable", message=lacking)
    if is_weightless(module):
        return Outcome(exporter, "failed", "stopped", _TOO_LARGE)
    eager = eager or Eager(module, model)
    try:
        output = eager.run_at(model.sizes)
    except Exception as error:
        if is_of_memory(error):
            return Outcome(exporter, "failed", "stopped", OUT_OF_MEMORY)
        message = f"the model itself does not run: {summarise_error(error)}"
        return Outcome(exporter, "failed", "run", message, find_site_of_error(error, user_file))
    dynamic = find_dynamic_names(model.sizes, others)
    with copy_module(module, train) as copied, log_warnings(user_file) as heard:
        given = eager.make_inputs(model.sizes)
        job = Job(copied, model.inputs, given, dynamic, opset, directory, output, keep, strict)
        largest = {name: max(at[name] for at in (model.sizes, *others)) for name in dynamic}
        job = replace(job, named=named, largest=largest, quantization=quantization)
        made = run_exporter(exporter, job, user_file, finish=finish)
        if isinstance(made, Outcome):
            made = explain_refused_output(
                made,
                job,
                lambda other: run_exporter(exporter, other, user_file),
                lambda other: judge_export(exporter, other, eager, others, train),
                user_file,
            )
    if isinstance(made, Exported):
        exported = made
        made = _judge_made(exporter, exported, job, eager, others, train, user_file)
        if made.status == "ok" and made.compared and not train:
            made = note_ones_inside(made, exported, eager, others)
        if redrawn and made.status == "ok" and made.compared:
            made = _try_other_numbers(made, exported, job, eager, user_file, late)
        if made.status == "ok" and made.compared:
            made = try_after_run(
                made,
                replace(job, module=module),
                lambda other: run_exporter(exporter, other, user_file),
                lambda other, after: judge_export(exporter, other, after, others, train),
                eager,
                late,
            )
        if made.status == "ok" and made.compared and any(site for _, site in heard):
            made = look_into_parts(
                made,
                job,
                lambda other: run_exporter(exporter, other, user_file),
                eager,
                others,
                late,
            )
    seconds = round(time.monotonic() - started, 3)
    held = onnx_graph.read_operator_uses(directory / ONNX_FILE, user_file) if not train else ()
    return replace(made, warnings=tuple(heard), seconds=seconds, graph=held)


def _judge_made(
    exporter: str,
    made: Exported,
    job: Job,
    eager: Eager,
    others: Sequence[NamedSizes],
    train: bool,
    user_file: UserFile,
) -> Outcome:
    """The verdict at all sizes, those beyond what the exporter took for given too, and what it read off."""
    beyond = (
        ()
        if train or made.is_fixed
        else find_sizes_beyond(name_conditions(job), eager, others, _SECONDS)
    )
    further = [sizes for each in beyond for sizes in each.sizes]
    tried = {Variation.between(eager.model.sizes, sizes): sizes for sizes in (*others, *further)}
    judged = judge_export(exporter, made, eager, [*tried.values()], train, user_file)
    kept = (find_site_in_text(stack, user_file) for stack in made.devices)
    return replace(
        judged,
        devices=tuple(dict.fromkeys(site for site in kept if site)),
        artifact=made.artifact,
        ir=made.ir,
        limits=tuple(describe_limits(beyond, judged, eager.model.sizes, user_file)),
    )


def _try_other_numbers(
    right: Outcome, exported: Exported, job: Job, eager: Eager, user_file: UserFile, late: float
) -> Outcome:
    judged = try_other_draws(right, exported, eager, user_file)
    if judged.status != "ok" or judged.draws == 1:
        return judged
    name = judged.exporter
    return try_single_choice(
        judged, job, lambda other: run_exporter(name, other, user_file), eager, user_file, late
    )


def run_exporter(
    exporter: str,
    job: Job,
    user_file: UserFile,
    hear: Callable[[BaseException], None] | None = None,
    finish: Callable[[Exported, Job], Exported] = keep_exported,
) -> Exported | Outcome:
    """What the exporter makes of a job, or how it fails; `hear` is told the error itself."""
    if not takes_plain(exporter) and (alone := close_over_plain(job)) is not job:
        made = run_exporter(exporter, alone, user_file, hear, finish)
        return take_tensors_alone(made) if isinstance(made, Exported) else made
    try:
        return finish(find_exporter(exporter).export(job), job)
    except Refused as refused:
        return _describe_failure(exporter, refused.stage, find_root_cause(refused), job, user_file)
    except Exception as error:
        if hear is not None:
            hear(error)
        return _describe_failure(exporter, "export", error, job, user_file)


def _describe_failure(
    exporter: str, stage: ExportStage, error: BaseException, job: Job, user_file: UserFile
) -> Outcome:
    if is_of_memory(error):
        return Outcome(exporter, "failed", "stopped", OUT_OF_MEMORY, opset=job.opset)
    known = _ask_exporter(exporter, error, job)
    site = find_site_in_text(known.where, user_file) or find_site_of_error(error, user_file)
    message = (known.message or summarise_error(error)).replace(f"{job.directory}{os.sep}", "")
    opset = job.opset and (known.opset or job.opset)
    failed = Outcome(exporter, "failed", stage, message, site, known.operators, opset=opset)
    return replace(failed, enough=known.enough)


def _ask_exporter(exporter: str, error: BaseException, job: Job) -> Explained:
    """What the exporter's records say; nothing where another release of torch keeps other records."""
    try:
        return find_exporter(exporter).explain(error, job)
    except Exception:
        return Explained()
