"""LT153: an example input that is no tensor, and becomes no input of the exported model."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_keys
from lintorch.evaluator.values import NONE, Constant, Items
from lintorch.facts.exporting.declared_sizes import list_inputs
from lintorch.facts.exporting.export_events import choose_exporter, read_option
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT153",
    summary="an example input that is no tensor",
    why="""
        A number, text or None among the example inputs. The new ONNX exporter writes it into the
        model and makes no input of it, whatever `input_names` says, unless `dynamic_shapes` has a
        Dim for a number. The legacy one makes inputs of numbers, none of text and None, and raises
        where input_names has a name for these. torch.jit.trace refuses all of them. Measured on
        torch 2.13.

        Give a number that varies as `torch.tensor(3)`. Text and flags choose what is exported: leave
        them to the constructor, or export one model for each.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x, factor):
                return x * factor


        def export(path):
            torch.onnx.export(Scale(), (torch.ones(2, 4), 3), path, input_names=["x", "factor"])
    """,
    good="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x, factor):
                return x * factor


        def export(path):
            factor = torch.tensor(3)
            torch.onnx.export(Scale(), (torch.ones(2, 4), factor), path, input_names=["x", "factor"])
    """,
    proof="""
        import warnings

        import onnxruntime

        warnings.simplefilter("ignore")
        export("scale.onnx")
        session = onnxruntime.InferenceSession("scale.onnx")
        assert len(session.get_inputs()) == 2
    """,
)

TRACE = "torch.jit.trace"


@rule.event(ONNX_EXPORT)
def in_onnx(event: Called, source: Source) -> Iterator[Hit]:
    exporter, given = choose_exporter(event, source), name_given(event)
    inputs = list_inputs(given)
    if event.open or not exporter or inputs is None:
        return
    named = len(read_keys(given.get("input_names")))
    declared = read_option(event, "dynamic_shapes") not in (None, NONE)
    for place, (_, value) in enumerate(inputs):
        if not isinstance(value, Constant):
            continue
        number = isinstance(value.value, int | float) and not isinstance(value.value, bool)
        if exporter == "onnx" and ((number and not declared) or place < named):
            instead = f"give torch.tensor({value.value})" if number else "export one for each"
            message = f"{value.value!r} is written into the model, which has no input for it"
            yield Hit(event, f"{message}; {instead}")
            return
        if exporter != "onnx" and place < named == len(inputs) and is_left_out(value):
            message = f"{value.value!r} is no input of the model, and input_names has a name for it"
            yield Hit(event, f"{message}: it raises; leave the name out", severity=Severity.ERROR)
            return


@rule.event(TRACE)
def in_trace_call(event: Called, source: Source) -> Iterator[Hit]:
    inputs = event.positional[1] if event.positional[1:] else event.keyword.get("example_inputs")
    items = inputs.items if isinstance(inputs, Items) and inputs.kind == "tuple" else None
    plain = [each for each in items or () if isinstance(each, Constant)]
    if plain:
        message = f"torch.jit.trace refuses {plain[0].value!r} among its inputs: it takes tensors"
        instead = "leave it out" if plain[0] == NONE else "wrap the model in one that sets it"
        yield Hit(event, f"{message} only; {instead}", severity=Severity.ERROR)


def is_left_out(value: Constant) -> bool:
    """Whether the legacy exporter makes no input of it."""
    return value.value is None or isinstance(value.value, str)
