"""LT174: translations for the legacy ONNX exporter, in a file that exports by the new one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.exporting.export_events import choose_exporter, find_script
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT174",
    summary="a symbolic function that the new ONNX exporter does not read",
    why="""
        `torch.onnx.register_custom_op_symbolic` and the method `symbolic` of an autograd Function
        tell the legacy exporter how to write an operator. The new one (`dynamo=True`, the default since
        torch 2.9) calls neither: it refuses an operator that it has no translation of its own for, and
        writes the operations inside of a Function in the place of the node that was asked for, without
        a word. Measured on torch 2.13.

        It takes `custom_translation_table={torch.ops.aten.erfinv.default: function}`, whose functions
        are written with onnxscript. Reported where the file exports by the new exporter.
    """,
    bad="""
        import torch
        from torch import nn


        def write(g, x):
            return g.op("custom::Erfinv", x)


        class Quantile(nn.Module):
            def forward(self, x):
                return torch.erfinv(x)


        def export(x):
            torch.onnx.register_custom_op_symbolic("aten::erfinv", write, 17)
            torch.onnx.export(Quantile(), (x,), "model.onnx", dynamo=True)
    """,
    good="""
        import torch
        from torch import nn


        def write(g, x):
            return g.op("custom::Erfinv", x)


        class Quantile(nn.Module):
            def forward(self, x):
                return torch.erfinv(x)


        def export(x):
            torch.onnx.register_custom_op_symbolic("aten::erfinv", write, 17)
            torch.onnx.export(Quantile(), (x,), "model.onnx", dynamo=False)
    """,
    remedy="pass custom_translation_table= to torch.onnx.export, or dynamo=False",
    proof="""
        warnings.simplefilter("ignore")
        export(torch.rand(2, 3))
    """,
)

REGISTERS = "torch.onnx.register_custom_op_symbolic"
FUNCTION = "torch.autograd.Function"


@rule.source(cst.Call, needs=("register_custom_op_symbolic",))
def in_registry(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) == REGISTERS and is_exported_anew(source):
        said = "the new ONNX exporter does not call what is registered here"
        yield Hit(call, said, cause="registered")


@rule.source(cst.FunctionDef, needs=("symbolic",))
def in_function(node: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`def symbolic(g, x)` of a Function."""
    info = source.classes.around(node) if node.name.value == "symbolic" else None
    if info is None or FUNCTION not in info.bases:
        return
    if is_exported_anew(source):
        said = f"the new ONNX exporter does not call it, and writes what {info.name} computes"
        yield Hit(node, said)


def is_exported_anew(source: Source) -> bool:
    """Whether the file exports by the new exporter, and no model of TorchScript."""
    ways = source.evaluation.ways
    return any(
        isinstance(each, Called)
        and choose_exporter(each, source) == "onnx"
        and find_script(each, ways) is None
        for _, each in source.evaluation.list_events({ONNX_EXPORT})
    )
