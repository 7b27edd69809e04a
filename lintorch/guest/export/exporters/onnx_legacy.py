"""torch.onnx.export with dynamo=False: a TorchScript trace, translated node by node."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch

from lintorch.guest.export.error_reading import list_causes, list_frames, summarise_error
from lintorch.guest.export.exporter import ONNX_FILE, Explained, Exported, Job
from lintorch.guest.export.exporters import onnx_runtime
from lintorch.guest.export.onnx_graph import reverse_legacy_stack
from lintorch.record.arguments import pick_tensors

_NATIVE_KINDS = ("onnx::", "prim::")
_PACKING = "prim::PackPadded"
_ADVISED_OPSET = re.compile(r"(?:try opset version|was added in version) (\d+)")

_COMPLEX_OPERATORS = frozenset({"aten::stft"})
"""Registered from some opset on, and refused there for the complex numbers that it gives."""
_SCRIPT = """
path = os.path.join(folder.name, "model.onnx")
torch.onnx.export(
    model,
    (*example, {{}}),
    path,
    dynamo=False,
    input_names={names},
    dynamic_axes={axes},{opset}
)
"""


def available() -> str:
    """How to install onnx and onnxruntime."""
    return onnx_runtime.explain_missing_onnx()


def export(job: Job) -> Exported:
    """Exports in the exporter's own mode, which is eval whatever the module's, and loads the file.

    Only a verbose export keeps with each node of the file where it came from.
    """
    path = job.directory / ONNX_FILE
    names = [given.label for given in pick_tensors(job.inputs)]
    axes = {name: axes for name, axes in zip(names, job.list_dynamic_axes(), strict=True) if axes}
    torch.onnx.export(
        job.module,
        onnx_runtime.make_onnx_arguments(job),
        str(path),
        dynamo=False,
        verbose=True,
        dynamic_axes=axes or None,
        input_names=names,
        **({} if job.opset is None else {"opset_version": job.opset}),
    )
    return onnx_runtime.load_onnx_file(path, job)


def script(job: Job) -> str:
    """As `export`."""
    opset = "" if job.opset is None else f"\n    opset_version={job.opset},"
    names = [given.label for given in pick_tensors(job.inputs)]
    axes = {name: axes for name, axes in zip(names, job.list_dynamic_axes(), strict=True) if axes}
    exporting = _SCRIPT.format(names=names, axes=axes or None, opset=opset)
    return exporting + onnx_runtime.write_running(job)


def explain(error: BaseException, job: Job) -> Explained:
    """All operators without translation, else the node whose translation refused."""
    graph = scope = None
    for inner in list_causes(error):
        for frame in list_frames(inner):
            if frame.f_code.co_name == "_model_to_graph":
                graph = frame.f_locals.get("graph")
            if frame.f_code.co_name == "_run_symbolic_function":
                scope = frame
    if scope is None:
        return Explained(where=_find_packing(error))
    missing = [*_find_untranslated(graph, scope.f_globals)] if graph is not None else []
    operators = tuple(dict.fromkeys(node.kind() for node in missing))
    message = (
        f"no ONNX translation for {', '.join(operators)}" if operators else _shorten_refusal(error)
    )
    where = reverse_legacy_stack([*missing, scope.f_locals["node"]][0].sourceRange())
    enough = (
        _find_sufficient_opset(operators, scope.f_globals)
        if operators
        else read_advised_opset(message)
    )
    return Explained(operators, where, message, enough)


def _find_packing(error: BaseException) -> str:
    """The stack of what packs a sequence, in a graph that a pass gave up at before it was translated.

    The exporter writes layers that take packed sequences where what they give is padded again; where only
    their state is used, "vector::_M_range_check" is all that the pass says (torch 2.13).
    """
    graphs = [
        frame.f_locals["graph"]
        for frame in list_frames(error)
        if frame.f_code.co_name == "_optimize_graph" and "graph" in frame.f_locals
    ]
    nodes = (node for graph in graphs for node in graph.nodes() if node.kind() == _PACKING)
    return next((reverse_legacy_stack(node.sourceRange()) for node in nodes), "")


def _find_untranslated(graph: Any, names: Mapping[str, Any]) -> Iterator[Any]:
    """The nodes, of a graph and its blocks, without a translation at the opset being written.

    `names` are those of the exporter's own module: where its registry lives has moved between
    releases of torch.
    """
    registry, opset = names["registration"].registry, names["GLOBALS"].export_onnx_opset_version
    for node in graph.nodes():
        for block in node.blocks():
            yield from _find_untranslated(block, names)
        kind = node.kind()
        native = kind.startswith(_NATIVE_KINDS)
        if not native and not registry.is_registered_op(kind.removesuffix("_"), opset):
            yield node


def _find_sufficient_opset(operators: Iterable[str], names: Mapping[str, Any]) -> int | None:
    """The lowest opset, above the one being written, with a translation for all of these."""
    registry, opset = names["registration"].registry, names["GLOBALS"].export_onnx_opset_version
    highest = getattr(names.get("_constants"), "ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET", opset)
    known = [name.removesuffix("_") for name in operators]
    if not _COMPLEX_OPERATORS.isdisjoint(known):
        return None
    return next(
        (
            higher
            for higher in range(opset + 1, highest + 1)
            if all(registry.is_registered_op(name, higher) for name in known)
        ),
        None,
    )


def read_advised_opset(message: str) -> int | None:
    """The opset that a refusal itself says to use."""
    advice = _ADVISED_OPSET.search(message)
    return int(advice[1]) if advice else None


def _shorten_refusal(error: BaseException) -> str:
    summary = summarise_error(error, 1).partition("  [Caused by")[0]
    return summary.partition(" Please feel free")[0]
