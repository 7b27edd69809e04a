"""torch.onnx.export with dynamo=True: torch.export first, then a translation operator by operator."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from lintorch.trials import runtime, torch_export
from lintorch.trials.constraints import specialised, unsolved
from lintorch.trials.exporter import FILE, Explained, Exported, Job
from lintorch.trials.trouble import cause, chain, core, frames

_LOWEST_OPSET = 18
"""The first opset that this exporter writes; it only tries to convert to a lower one."""


def available() -> str:
    """How to install onnx, onnxscript and onnxruntime."""
    return runtime.available("onnxscript")


def export(job: Job) -> Exported:
    """Exports to a file and loads it.

    An opset lower than it can write is left to the legacy exporter, whose it must be.
    Inputs are not named: a model that gives back an input would get two values of one name.
    """
    path = job.directory / FILE
    opset = job.opset if (job.opset or 0) >= _LOWEST_OPSET else None
    torch.onnx.export(
        job.module,
        job.example,
        str(path),
        dynamo=True,
        dynamic_shapes=torch_export.shapes(job),
        verbose=False,
        **({} if opset is None else {"opset_version": opset}),
    )
    return runtime.load(path, replace(job, opset=opset))


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without translation, else the node that could not be translated."""
    if baked := specialised(error, job):
        return baked if baked.where else replace(baked, where=_plainly(job))
    if solver := unsolved(error):
        return solver
    where = ""
    for inner in chain(error):
        for frame in frames(inner):
            found = frame.f_locals
            if "decomposed_program" in found and "registry" in found:
                nodes = [
                    *_untranslated(found["decomposed_program"].graph_module, found["registry"])
                ]
                if nodes:
                    return _unsupported(nodes)
            if frame.f_code.co_name == "_translate_fx_graph" and "node" in found:
                where = found["node"].meta.get("stack_trace") or ""
    return Explained(where=where, message=core(cause(error)))


def _plainly(job: Job) -> str:
    """Where torch.export alone refuses: the exporter's own settings keep no guards to read."""
    try:
        torch_export.export(job)
    except Exception as error:
        return torch_export.explain(error, job).where
    return ""


def _unsupported(nodes: list[Any]) -> Explained:
    operators = tuple(dict.fromkeys(map(_asked, nodes)))
    where = next((trace for node in nodes if (trace := node.meta.get("stack_trace"))), "")
    return Explained(operators, where, f"no ONNX translation for {', '.join(operators)}")


def _untranslated(graph: Any, registry: Any) -> Iterator[Any]:
    """The nodes, of a graph and those inside it, for which the registry holds nothing."""
    for module in graph.modules():
        for node in module.graph.nodes if hasattr(module, "graph") else ():
            if node.op == "call_function" and node.target is not operator.getitem:
                if _name(node.target).startswith("onnx"):
                    continue
                complex_input = any(_is_complex(given) for given in node.all_input_nodes)
                known = registry.get_decomps(node.target)
                if not any(bool(entry.is_complex) is complex_input for entry in known):
                    yield node


def _is_complex(node: Any) -> bool:
    value = node.meta.get("val")
    return isinstance(value, torch.Tensor) and bool(value.is_complex())


def _asked(node: Any) -> str:
    """The operator that the model called: what is left untranslated may be a part of it."""
    return _name(node.meta.get("original_aten") or node.target)


def _name(target: Any) -> str:
    schema = getattr(target, "_schema", None)
    return str(schema.name if schema is not None else getattr(target, "__name__", target))
