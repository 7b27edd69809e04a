"""LT146: a size that is declared dynamic, and is one in the example."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import Constant, External, Held, Items, Tensor, Value
from lintorch.facts.exporting.declared_sizes import list_declared, list_pairs
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT146",
    summary="a size that is declared dynamic, and is one in the example",
    why="""
        torch.export takes a size of 0 or 1 for a constant whatever is declared: with
        `Dim("batch")` or Dim.DYNAMIC it refuses the model, with Dim.AUTO it keeps the size, and its
        program raises AssertionError at any other batch. Take an example of two.

        The new ONNX exporter tries again with such sizes kept open, and writes most models right;
        it refuses `Dim("batch", min=2)`. With a `Dim`, a model that holds an LSTM or
        MultiheadAttention came out with the batch fixed at 1, which is not reported here. The
        legacy exporter's dynamic_axes ask nothing of the example. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def export():
            batch = torch.export.Dim("batch")
            image = torch.ones(1, 3, 8, 8)
            return torch.export.export(nn.Conv2d(3, 4, 3), (image,), dynamic_shapes=({0: batch},))
    """,
    good="""
        import torch
        from torch import nn


        def export():
            batch = torch.export.Dim("batch")
            image = torch.ones(2, 3, 8, 8)
            return torch.export.export(nn.Conv2d(3, 4, 3), (image,), dynamic_shapes=({0: batch},))
    """,
    proof="""
        export()
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

DIM = "torch.export.Dim"
INSTEAD = "take an example of 2"
MADE = frozenset(f"torch.{name}" for name in ("empty", "ones", "rand", "randn", "zeros"))


@rule.event("torch.export.export", ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    of_onnx = event.name == ONNX_EXPORT
    if event.open or (of_onnx and choose_exporter(event, source) != "onnx"):
        return
    if "backed_size_oblivious" in source.text:
        return  # an option under which a size of one stays open
    for each in list_declared(event):
        for axis in list_single(each.value):
            size = find_size(each.sizes, axis, each.value)
            if size == External(f"{DIM}.AUTO") and not of_onnx:
                message = (
                    f"Dim.AUTO fixes axis {axis} at 1, the size of the example, without a word"
                )
                fix = take_two(each.value, axis, source)
                yield Hit(event, message, fix=fix, severity=Severity.WARNING, remedy=INSTEAD)
                return
            if is_refused(size, of_onnx, source):
                exporter = "the new ONNX exporter" if of_onnx else "torch.export"
                message = f"axis {axis} of the example is 1 long, and is declared dynamic"
                told = f"{message}: {exporter} refuses it"
                yield Hit(event, told, fix=take_two(each.value, axis, source), remedy=INSTEAD)
                return


def take_two(value: Value, axis: int, source: Source) -> Fix | None:
    """`torch.ones(2, 3, 8, 8)` for `torch.ones(1, 3, 8, 8)`, where the example is made so."""
    made = source.evaluation.ways.find_maker(value)
    call = source.call_at(made) if isinstance(made, Called) and made.name in MADE else None
    sizes: list[cst.BaseExpression] = []
    if call is not None and not any(arg.star for arg in call.args):
        sizes = [arg.value for arg in call.args if arg.keyword is None]
    if len(sizes) == 1 and isinstance(sizes[0], (cst.Tuple, cst.List)):
        sizes = [element.value for element in sizes[0].elements]
    if axis >= len(sizes) or literal(sizes[axis]) != 1:
        return None
    edit = source.replace(sizes[axis], "2")
    return Fix("take an example of 2", (edit,), Applicability.UNSAFE)


def list_single(value: Value) -> list[int]:
    """The axes of an example that are one long."""
    shape = value.shape if isinstance(value, Tensor) and value.sure else None
    return [axis for axis, size in enumerate(shape or ()) if size == 1]


def find_size(sizes: Value, axis: int, value: Value) -> Value | None:
    """What is declared of an axis: `{0: batch}`, `(batch, None)`."""
    if not isinstance(sizes, Items) or sizes.items is None:
        return None
    if sizes.kind != "dict":
        return sizes.items[axis] if axis < len(sizes.items) else None
    rank = len(value.shape) if isinstance(value, Tensor) and value.shape else 0
    declared = dict(list_pairs(sizes))
    return declared.get(axis, declared.get(axis - rank))


def is_refused(size: Value | None, of_onnx: bool, source: Source) -> bool:
    """Whether it is a Dim that may not be one; the ONNX exporter refuses those that begin at two."""
    if size == External(f"{DIM}.DYNAMIC"):
        return not of_onnx
    if not isinstance(size, Held) or size.of != External(DIM):
        return False
    if not of_onnx:
        return True
    made = source.evaluation.ways.find_maker(size)
    low = name_arguments(made).get("min") if isinstance(made, Called) else None
    return isinstance(low, Constant) and isinstance(low.value, int) and low.value > 1
