"""One model exported with one exporter, and what became of it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from torch import nn

from lintorch.guest.export import onnx_graph
from lintorch.guest.export.eager_reference import Eager, Sizes
from lintorch.guest.export.error_reading import UserFile, cause, core, of_error, of_text
from lintorch.guest.export.exporter import FILE, Explained, Exported, Job, Refused
from lintorch.guest.export.exporter_table import TABLE
from lintorch.guest.export.module_state import fresh
from lintorch.guest.export.verdict_on_export import judge
from lintorch.guest.export.warnings_log import listening
from lintorch.guest.process.error_text import is_of_memory
from lintorch.guest.watch.make_tensors import weightless
from lintorch.record.trace import Model, Outcome

_TOO_LARGE = (
    "its weights do not fit into the memory it may take, without them it is only traced; "
    "`trace-memory` raises this limit"
)
ATE = "it took more memory than it may"
"""What is said where the limit is not known: the one who set it knows better."""


def attempt(
    exporter: str,
    module: nn.Module,
    model: Model,
    varied: Mapping[str, Sizes],
    *,
    opset: int | None,
    train: bool,
    user_file: UserFile,
    directory: Path,
    keep: bool = False,
) -> Outcome:
    """Exports `module`, runs the result and compares it with eager.

    `varied` maps each group of named sizes that changes to all sizes with that group changed;
    the names in it are exported dynamic, others fixed. With `train` the export is made in
    training mode and compared with eval at the traced size. `user_file` gives the path that is
    shown for a file of the user's, and None for any other. Writes only below `directory`, and
    there, if `keep`, the exported file.
    """
    started = time.monotonic()
    if lacking := TABLE[exporter].available():
        return Outcome(exporter, "unavailable", message=lacking)
    if weightless(module):
        return Outcome(exporter, "failed", "stopped", _TOO_LARGE)
    eager = Eager(module, model)
    try:
        output = eager.output(model.sizes)
    except Exception as error:
        if is_of_memory(error):
            return Outcome(exporter, "failed", "stopped", ATE)
        told = f"the model itself does not run: {core(error)}"
        return Outcome(exporter, "failed", "run", told, of_error(error, user_file))
    dynamic = frozenset(name for group in varied for name in group.split(","))
    with fresh(module, train) as copied, listening(user_file) as heard:
        given = eager.fed(model.sizes)
        job = Job(copied, model.inputs, given, dynamic, opset, directory, output, keep)
        made = exported(exporter, job, user_file)
    if isinstance(made, Exported):
        made = replace(
            judge(exporter, made, eager, varied, train), artifact=made.artifact, ir=made.ir
        )
    seconds = round(time.monotonic() - started, 3)
    held = onnx_graph.uses(directory / FILE, user_file) if not train else ()
    return replace(made, warnings=tuple(heard), seconds=seconds, graph=held)


def exported(exporter: str, job: Job, user_file: UserFile) -> Exported | Outcome:
    """What the exporter makes of a job, or how it fails."""
    try:
        return TABLE[exporter].export(job)
    except Refused as refused:
        return _failed(exporter, refused.stage, cause(refused), job, user_file)
    except Exception as error:
        return _failed(exporter, "export", error, job, user_file)


def _failed(
    exporter: str, stage: str, error: BaseException, job: Job, user_file: UserFile
) -> Outcome:
    if is_of_memory(error):
        return Outcome(exporter, "failed", "stopped", ATE, opset=job.opset)
    known = _explained(exporter, error, job)
    site = of_text(known.where, user_file) or of_error(error, user_file)
    message = known.message or core(error)
    opset = job.opset and (known.opset or job.opset)
    failed = Outcome(exporter, "failed", stage, message, site, known.operators, opset=opset)
    return replace(failed, enough=known.enough)


def _explained(exporter: str, error: BaseException, job: Job) -> Explained:
    """What the exporter's records say; nothing where another release of torch keeps other records."""
    try:
        return TABLE[exporter].explain(error, job)
    except Exception:
        return Explained()
