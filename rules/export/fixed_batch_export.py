"""LT126: an export that leaves every size fixed."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import NONE, Items, Tensor, Value
from lintorch.facts.exporting.export_events import choose_exporter, read_option
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

        The fix leaves the first axis of each input open, where the example shows tensors of two
        rows or more: torch.export fixes a batch of 1 whatever it is told. Height and width are the
        author's to name.
    """,
    bad="""
        import torch


        def export(model):
            image = torch.rand(2, 3, 8, 8)
            torch.onnx.export(model, (image,), "model.onnx")
    """,
    good="""
        import torch


        def export(model):
            image = torch.rand(2, 3, 8, 8)
            torch.onnx.export(model, (image,), "model.onnx", dynamic_shapes=({0: torch.export.Dim.DYNAMIC},))
    """,
    proof="""
        import onnxruntime

        warnings.simplefilter("ignore")
        export(torch.nn.Conv2d(3, 4, 3).eval())
        session = onnxruntime.InferenceSession("model.onnx")
        session.run(None, {"input": torch.ones(5, 3, 8, 8).numpy()})
    """,
    severity=Severity.NOTE,
    default=False,
    remedy="give dynamic_shapes, with a Dim for each axis that may vary",
    fix=Applicability.UNSAFE,
)

EXPORT = "torch.export.export"
SIZES = ("dynamic_shapes", "dynamic_axes")


@rule.event(ONNX_EXPORT, EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    if event.open or _is_program(given.get("model"), source):
        return  # its sizes were chosen when it was exported
    if all(read_option(event, size) in (None, NONE) for size in SIZES):
        said = "every size of the example, the batch too, is fixed in the exported model"
        yield Hit(event, said, open_batch(event, source))


def open_batch(event: Called, source: Source) -> Fix | None:
    """`dynamic_shapes=({0: torch.export.Dim.DYNAMIC},)` for an example of tensors with a batch."""
    given, call = name_given(event), source.call_at(event)
    legacy = event.name == ONNX_EXPORT and choose_exporter(event, source) != "onnx"
    if call is None or legacy or any(name in given for name in (*SIZES, "kwargs")):
        return None
    example = given.get("args")
    inputs = example.items if isinstance(example, Items) else (example,)
    if not inputs or any(arg.star for arg in call.args) or not all(map(has_batch, inputs)):
        return None
    spelled, edits = source.reach("torch.export.Dim", call)
    if not spelled:
        return None
    text = f"dynamic_shapes=({f'{{0: {spelled}.DYNAMIC}}, ' * len(inputs)}".rstrip()
    text = text + ")" if len(inputs) == 1 else text.rstrip(",") + ")"
    return Fix(
        "leave the batch open", (source.insert_argument(call, text), *edits), Applicability.UNSAFE
    )


def has_batch(value: Value | None) -> bool:
    """A tensor of two rows or more."""
    rows = value.shape[0] if isinstance(value, Tensor) and value.sure and value.shape else None
    return isinstance(rows, int) and rows > 1


def _is_program(model: Value | None, source: Source) -> bool:
    """Whether what is given to the ONNX exporter was exported already."""
    ways = source.evaluation.ways
    made = ways.find_maker(model)
    exported = isinstance(made, Called) and made.name == EXPORT
    return exported or ways.name_origin(model).endswith("program")
