"""LT127: dynamic_axes given to the exporter that wants dynamic_shapes."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.export_calls import (
    is_given,
    literal_strings,
    onnx_arguments,
    onnx_exporter,
)
from lintorch.source import UNKNOWN, Arguments, Source, literal

rule = Rule(
    __name__,
    code="LT127",
    summary="dynamic_axes with the new ONNX exporter, or dynamic_shapes with the legacy one",
    why="""
        The new exporter (the default since torch 2.9) translates `dynamic_axes` to
        `dynamic_shapes` as well as it can and warns that this may fail; with a name that is no
        input it raises. The legacy exporter raises when it is given `dynamic_shapes`, and only
        warns of a name in `dynamic_axes` that it does not know. Measured on torch 2.13.

        `dynamic_shapes` goes by the parameters of forward, in order or by name.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model,
                (image,),
                "model.onnx",
                input_names=["image"],
                dynamic_axes={"image": {0: "batch"}},
            )
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model,
                (image,),
                "model.onnx",
                input_names=["image"],
                dynamic_shapes=({0: "batch"},),
            )
    """,
    proof="""
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", ".*dynamic_axes.*")
        export(torch.nn.Conv2d(3, 4, 3).eval(), torch.ones(2, 3, 8, 8))
    """,
)


@rule.source(cst.Call, needs=("dynamic_axes", "dynamic_shapes"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != ONNX_EXPORT:
        return
    given, exporter = onnx_arguments(call), onnx_exporter(call, source)
    axes, shapes = (is_given(given, name) for name in ("dynamic_axes", "dynamic_shapes"))
    if exporter == "onnx-legacy" and shapes and not axes:
        message = "the legacy exporter raises when given dynamic_shapes: it takes dynamic_axes"
        yield Hit(call, message, severity=Severity.ERROR)
    if not axes:
        return
    unknown = sorted(_unknown(given))
    if unknown and exporter:
        told = "raises" if exporter == "onnx" else "warns, and leaves the sizes fixed"
        severity = Severity.ERROR if exporter == "onnx" else Severity.WARNING
        message = (
            f"dynamic_axes names {unknown[0]!r}, which is no input or output: {exporter} {told}"
        )
        yield Hit(call, message, severity=severity)
    elif exporter == "onnx" and not shapes and literal(given.get("dynamic_axes")) is UNKNOWN:
        yield Hit(
            call, "the new exporter wants dynamic_shapes, and turns dynamic_axes into them at best"
        )


def _unknown(given: Arguments) -> set[str]:
    """Names in a literal `dynamic_axes` that literal input and output names do not hold."""
    lists = (given.get("input_names"), given.get("output_names"))
    if not all(isinstance(each, (cst.List, cst.Tuple)) for each in lists):
        return set()
    known = {name for each in lists for name in literal_strings(each)}
    written = sum(len(each.elements) for each in lists if isinstance(each, (cst.List, cst.Tuple)))
    whole = written == sum(1 for each in lists for _ in literal_strings(each))
    return set(literal_strings(given.get("dynamic_axes"))) - known if whole else set()
