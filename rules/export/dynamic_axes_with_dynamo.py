"""LT127: dynamic_axes given to the exporter that wants dynamic_shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_keys
from lintorch.evaluator.values import NONE, Value
from lintorch.facts.exporting.export_events import choose_exporter, read_option
from lintorch.source import Source

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
    remedy="give dynamic_shapes, keyed by the parameters of forward: {'x': {0: 'batch'}}",
    proof="""
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", ".*dynamic_axes.*")
        export(torch.nn.Conv2d(3, 4, 3).eval(), torch.ones(2, 3, 8, 8))
    """,
)


@rule.event(ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    given, exporter = name_given(event), choose_exporter(event, source)
    axes, shapes = (read_option(event, each) or NONE for each in ("dynamic_axes", "dynamic_shapes"))
    if exporter == "onnx-legacy" and shapes != NONE and axes == NONE:
        message = "the legacy exporter raises when given dynamic_shapes"
        remedy = "give dynamic_axes, keyed by input names: {'x': {0: 'batch'}}"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)
    if axes == NONE:
        return
    unknown = sorted(_unknown(given))
    if unknown and exporter:
        told = "raises" if exporter == "onnx" else "warns, and leaves the sizes fixed"
        severity = Severity.ERROR if exporter == "onnx" else Severity.WARNING
        message = (
            f"dynamic_axes names {unknown[0]!r}, which is no input or output: {exporter} {told}"
        )
        remedy = f"list {unknown[0]!r} among input_names or output_names, or drop it"
        yield Hit(event, message, severity=severity, remedy=remedy)
    elif exporter == "onnx" and shapes == NONE:
        yield Hit(event, "the new exporter warns of dynamic_axes, and converts them at best")


def _unknown(given: Mapping[str, Value]) -> set[str]:
    """Names in `dynamic_axes` that the names of inputs and outputs do not hold, where all are known."""
    lists = [read_keys(given.get(each)) for each in ("input_names", "output_names")]
    if not all(lists):
        return set()
    return {key for key in read_keys(given.get("dynamic_axes")) if isinstance(key, str)} - {
        key for each in lists for key in each
    }
