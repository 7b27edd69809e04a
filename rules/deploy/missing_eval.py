"""LT201: a model exported while it is in training mode."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.exporter_calls import DYNAMO_BY_DEFAULT, EXPORTER_CALLS
from lintorch.core.finding import Applicability, Edit, Fix, Hit, Place, Refuted, Severity
from lintorch.core.profile import enumerate_names
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, ModelHandled, Occurrence
from lintorch.evaluator.model_modes import ASKS, SESSION
from lintorch.evidence import IN_TRAINING, GraphCapture, ModalLayer, Outcome, Trace, Tracer, Trial
from lintorch.facts.exporting.export_events import name_model
from lintorch.facts.models.mode_changes import may_have_changed, tell_dependence
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT201",
    summary="a model is exported in training mode",
    why="""
        A module is in training mode from the moment it is built. torch.export and torch.jit
        write what the model does in the mode it is in: BatchNorm that uses the statistics of
        the batch, dropout that drops. torch.export does so without a word, and an exported
        program cannot be put into eval mode afterwards. The ONNX exporter warns; it gets
        BatchNorm right and leaves dropout random. The legacy ONNX exporter exports in eval mode
        by itself. A model of nothing but linear, convolution and LayerNorm layers is the same in
        both modes and is not reported. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def export(example):
            model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
            return torch.export.export(model, (example,))
    """,
    good="""
        import torch
        from torch import nn


        def export(example):
            model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU())
            model.eval()
            return torch.export.export(model, (example,))
    """,
    remedy="call model.eval() before it",
    proof="""
        exported = export(torch.randn(4, 3, 8, 8)).module()
        images = torch.randn(4, 3, 8, 8)
        others = images.clone()
        others[1:] += 5
        assert torch.equal(exported(images)[0], exported(others)[0])
    """,
    fix=Applicability.UNSAFE,
)

EXPORTERS = {**EXPORTER_CALLS, "torch.fx.symbolic_trace": ("fx", "root")}
_LIBRARIES = (
    (
        re.compile(
            r"^torchvision\.models\.(\w+\.)*(resn\w+|wide_\w+|densenet|mobilenet|mnasnet|shufflenet"
            r"|efficientnet|regnet|inception|googlenet|fcn|deeplab|lraspp|vgg\d+_bn)\w*$"
        ),
        "BatchNorm2d",
    ),
    (re.compile(r"^torchvision\.models\.(\w+\.)*(alexnet|vgg|squeezenet)\w*$"), "Dropout"),
    (re.compile(r"^torchvision\.models\.(\w+\.)*(convnext|swin|maxvit)\w*$"), "StochasticDepth"),
    (re.compile(r"^segmentation_models_pytorch\.(\w+\.)*[A-Z]\w+$"), "BatchNorm2d"),
)
"""Models of packages, and what in them depends on the mode."""
_TRAINING = ("prepare_qat", "export_for_training", "QuantizationAwareTraining")
"""Words of files that export in order to train."""
_TRAINED = ("train", "zero_grad", "parameters")


@dataclass(frozen=True)
class Consequence:
    """What an exporter makes of a model in training mode."""

    severity: Severity
    words: str


@rule.event(ModelHandled)
def in_source(event: ModelHandled, source: Source) -> Iterator[Hit]:
    if (
        not event.training
        or not event.layers
        or may_have_changed(event.held, event, source.evaluation)
    ):
        return
    if event.name:
        yield from _report(event, event.name, event.layers, name_model(event.held), source)
    else:
        yield from _reference(event, source)


@rule.event(*EXPORTERS)
def of_packages(event: Called, source: Source) -> Iterator[Hit]:
    """A model that a package builds, handed on as it is built."""
    _, parameter = EXPORTERS[event.name]
    given = event.keyword.get(parameter, next(iter(event.positional), None))
    made = source.evaluation.ways.find_maker(given)
    layer = _name_layer(made.name) if isinstance(made, Called) else ""
    if given is None or not layer or may_have_changed(given, event, source.evaluation):
        return
    if not source.evaluation.parts.list_uses(given, event) & {"eval", "train"}:
        yield from _report(event, event.name, frozenset({layer}), "", source)


def _report(
    event: Occurrence, name: str, layers: frozenset[str], model: str, source: Source
) -> Iterator[Hit]:
    call = source.call_at(event)
    if call is None or source.mentions(_TRAINING) or source.is_test:
        return
    exporter, parameter = EXPORTERS[name]
    if exporter == "onnx":
        exporter = _onnx(call, source)
    if told := _consequence(exporter, layers, call, source):
        message = f"exported in training mode, on which {tell_dependence(layers)}: {told.words}"
        given = source.arguments(call, parameter).get(parameter)
        whole = given is not None and source.name(call.func) == name
        fix = _fix(given, call, source) if whole and given is not None else None
        yield Hit(
            call,
            message,
            fix,
            severity=told.severity,
            model=model or None,
            exporter=exporter,
        )


def _name_layer(path: str) -> str:
    """What depends on the mode in a model of torchvision or segmentation_models_pytorch."""
    return next((layer for pattern, layer in _LIBRARIES if pattern.match(path)), "")


@rule.trace(ModalLayer)
def in_trace(event: ModalLayer, trace: Trace) -> Iterator[Hit]:
    layers = list(trace.find_events(ModalLayer))
    if event is layers[0]:
        counted = Counter(_shown(layer) for layer in layers)
        shown = [f"{name} ×{n}" if n > 1 else name for name, n in counted.items()]
        message = f"{trace.record.qualname} holds what depends on the mode"
        yield Hit(_class(trace), message, confirms=True, detail=enumerate_names(shown))


@rule.trace(Tracer.FX, Tracer.EXPORT)
def in_graphs(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    if not any(trace.find_events(ModalLayer)):
        yield Refuted(_class(trace), f"no layer of {trace.record.qualname} depends on the mode")


@rule.trial("wrong")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    if IN_TRAINING in outcome.wrong_at:
        difference = outcome.wrong_at[IN_TRAINING]
        shown = (
            "raises or has another shape" if difference is None else f"is off by {difference:.3g}"
        )
        message = f"exported in training mode the model {shown} against eval"
        yield Hit(_class(trial.trace), message, confirms=True)


def _reference(event: ModelHandled, source: Source) -> Iterator[Hit]:
    """`reference = model(x)` in training mode, beside a runtime that runs the exported model."""
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Name) or source.is_test:
        return
    scope = source.enclosing(call, cst.FunctionDef)
    text = source.code(scope) if scope is not None else source.text
    if SESSION not in text or ".backward(" in text or source.mentions(_TRAINING):
        return
    if not _is_told(event, source):
        message = (
            f"the runtime is compared with a model in training mode, on which "
            f"{tell_dependence(event.layers)}"
        )
        yield Hit(call, message, _fix(call.func, call, source))


def _is_told(event: ModelHandled, source: Source) -> bool:
    """Whether an export of the same model is reported already."""
    for each in source.evaluation.list_before(event):
        if not isinstance(each, ModelHandled) or not each.name or each.held != event.held:
            continue
        call = source.call_at(each) if each.training else None
        if call is not None:
            exporter = EXPORTERS[each.name][0]
            chosen = _onnx(call, source) if exporter == "onnx" else exporter
            if _consequence(chosen, each.layers, call, source):
                return True
    return False


def _shown(layer: ModalLayer) -> str:
    """A layer of torch by its class; one of the project's for what its forward asks."""
    builtin = layer.layer_class.startswith("torch.")
    name = layer.layer_class.rpartition(".")[2]
    return name if builtin else f"{ASKS} in {name}"


