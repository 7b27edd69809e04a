"""LT128: an argument of an export that the exporter in use does not look at."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.export_calls import literal_strings, onnx_arguments, onnx_exporter
from lintorch.source import Arguments, Source

rule = Rule(
    __name__,
    code="LT128",
    summary="an export argument that has no effect",
    why="""
        `torch.onnx.export` has one signature for two exporters, and each passes over the
        arguments of the other without a word: with the new one `do_constant_folding` does
        nothing, and `training=TrainingMode.EVAL` does not put the model into eval mode. Both
        exporters pass over names in `input_names` beyond the model's inputs.
        Measured on torch 2.13.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model, (image,), "model.onnx", dynamo=True, do_constant_folding=True
            )
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model, (image,), "model.onnx", dynamo=True
            )
    """,
    unproven="""
        It is the absence of an effect, which costs no more than a reader's trust: the model that
        is written is the same with and without the argument.
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

IGNORED = {
    "onnx": (
        "do_constant_folding", "training", "operator_export_type", "export_modules_as_functions",
        "autograd_inlining",
    ),
    "onnx-legacy": (
        "optimize", "report", "verify", "dump_exported_program", "artifacts_dir", "profile",
        "custom_translation_table",
    ),
}  # fmt: skip
FIRST = (2, 9)
"""The first release whose new exporter is known to pass over them."""


@rule.source(cst.Call, needs=("onnx",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    exporter = onnx_exporter(call, source) if source.name(call.func) == ONNX_EXPORT else ""
    if not exporter or source.profile.torch < FIRST:
        return
    given = onnx_arguments(call)
    for name in IGNORED[exporter]:
        arg = given.by_name.get(name)
        if arg is not None and arg.keyword is not None:
            mode = (name == "training" and "the mode of the model decides") or "it changes nothing"
            promise = Applicability.SAFE if "dynamo" in given.by_name else Applicability.UNSAFE
            fix = Fix(f"leave {name} out", (_without(call, arg, source),), promise)
            yield Hit(arg, f"{exporter} passes over {name}: {mode}", fix)
    if extra := _extra_names(given):
        message = f"input_names has {extra} more than there are inputs: they are passed over"
        yield Hit(given.by_name["input_names"], message)


def _extra_names(given: Arguments) -> int:
    """How many names are left over where both inputs and names are written out."""
    inputs, names = given.get("args"), given.get("input_names")
    if not isinstance(inputs, cst.Tuple) or not isinstance(names, (cst.List, cst.Tuple)):
        return 0
    if any(not isinstance(e, cst.Element) for e in (*inputs.elements, *names.elements)):
        return 0
    nested = any(
        isinstance(e.value, (cst.Dict, cst.Tuple, cst.List, cst.Name)) for e in inputs.elements
    )
    told = sum(1 for _ in literal_strings(names))
    if nested and not all(isinstance(e.value, cst.Name) for e in inputs.elements):
        return 0
    return max(0, told - len(inputs.elements)) if given.get("kwargs") is None and not nested else 0


def _without(call: cst.Call, arg: cst.Arg, source: Source) -> Edit:
    """An edit that takes an argument out, with the comma before or after it."""
    at = call.args.index(arg)
    start, end = (source.spans.offset(*p) for p in source.spans.of(arg))
    if at + 1 < len(call.args):
        return Edit(start, source.spans.offset(*source.spans.of(call.args[at + 1])[0]), "")
    if at:
        return Edit(source.spans.offset(*source.spans.of(call.args[at - 1])[1]), end, "")
    return Edit(start, end, "")
