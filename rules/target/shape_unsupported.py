"""LT906: sizes or dimensions that a deployment target does not take."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.profile import enumerate_names
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, OperatorUse, Outcome, Trace, Trial
from lintorch.evidence.fused_operators import FUNCTIONS, find_fused_operators
from lintorch.facts.exporting.export_calls import is_given, onnx_arguments
from lintorch.source import Source
from lintorch.targets import Answer, Target, find_target
from lintorch.targets.verdict import About

rule = Rule(
    __name__,
    code="LT906",
    summary="sizes that the target does not take",
    why="""
        RKNN, and TensorRT before 6.0, take models whose every size is a number: an axis that is
        declared dynamic keeps the model from being read. Some operators exist
        for some numbers of dimensions only: GridSample of volumes came to TensorRT with 11.2.
        Where an output has as many values as the data says, as that of NonZero, TensorRT does
        not know its size before it runs: an application has to give it an IOutputAllocator.

        Declare sizes as dynamic only where the target can have them so, and export once per
        size otherwise.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model, (image,), "model.onnx", input_names=["x"], dynamic_axes={"x": {0: "batch"}},
                dynamo=False, opset_version=13,
            )
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(
                model, (image,), "model.onnx", input_names=["x"],
                dynamo=False, opset_version=13,
            )
    """,
    remedy="flatten or split to as many axes as the target takes: x.flatten(0, 1), and unflatten after it",
    unproven="""
        It takes the target's own tools. RKNN: issues 158 and 457 of airockchip/rknn-toolkit2.
        TensorRT: pull request 2450 of microsoft/onnxruntime, and its release notes.
    """,
    severity=Severity.WARNING,
    example_profile=("onnx-legacy", "target:rknn-2.1"),
)

DATA_DEPENDENT = ("NonZero", "NonMaxSuppression", "Unique", "Compress")
SIZES = ("dynamic_axes", "dynamic_shapes")


@rule.source(cst.Call, needs=SIZES)
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.profile.targets or source.name(call.func) != ONNX_EXPORT:
        return
    given = onnx_arguments(call)
    named = [name for name in SIZES if is_given(given, name)]
    for target in map(find_target, source.profile.targets if named else ()):
        if target.release.dynamic is False:
            node = given.get(named[0])
            message = (
                f"{named[0]} is given, and {target.name} takes fixed sizes only{since(target)}"
            )
            said = f"{message} [medium confidence]"
            yield Hit(node, said, target=target.name, remedy="export once per size")


@rule.trace(*FUNCTIONS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    for target in map(find_target, trace.profile.targets):
        for name, opset in dict.fromkeys(find_fused_operators(event, trace)):
            use = OperatorUse(name, opset, rank=len(event.inputs[0]))
            if found := next(refused([use], target), None):
                message = f"ran on {list(event.inputs[0])}"
                grave = Severity.ERROR
                yield Hit(event, message, severity=grave, target=target.name, detail=found)
                break


@rule.trial("ok", "wrong", "random", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for target in map(find_target, trial.profile.targets if outcome.graph else ()):
        for site, uses in trial.list_by_line().items():
            if found := list(dict.fromkeys(refused(uses, target))):
                message = f"exported by {outcome.exporter}: {'; '.join(found)}"
                yield Hit(site, message, severity=Severity.ERROR, target=target.name)
            elif names := list(dict.fromkeys(as_many_as_the_data_says(uses, target))):
                message = f"{enumerate_names(names)} makes as many values as the data says"
                how = f"{target.name} hands such an output only to an IOutputAllocator"
                remedy, severity = "keep a mask of fixed size instead", Severity.NOTE
                said = f"{message}, and {how}"
                yield Hit(site, said, severity=severity, target=target.name, remedy=remedy)


def as_many_as_the_data_says(uses: list[OperatorUse], target: Target) -> Iterator[str]:
    """The operators with outputs of a size that TensorRT learns only when it runs."""
    for use in uses if target.family == "tensorrt" else ():
        if use.data and use.name in DATA_DEPENDENT and target.supports(use.name, use.opset):
            yield use.name


def refused(uses: list[OperatorUse], target: Target) -> Iterator[str]:
    """What is said of each operator with a number of dimensions that the target does not take."""
    for use in uses:
        verdict = target.supports(use.name, use.opset, use.domain, rank=use.rank)
        if verdict.answer is Answer.NO and verdict.about is About.RANK:
            later = f" ({target.family}-{verdict.since} does)" if verdict.since else ""
            yield f"{use.name} of {use.rank} dimensions, where {verdict.reason}{later}"


def since(target: Target) -> str:
    """The first later release that takes sizes that vary."""
    found = next((r.version for r in target.tables.later(target.version) if r.dynamic), None)
    return f" ({target.family}-{found} takes others)" if found else ""