def _class(trace: Trace) -> Place:
    return Place(trace.record.path, trace.record.row)


def _onnx(call: cst.Call, source: Source) -> str:
    """Which of the two ONNX exporters a call takes; the newer one where that cannot be told."""
    default = source.profile.torch >= DYNAMO_BY_DEFAULT
    if source.name(call.func).endswith("dynamo_export"):
        return "onnx"
    chosen = source.arguments(call, "model").value("dynamo", default)
    return "onnx-legacy" if chosen is False else "onnx"


def _consequence(
    exporter: str, layers: frozenset[str], call: cst.Call, source: Source
) -> Consequence | None:
    """As measured on torch 2.13; None where the export is the same in either mode."""
    only_statistics = all("BatchNorm" in layer for layer in layers)
    if exporter == "torch.export":
        return Consequence(
            Severity.ERROR, "torch.export keeps training behaviour, without a warning"
        )
    if exporter == "onnx" and "RReLU" in layers:
        return Consequence(Severity.ERROR, "the ONNX exporter refuses RReLU in training mode")
    if exporter == "onnx" and only_statistics:
        return Consequence(
            Severity.NOTE, "the ONNX exporter warns, and writes BatchNorm as in eval mode"
        )
    if exporter == "onnx":
        return Consequence(
            Severity.WARNING, "the ONNX exporter keeps training behaviour, with a warning"
        )
    if exporter == "onnx-legacy":
        return _legacy(call, source)
    if exporter == "torchscript-trace":
        return None if _is_trained(call, source) else _traced(call, source)
    if exporter == "torchscript-script":
        return None if _is_trained_later(call, source) else _scripted(call, source)
    if ASKS in layers:
        return Consequence(
            Severity.WARNING, "torch.fx keeps the training branch, without a warning"
        )
    return None


