"""LT129: an export by a path that torch has given up."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.exporting.export_events import choose_exporter
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT129",
    summary="an export by a retired path",
    why="""
        `torch.onnx.export(..., dynamo=False)` is the exporter built on TorchScript; torch warns
        that it will be removed, and a branch on data is baked by it without an error.
        `torch.jit.trace` and `torch.jit.script` warn since they are deprecated in favour of
        `torch.export`. A scripted or traced model handed to the new ONNX exporter raises.
        Measured on torch 2.13.

        Where the model is read by C++ through TorchScript there is no way around it yet: allow
        the line.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(torch.jit.script(model), (image,), "model.onnx")
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx")
    """,
    proof="""
        warnings.simplefilter("ignore")
        export(torch.nn.Conv2d(3, 4, 3).eval(), torch.ones(1, 3, 8, 8))
    """,
    severity=Severity.NOTE,
)

MADE = ("torch.jit.trace", "torch.jit.trace_module", "torch.jit.script")
SCRIPTS = (*MADE, "torch.jit.load")
DEPRECATED = (2, 9)
"""The first release in which the other way is the default."""
SCRIPT_DEPRECATED = (2, 13)
"""The release that was seen to warn of torch.jit."""
_SAVES = ("save", "save_to_buffer", "_save_for_lite_interpreter")


@rule.source(cst.Call, needs=("jit",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    saved = name in MADE and _warns(source) and _is_saved(call, source)
    if saved and not is_version_guarded(call, source):
        yield Hit(call, f"{name} is deprecated: torch.export takes its place")


def _warns(source: Source) -> bool:
    return source.profile.torch >= SCRIPT_DEPRECATED and not source.is_test


@rule.event(ONNX_EXPORT)
def in_onnx(event: Called, source: Source) -> Iterator[Hit]:
    given, exporter = name_given(event), choose_exporter(event, source)
    made = source.evaluation.ways.find_maker(given.get("model"))
    if exporter == "onnx" and isinstance(made, Called) and made.name in SCRIPTS:
        message = "the new exporter raises when it is given a scripted or traced model"
        yield Hit(event, message, severity=Severity.ERROR)
    elif given.get("dynamo") == FALSE and _is_going(source):
        call = source.call_at(event)
        if call is None or not is_version_guarded(call, source):
            yield Hit(event, "dynamo=False takes the exporter that torch is going to remove")


def _is_going(source: Source) -> bool:
    return source.profile.torch >= DEPRECATED


def _is_saved(call: cst.Call, source: Source) -> bool:
    """`torch.jit.trace(...).save(p)`, and a name that is saved in the same function."""
    outer = source.parent(call)
    if isinstance(outer, cst.Attribute):
        return outer.attr.value in _SAVES
    if not isinstance(outer, cst.Assign) or not isinstance(outer.targets[0].target, cst.Name):
        return isinstance(outer, cst.Arg) and _saves(source.parent(outer), source)
    name, scope = outer.targets[0].target.value, source.enclosing(call, cst.FunctionDef)
    return any(
        source.enclosing(other, cst.FunctionDef) is scope and _is_handed_on(other, source)
        for other in source.mentions_of(name)
    )


def _is_handed_on(name: cst.Name, source: Source) -> bool:
    outer = source.parent(name)
    if isinstance(outer, cst.Attribute) and outer.value is name:
        return outer.attr.value in _SAVES
    return isinstance(outer, cst.Arg) and _saves(source.parent(outer), source)


def _saves(call: cst.CSTNode | None, source: Source) -> bool:
    return isinstance(call, cst.Call) and source.name(call.func) == "torch.jit.save"
