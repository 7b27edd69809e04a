"""torch.onnx.export with dynamo=True: torch.export first, then a translation operator by operator."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lintorch.guest.export.error_reading import (
    find_root_cause,
    list_causes,
    list_frames,
    summarise_error,
)
from lintorch.guest.export.exporter import ONNX_FILE, Explained, Exported, Job
from lintorch.guest.export.exporters import onnx_runtime, torch_export
from lintorch.guest.export.shape_constraints import explain_fixed_size, explain_unsolved

TAKES_PLAIN = True
_SCRIPT = """
path = os.path.join(folder.name, "model.onnx")
torch.onnx.export(
    model,
    (*example, {{}}),
    path,
    dynamo=True,
    dynamic_shapes={shapes},{opset}
)
"""


def available() -> str:
    """How to install onnx, onnxscript and onnxruntime."""
    return onnx_runtime.explain_missing_onnx("onnxscript")


def export(job: Job) -> Exported:
    """Exports to a file and loads it."""
    return onnx_runtime.load_onnx_file(write_onnx_file(job), job)


def write_onnx_file(job: Job) -> Path:
    """Exports to a file.

    A lower opset than it can write it converts to, or keeps the lowest that it can.
    Inputs are not named: a model that gives back an input would get two values of one name.
    """
    path = job.directory / ONNX_FILE
    with job.guards.listen():
        torch.onnx.export(
            job.module,
            onnx_runtime.make_onnx_arguments(job),
            str(path),
            dynamo=True,
            dynamic_shapes=torch_export.make_dynamic_shapes(job),
            verbose=False,
            **({} if job.opset is None else {"opset_version": job.opset}),
        )
    return path


def script(job: Job) -> str:
    """As `export`."""
    opset = "" if job.opset is None else f"\n    opset_version={job.opset},"
    shapes = write_dynamic_shapes(job)
    return _SCRIPT.format(shapes=shapes, opset=opset) + onnx_runtime.write_running(job)


def write_dynamic_shapes(job: Job) -> str:
    """The dynamic_shapes of a job as an expression."""
    return torch_export.write_shapes(torch_export.make_dynamic_shapes(job))


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without translation, else the node that could not be translated."""
    if baked := explain_fixed_size(error, job):
        return baked
    if solver := explain_unsolved(error, job):
        return solver
    where = ""
    for inner in list_causes(error):
        for frame in list_frames(inner):
            found = frame.f_locals
            if "decomposed_program" in found and "registry" in found:
                nodes = [
                    *_find_untranslated(found["decomposed_program"].graph_module, found["registry"])
                ]
                if nodes:
                    explained = _explain_untranslated(nodes, found["registry"])
                    return replace(explained, opset=found["registry"].opset_version)
            if frame.f_code.co_name == "_translate_fx_graph" and "node" in found:
                where = found["node"].meta.get("stack_trace") or ""
    return Explained(where=where, message=summarise_error(find_root_cause(error)))


def _explain_untranslated(nodes: list[Any], registry: Any) -> Explained:
    operators = tuple(dict.fromkeys(map(_get_called_operator, nodes)))
    where = next((trace for node in nodes if (trace := node.meta.get("stack_trace"))), "")
    message = f"no ONNX translation for {', '.join(operators)}"
    return Explained(operators, where, message, _find_sufficient_opset(nodes, registry))


def _find_sufficient_opset(nodes: list[Any], registry: Any) -> int | None:
    """The lowest opset, above the one being written, with a translation for all of these.

    None too where another release of torch keeps its translations elsewhere.
    """
    with suppress(AttributeError, TypeError):
        highest = torch.onnx._constants.ONNX_MAX_OPSET
        opsets = range(registry.opset_version + 1, highest + 1)
        if opsets and _has_translations(nodes, registry, highest):
            return next(opset for opset in opsets if _has_translations(nodes, registry, opset))
    return None


def _has_translations(nodes: list[Any], registry: Any, opset: int) -> bool:
    """Whether the registry, as it is at an opset, has all of these or what they are parts of."""
    other = type(registry).from_torchlib(opset_version=opset)
    whole = (node.meta.get("original_aten") or node.target for node in nodes)
    return all(
        any(map(_make_lookup(other, _takes_complex(node)), (node.target, called)))
        for node, called in zip(nodes, whole, strict=True)
    )


def _make_lookup(registry: Any, takes_complex: bool) -> Callable[[Any], bool]:
    return lambda target: any(
        bool(entry.is_complex) is takes_complex for entry in registry.get_decomps(target)
    )


def _find_untranslated(graph: Any, registry: Any) -> Iterator[Any]:
    """The nodes, of a graph and those inside it, for which the registry holds nothing."""
    for module in graph.modules():
        for node in module.graph.nodes if hasattr(module, "graph") else ():
            if node.op == "call_function" and node.target is not operator.getitem:
                if _get_operator_name(node.target).startswith("onnx"):
                    continue
                if not _make_lookup(registry, _takes_complex(node))(node.target):
                    yield node


def _takes_complex(node: Any) -> bool:
    values = (given.meta.get("val") for given in node.all_input_nodes)
    return any(isinstance(value, torch.Tensor) and value.is_complex() for value in values)


def _get_called_operator(node: Any) -> str:
    """The operator that the model called: what is left untranslated may be a part of it."""
    return _get_operator_name(node.meta.get("original_aten") or node.target)


def _get_operator_name(target: Any) -> str:
    schema = getattr(target, "_schema", None)
    return str(schema.name if schema is not None else getattr(target, "__name__", target))