def _legacy(call: cst.Call, source: Source) -> Consequence | None:
    """It exports in eval mode unless it is told to keep the mode."""
    told = source.arguments(call, "model").get("training")
    if told is None or not source.code(told).endswith("PRESERVE"):
        return None
    words = "the legacy ONNX exporter is told to preserve it, and warns at most"
    return Consequence(Severity.WARNING, words)


def _traced(call: cst.Call, source: Source) -> Consequence:
    if source.arguments(call, "func").value("check_trace") is False:
        return Consequence(
            Severity.ERROR, "torch.jit.trace keeps training behaviour, without a warning"
        )
    return Consequence(Severity.WARNING, "torch.jit.trace keeps training behaviour, with a warning")


def _is_trained(call: cst.Call, source: Source) -> bool:
    """Whether what a call gives is trained afterwards, and so rightly in training mode."""
    name = _given_to(call, source)
    return bool(name) and source.mentions(tuple(f"{name}.{m}(" for m in _TRAINED))


def _is_trained_later(call: cst.Call, source: Source) -> bool:
    """The same of a script, which takes the model's own name as a rule: its own function trains it behind the call."""
    name, scope = _given_to(call, source), source.enclosing(call, cst.FunctionDef)
    row = source.place(call).row
    return bool(name) and any(
        isinstance(each.func, cst.Attribute)
        and each.func.attr.value in _TRAINED
        and source.code(each.func.value) == name
        and source.place(each).row > row
        and source.enclosing(each, cst.FunctionDef) is scope
        for each in source.nodes(cst.Call)
    )


def _given_to(call: cst.Call, source: Source) -> str:
    outer = source.parent(call)
    if isinstance(outer, cst.Assign) and isinstance(outer.targets[0].target, cst.Name):
        return outer.targets[0].target.value
    return ""


def _scripted(call: cst.Call, source: Source) -> Consequence | None:
    """A scripted model keeps both modes, so it is wrong only where it is saved as it is."""
    outer, name = source.parent(call), _given_to(call, source)
    chained = isinstance(outer, cst.Attribute) and outer.attr.value == "save"
    scope = source.enclosing(call, cst.FunctionDef)
    text = source.code(scope) if scope is not None else source.text
    saved = chained or (name and (f"{name}.save(" in text or f"jit.save({name}" in text))
    if not saved or (name and f"{name}.eval(" in text):
        return None
    return Consequence(
        Severity.WARNING, "the scripted model is saved in that mode, without a warning"
    )


def _fix(given: cst.BaseExpression, call: cst.Call, source: Source) -> Fix | None:
    """`model.eval()` on a line of its own; behind the model where it is built in the call."""
    message = "put the model into eval mode first"
    if isinstance(given, cst.Call):
        end = source.replace(given, "").end
        return Fix(message, (Edit(end, end, ".eval()"),), Applicability.UNSAFE)
    statement = source.enclosing(call, cst.SimpleStatementLine)
    block = source.parent(statement) if statement is not None else None
    if statement is None or not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return None
    if not isinstance(given, (cst.Name, cst.Attribute)):
        return None
    edit = source.above(call, f"{source.code(given)}.eval()")
    return Fix(message, (edit,), Applicability.UNSAFE)
