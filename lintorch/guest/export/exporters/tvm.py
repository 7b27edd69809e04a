"""TVM: relax from a torch.export program, compiled by LLVM for this CPU, with sizes left open."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch

from lintorch.guest.export.error_reading import summarise_error
from lintorch.guest.export.exporter import (
    Explained,
    Exported,
    Job,
    explain_missing,
    refuse_in_stage,
    save_artifact,
)
from lintorch.guest.export.exporters.torch_export import (
    make_dynamic_shapes,
    make_program,
    write_shapes,
)
from lintorch.guest.export.flat_outputs import drop_counts
from lintorch.guest.export.program_stacks import find_program_stack
from lintorch.guest.export.shape_constraints import explain_fixed_size, explain_unsolved
from lintorch.guest.process.error_text import text_of

_UNSUPPORTED = re.compile(r"Unsupported function types? \[([^\]]*)\]")
_UNLOWERED = re.compile(r"Offending call:\s*(R\.[\w.]+\([^\n]*)")
_SCRIPT = """
import tvm
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program

shapes = {shapes}
program = torch.export.export(model, example, dynamic_shapes=shapes, strict=False)
module = from_exported_program(program, unwrap_unit_return_tuple=False)
machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())


def exported(*given):
    found = machine["main"](*[tvm.runtime.tensor(t.contiguous().numpy()) for t in tensors(given)])
    return [torch.as_tensor(value.numpy()) for value in found if hasattr(value, "numpy")]

"""


def available() -> str:
    """How to install apache-tvm."""
    return explain_missing("tvm", extra="tvm")


def export(job: Job) -> Exported:
    """Exports, converts and compiles; writes `model.so` where the file is wanted."""
    import tvm
    from tvm import relax
    from tvm.relax.frontend.torch import from_exported_program

    module = from_exported_program(make_program(job), unwrap_unit_return_tuple=False)
    compiled = tvm.compile(module, "llvm")
    artifact = save_artifact(job, "model.so", compiled.export_library)
    with refuse_in_stage("load"):
        machine = relax.VirtualMachine(compiled, tvm.cpu())

    def prepare(values: Sequence[Any]) -> Callable[[], Any]:
        tensors = [value for value in values if isinstance(value, torch.Tensor)]
        given = [tvm.runtime.tensor(each.detach().contiguous().numpy()) for each in tensors]
        return lambda: machine["main"](*given)

    def run(values: Sequence[Any]) -> list[torch.Tensor]:
        found = prepare(values)()
        return [torch.as_tensor(value.numpy()) for value in found if hasattr(value, "numpy")]

    return drop_counts(Exported(run, artifact=artifact, prepare=prepare), job)


def explain(error: BaseException, job: Job) -> Explained:
    """All operators that relax has no translation for, at the line of the first in the program."""
    if known := explain_fixed_size(error, job) or explain_unsolved(error, job):
        return known
    found = _UNSUPPORTED.search(text_of(error))
    if found is None:
        unlowered = _UNLOWERED.search(text_of(error))
        what = f" of {unlowered[1]}" if unlowered else ""
        return Explained(message=f"{summarise_error(error)}{what}")
    names = [name.partition(".")[0] for name in re.findall(r"'([\w.]+)'", found[1])]
    operators = tuple(f"aten::{name}" for name in dict.fromkeys(names))
    where = find_program_stack(error, *names)
    return Explained(operators, where, f"no translation for {', '.join(operators)}")


def script(job: Job) -> str:
    """As `export`."""
    return _SCRIPT.format(shapes=write_shapes(make_dynamic_shapes(job)))
