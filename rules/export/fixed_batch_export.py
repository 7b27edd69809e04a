"""LT126: an export that leaves every size fixed."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import NONE, Value
from lintorch.facts.exporting.export_events import read_option
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

EXPORT = "torch.export.export"
SIZES = ("dynamic_shapes", "dynamic_axes")


@rule.event(ONNX_EXPORT, EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    if event.open or _is_program(given.get("model"), source):
        return  # its sizes were chosen when it was exported
    if all(read_option(event, size) in (None, NONE) for size in SIZES):
        yield Hit(event, "every size of the example, the batch too, is fixed in the exported model")


def _is_program(model: Value | None, source: Source) -> bool:
    """Whether what is given to the ONNX exporter was exported already."""
    ways = source.evaluation.ways
    made = ways.find_maker(model)
    exported = isinstance(made, Called) and made.name == EXPORT
    return exported or ways.name_origin(model).endswith("program")
