"""torch.onnx.export with dynamo=False: a TorchScript trace, translated node by node."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from lintorch.trials import runtime
from lintorch.trials.exporter import FILE, Explained, Exported, Job
from lintorch.trials.flat import traceable
from lintorch.trials.trouble import chain, core, frames

_SUPPORTED = ("onnx::", "prim::")


def available() -> str:
    """How to install onnx and onnxruntime."""
    return runtime.available()


def export(job: Job) -> Exported:
    """Exports in the exporter's own mode, which is eval whatever the module's, and loads the file.

    Only a verbose export keeps with each node of the file where it came from.
    """
    path = job.directory / FILE
    names = [given.name for given in job.inputs]
    axes = {name: axes for name, axes in zip(names, job.axes(), strict=True) if axes}
    torch.onnx.export(
        traceable(job),
        job.example,
        str(path),
        dynamo=False,
        verbose=True,
        dynamic_axes=axes or None,
        input_names=names,
        **({} if job.opset is None else {"opset_version": job.opset}),
    )
    return runtime.load(path, job)


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without translation, else the node whose translation refused."""
    graph = scope = None
    for inner in chain(error):
        for frame in frames(inner):
            if frame.f_code.co_name == "_model_to_graph":
                graph = frame.f_locals.get("graph")
            if frame.f_code.co_name == "_run_symbolic_function":
                scope = frame
    if scope is None:
        return Explained()
    missing = [*_untranslated(graph, scope.f_globals)] if graph is not None else []
    operators = tuple(dict.fromkeys(node.kind() for node in missing))
    message = f"no ONNX translation for {', '.join(operators)}" if operators else _refusal(error)
    return Explained(operators, _stack([*missing, scope.f_locals["node"]][0]), message)


def _untranslated(graph: Any, names: Mapping[str, Any]) -> Iterator[Any]:
    """The nodes, of a graph and its blocks, without a translation at the opset being written.

    `names` are those of the exporter's own module: where its registry lives has moved between
    releases of torch.
    """
    registry, opset = names["registration"].registry, names["GLOBALS"].export_onnx_opset_version
    for node in graph.nodes():
        for block in node.blocks():
            yield from _untranslated(block, names)
        kind = node.kind()
        native = kind.startswith(_SUPPORTED)
        if not native and not registry.is_registered_op(kind.removesuffix("_"), opset):
            yield node


def _stack(node: Any) -> str:
    """Where the model called a node's operator, the innermost line last."""
    within = itertools.takewhile(
        lambda line: "_get_trace_graph" not in line, node.sourceRange().splitlines()
    )
    return "\n".join(reversed([*within]))


def _refusal(error: BaseException) -> str:
    told = core(error, 1).partition("  [Caused by")[0]
    return told.partition(" Please feel free")[0]
