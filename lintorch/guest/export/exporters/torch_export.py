"""torch.export.export with strict=False and the named sizes Dim.DYNAMIC, which refuses a baked size."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from lintorch.guest.export.exporter import Explained, Exported, Job, save_program, wrap_module
from lintorch.guest.export.shape_constraints import explain_fixed_size, explain_unsolved
from lintorch.guest.watch.trace_graphs import shape_plain_value
from lintorch.record.models import PlainArgument

TAKES_PLAIN = True
_SCRIPT = """
shapes = {shapes}
exported = torch.export.export(model, example, dynamic_shapes=shapes, strict=False).module()
"""


def available() -> str:
    """torch.export is part of torch from 2.5 on, the first release with Dim.DYNAMIC."""
    if hasattr(getattr(getattr(torch, "export", None), "Dim", None), "DYNAMIC"):
        return ""
    return "torch.export with Dim.DYNAMIC needs torch 2.5 or later; pip install 'torch>=2.5'"


def export(job: Job) -> Exported:
    """Exports; the program is run as the module that it unlifts to, with its guards."""
    program = make_program(job)
    module = program.module()
    artifact = save_program(job, "model.pt2", partial(torch.export.save, program))
    return wrap_module(job, module, artifact, _list_kept_devices(program))


def _list_kept_devices(program: Any) -> Iterator[str]:
    """Where a program makes or moves tensors on a device that is a constant of it, as printed stacks."""
    for graph in program.graph_module.modules():
        for node in graph.graph.nodes if hasattr(graph, "graph") else ():
            given = (*node.args, *node.kwargs.values())
            is_made = any(isinstance(value, torch.device) for value in given)
            if (is_made or "lift_fresh" in str(node.target)) and "assert" not in str(node.target):
                yield node.meta.get("stack_trace") or ""


def explain(error: BaseException, job: Job) -> Explained:
    """Names the sizes that the code fixed, and the line that did."""
    return explain_fixed_size(error, job) or explain_unsolved(error, job) or Explained()


def script(job: Job) -> str:
    """As `export`."""
    return _SCRIPT.format(shapes=write_shapes(make_dynamic_shapes(job)))


def write_shapes(value: Any) -> str:
    """The dynamic_shapes of a job as an expression."""
    if isinstance(value, tuple):
        return "(" + "".join(f"{write_shapes(part)}, " for part in value).strip() + ")"
    if isinstance(value, list):
        return "[" + ", ".join(map(write_shapes, value)) + "]"
    if isinstance(value, dict) and any(isinstance(key, str) for key in value):
        return (
            "{" + ", ".join(f"{key!r}: {write_shapes(part)}" for key, part in value.items()) + "}"
        )
    if isinstance(value, dict):
        return "{" + ", ".join(f"{axis}: {_write_dim(dim)}" for axis, dim in value.items()) + "}"
    return "None"


def _write_dim(dim: Any) -> str:
    name = getattr(dim, "__name__", "")
    return f"torch.export.Dim({name!r})" if name else "torch.export.Dim.DYNAMIC"


def make_program(job: Job) -> Any:
    """The exported program, with the sizes that vary left open; its guards are heard."""
    with job.guards.listen():
        return torch.export.export(
            job.module,
            job.arrange_arguments(job.example),
            dynamic_shapes=make_dynamic_shapes(job),
            strict=False,
        )


def make_dynamic_shapes(job: Job) -> Any:
    """The dynamic_shapes of a job: None where no size is dynamic.

    Given as a sequence over the arguments. A size that several inputs share needs no Dim of its
    own: Dim.DYNAMIC lets sizes be found equal and refuses only those found constant. A Dim with a
    name is refused by torch.export where any relation holds for its size; torch.onnx.export then
    makes it a constant and says nothing, which it does with no Dim.DYNAMIC (torch 2.13).
    """
    if not job.dynamic:
        return None
    dims = {name: _declare(name, job.named) for name in job.dynamic}
    each = job.arrange_arguments(
        [
            shape_plain_value(value)
            if isinstance(given, PlainArgument)
            else {axis: dims[name] for axis, name in axes.items()} or None
            for given, value, axes in zip(
                job.inputs, job.example, job.list_dynamic_axes(), strict=True
            )
        ]
    )
    return gather_star(job.module, each)


def gather_star(module: Any, each: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is said of each argument, as torch.export takes it: of those of `*args` in one tuple."""
    named = _count_before_star(module, len(each))
    return each if named is None else (*each[:named], each[named:])


def _declare(name: str, named: bool) -> Any:
    takes_name = named and name.isidentifier()
    return torch.export.Dim(name) if takes_name else torch.export.Dim.DYNAMIC


def _count_before_star(module: Any, given: int) -> int | None:
    """How many arguments come before those that go to `*args`; None where none go there."""
    kinds = [parameter.kind for parameter in inspect.signature(module.forward).parameters.values()]
    star = inspect.Parameter.VAR_POSITIONAL
    place = kinds.index(star) if star in kinds else given
    return place if place < given else None
