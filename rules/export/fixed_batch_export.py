"""LT126: an export that leaves every size fixed."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT126",
    summary="an export that fixes every size",
    why="""
        Without `dynamic_shapes` (or `dynamic_axes`) the exported model takes inputs of exactly
        the example's sizes: ONNX Runtime refuses a batch of 2 where the example had 1. Often that
        is meant, as for TensorRT engines of one size; therefore this rule is off by default.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx")
    """,
    good="""
        import torch


        def export(model, image):
            batch = torch.export.Dim("batch")
            torch.onnx.export(model, (image,), "model.onnx", dynamic_shapes=({0: batch},))
    """,
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        export(torch.nn.Conv2d(3, 4, 3).eval(), torch.ones(2, 3, 8, 8))
        session = onnxruntime.InferenceSession("model.onnx")
        session.run(None, {"input": torch.ones(5, 3, 8, 8).numpy()})
    """,
    severity=Severity.NOTE,
    default=False,
)

SIZES = ("dynamic_shapes", "dynamic_axes")


@rule.source(cst.Call, needs=("onnx.export", "export.export", "import export"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in (ONNX_EXPORT, "torch.export.export"):
        return
    given = source.arguments(
        call, *(("model",) if name == ONNX_EXPORT else ("mod", "args", "kwargs"))
    )
    if _is_program(given.get("model"), source):
        return  # its sizes were chosen when it was exported
    if given.complete and all(given.value(size, None) is None for size in SIZES):
        yield Hit(call, "every size of the example, the batch too, is fixed in the exported model")


def _is_program(model: cst.BaseExpression | None, source: Source) -> bool:
    """Whether what is given to the ONNX exporter was exported already."""
    if model is None:
        return False
    if isinstance(model, cst.Name) and model.value.endswith("program"):
        return True
    return any(source.name(built.func) == "torch.export.export" for built in source.built(model))
