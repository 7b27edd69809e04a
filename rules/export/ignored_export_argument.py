"""LT128: an argument of an export that the exporter in use does not look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_keys
from lintorch.evaluator.values import Items, Tensor, Unknown, Value
from lintorch.facts.exporting.export_calls import onnx_arguments
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT128",
    summary="an export argument that has no effect",
    why="""
        `torch.onnx.export` has one signature for two exporters, and each passes over the
        arguments of the other without a word: with the new one `do_constant_folding` does
        nothing, and `training=TrainingMode.EVAL` does not put the model into eval mode. Of
        names in `input_names` beyond the model's inputs the new one takes no notice, and the legacy
        one gives them to the weights, in order.
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


@rule.event(ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    exporter = choose_exporter(event, source)
    if not exporter or source.profile.torch < FIRST:
        return
    given, call = name_given(event), source.call_at(event)
    written = onnx_arguments(call).by_name if call is not None else {}
    for name in IGNORED[exporter]:
        if name in given:
            mode = (name == "training" and "the mode of the model decides") or "it changes nothing"
            arg, fix = written.get(name), None
            if call is not None and arg is not None and arg.keyword is not None:
                promise = Applicability.SAFE if "dynamo" in given else Applicability.UNSAFE
                fix = Fix(f"leave {name} out", (source.remove_argument(call, arg),), promise)
            message = f"{exporter} passes over {name}: {mode}"
            yield Hit(arg or event, message, fix, remedy="leave it out")
    if extra := _count_extra(given):
        names = written.get("input_names")
        end = "they are passed over" if exporter == "onnx" else "weights are called so"
        message = f"input_names has {extra} more than there are inputs: {end}"
        fix = _cut_names(names, extra, exporter, source)
        yield Hit(names or event, message, fix, remedy="name each input once")


def _cut_names(names: cst.Arg | None, extra: int, exporter: str, source: Source) -> Fix | None:
    """The names without those that are too many, where they are written out."""
    if names is None or not isinstance(names.value, cst.List):
        return None
    kept = ", ".join(source.code(each.value) for each in names.value.elements[:-extra])
    promise = Applicability.SAFE if exporter == "onnx" else Applicability.UNSAFE
    return Fix("name each input once", (source.replace(names.value, f"[{kept}]"),), promise)


def _count_extra(given: Mapping[str, Value]) -> int:
    """How many names are left over where both inputs and names are known."""
    inputs, names = given.get("args"), read_keys(given.get("input_names"))
    if not isinstance(inputs, Items) or inputs.kind != "tuple" or "kwargs" in given:
        return 0
    if not inputs.items or any(not _is_one(each) for each in inputs.items):
        return 0
    return max(0, len(names) - len(inputs.items))


def _is_one(value: Value) -> bool:
    """Whether it surely is one input: no tuple or dictionary of several."""
    return isinstance(value, Tensor) or (isinstance(value, Unknown) and value.path.endswith(")"))
