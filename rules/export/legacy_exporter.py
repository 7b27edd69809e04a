"""LT129: an export by a path that torch has given up."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, Choice, Value
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.exporting.export_events import JIT_CALLS, choose_exporter, find_script
from lintorch.facts.models.value_ways import list_operands
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
    fix=Applicability.UNSAFE,
)

GIVEN = ("obj", "func", "mod")
"""How these call the model."""
INSTEAD = "keep torch.export.export(model, args) by torch.export.save; allow the line where C++ reads a script"
MODEL_ITSELF = "give it the model that was scripted, or pass dynamo=False"
LEAVE_OUT = "leave it out, with dynamic_shapes for dynamic_axes"
DEPRECATED = (2, 9)
"""The first release in which the other way is the default."""
SCRIPT_DEPRECATED = (2, 13)
"""The release that was seen to warn of torch.jit."""
_REFINES = frozenset(
    {
        "torch.utils.mobile_optimizer.optimize_for_mobile",
        "torch.jit.freeze",
        "torch.jit.optimize_for_inference",
    }
)
_SAVES = ("save", "save_to_buffer", "_save_for_lite_interpreter")


@rule.event("torch.jit.save", *(f"torch.nn.Module.{name}" for name in _SAVES))
def in_save(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.jit.save(torch.jit.trace(model, x), path)`."""
    yield from _report_saved(event.positional[0] if event.positional else None, source)


@rule.event(UnknownCalled)
def in_method(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`torch.jit.trace(model, x).save(path)`."""
    if event.method in _SAVES:
        yield from _report_saved(event.held, source)


def _report_saved(saved: Value | None, source: Source) -> Iterator[Hit]:
    """What made the program that is saved, where torch warns of it."""
    if source.profile.torch < SCRIPT_DEPRECATED or source.is_test:
        return
    for each in saved.alternatives if isinstance(saved, Choice) else (saved,):
        made = source.evaluation.ways.find_maker(each)
        while isinstance(made, Called) and made.name in _REFINES:
            made = source.evaluation.ways.find_maker(next(list_operands(made), None))
        if not isinstance(made, Called) or made.name not in JIT_CALLS:
            continue
        call = source.call_at(made)
        if call is None or not is_version_guarded(call, source):
            said = f"{made.name} is deprecated: torch.export takes its place"
            yield Hit(made, said, remedy=INSTEAD)


@rule.event(ONNX_EXPORT)
def in_onnx(event: Called, source: Source) -> Iterator[Hit]:
    given, exporter = name_given(event), choose_exporter(event, source)
    made = find_script(event, source.evaluation.ways)
    if exporter == "onnx" and made is not None:
        message = "the new exporter raises when it is given a scripted or traced model"
        fix = unwrap(event, made, source)
        yield Hit(event, message, fix, severity=Severity.ERROR, remedy=MODEL_ITSELF)
    elif given.get("dynamo") == FALSE and _is_going(source):
        call = source.call_at(event)
        if call is None or not is_version_guarded(call, source):
            said = "dynamo=False takes the exporter that torch is going to remove"
            yield Hit(event, said, remedy=LEAVE_OUT)


def unwrap(event: Called, made: Called, source: Source) -> Fix | None:
    """`torch.onnx.export(model, …)` for `torch.onnx.export(torch.jit.script(model), …)`."""
    call, inner = source.call_at(event), source.call_at(made)
    if call is None or inner is None or made.name not in JIT_CALLS or not inner.args:
        return None
    outer, given = source.parent(inner), inner.args[0]
    within = isinstance(outer, cst.Arg) and outer in call.args
    if not within or given.star or (given.keyword and given.keyword.value not in GIVEN):
        return None
    edit = source.replace(inner, source.code(given.value))
    return Fix("export the model itself", (edit,), Applicability.UNSAFE)


def _is_going(source: Source) -> bool:
    return source.profile.torch >= DEPRECATED
