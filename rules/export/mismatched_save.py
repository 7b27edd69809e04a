"""LT170: a call that writes or turns a model is given an object, or a name, of another kind than it takes."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Class, Constant, Held, Items, Value
from lintorch.facts.exporting.export_events import JIT_CALLS
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT170",
    summary="a save call given what it does not write, or a name of another format",
    why="""
        torch.jit.save writes programs of torch.jit.script and torch.jit.trace: a plain model and its
        weights have no method save, and it raises. So do torch.jit.freeze and optimize_for_mobile of a
        plain model, and torch.save of a scripted or traced model, or of what torch.onnx.export gives.

        torch.save writes a pickle whatever the file is called: one that ends in .onnx, .tflite or
        .safetensors is none, and nothing says so before a runtime tries to read it. Measured on
        torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, x):
                return x.relu()


        def write(path):
            torch.jit.save(Net(), path)
    """,
    good="""
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, x):
                return x.relu()


        def write(path):
            torch.jit.save(torch.jit.trace(Net(), torch.ones(2)), path)
    """,
    proof="""
        import io
        import warnings

        warnings.simplefilter("ignore")
        write(io.BytesIO())
    """,
    severity=Severity.ERROR,
)

TURNS = (
    "torch.jit.freeze",
    "torch.jit.optimize_for_inference",
    "torch.utils.mobile_optimizer.optimize_for_mobile",
)
SCRIPT = "write torch.jit.script(model) or torch.jit.trace(model, x)"
FORMATS = {
    ".onnx": "torch.onnx.export(model, (x,), path)",
    ".tflite": "litert_torch.convert(model, (x,)).export(path)",
    ".mlmodel": "coremltools.convert(…).save(path)",
    ".safetensors": "safetensors.torch.save_file(model.state_dict(), path)",
}


@rule.event("torch.jit.save", *TURNS)
def of_programs(event: Called, source: Source) -> Iterator[Hit]:
    model = event.positional[0] if event.positional else name_given(event).get("m")
    if event.open or model is None:
        return
    if is_plain_model(model) and not is_program(model, source):
        message = f"{event.name} takes a scripted or traced model, and is given a plain one"
        yield Hit(event, f"{message}: it raises", remedy=SCRIPT)
    elif event.name == "torch.jit.save" and is_state(model, source):
        message = "torch.jit.save takes a scripted or traced model, and is given weights: it raises"
        yield Hit(event, message, remedy="write torch.save(model.state_dict(), path)")


@rule.event("torch.save")
def of_pickles(event: Called, source: Source) -> Iterator[Hit]:
    given = name_given(event)
    path, saved = given.get("f"), given.get("obj")
    if event.open or saved is None:
        return
    ending = find_ending(path)
    if ending:
        message = f"torch.save writes a pickle, and the file is called {ending}: no {ending} reader takes it"
        yield Hit(event, message, remedy=f"write {FORMATS[ending]}")
    elif name_maker(saved, source) in JIT_CALLS:
        message = "torch.save does not write a scripted or traced model: it raises"
        yield Hit(event, message, remedy="write torch.jit.save(model, path)")
    elif name_maker(saved, source) == ONNX_EXPORT:
        message = "torch.save does not write what torch.onnx.export gives: it raises"
        yield Hit(event, message, remedy="write program.save(path)")


def find_ending(path: Value | None) -> str:
    """The ending of a path that names a format which torch.save does not write; else ""."""
    text = path.value if isinstance(path, Constant) else None
    return next((e for e in FORMATS if isinstance(text, str) and text.endswith(e)), "")


def is_plain_model(model: Value) -> bool:
    """Whether it is an instance of a class with a forward that is no class of torch.jit."""
    if not isinstance(model, Held) or model.kind != "object" or not isinstance(model.of, Class):
        return False
    names = {getattr(each, "name", "") for each in model.of.node.body}
    scripted = any("ScriptModule" in ast_text(each) for each in model.of.node.bases)
    return "forward" in names and not scripted and not model.of.node.decorator_list


def ast_text(node: object) -> str:
    """The last name of a base class."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def is_program(model: Value, source: Source) -> bool:
    """Whether torch.jit made it."""
    return name_maker(model, source).startswith("torch.jit.")


def is_state(model: Value, source: Source) -> bool:
    """Whether it is what state_dict of something gives."""
    made = source.evaluation.ways.find_maker(model)
    if isinstance(made, UnknownCalled):
        return made.method == "state_dict"
    return name_maker(model, source).endswith(".state_dict") and not isinstance(model, Items)


def name_maker(value: Value, source: Source) -> str:
    """The function of torch that gave a value; "" where it is not known."""
    made = source.evaluation.ways.find_maker(value)
    return made.name if isinstance(made, Called) else ""
