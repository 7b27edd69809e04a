"""Two ways of tracing a model as a graph: torch.fx.symbolic_trace, and torch.export with named sizes dynamic."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import fx, nn
from torch._decomp import decomposition_table

from lintorch.guest.process.error_text import class_name_of, text_of
from lintorch.guest.watch import make_tensors
from lintorch.guest.watch.operator_names import name_operator
from lintorch.guest.watch.record_run import WatchedModel
from lintorch.guest.watch.running_layers import class_name
from lintorch.record.arguments import arrange_arguments, find_tied_sizes
from lintorch.record.models import FedArgument, Input
from lintorch.record.plain_values import evaluate_plain
from lintorch.record.runs import GraphCapture, Tracer
from lintorch.record.sites import Site

_MOST_LETTERS = 300
_NOT_TELLING = re.compile(
    r"^(For more information|The following call|User [Ss]tack|File |To fix|Here's|Please|\^|from user code|"
    r"Caused by|Traceback|Suggested fixes|During handling|Set TORCH|\(Size-like)"
)
_NOISE = re.compile(
    r"For more information, run with TORCH_LOGS=\S+\.?|\(unhinted: .*?\)\.?\s*\(Size-like.*\)"
)


def trace_by_fx(subject: WatchedModel, sizes: Mapping[str, int]) -> GraphCapture:
    """`torch.fx.symbolic_trace`; plain values are as fed, and what is not fed keeps its default."""
    tracer = fx.Tracer()
    tracer.record_stack_traces = True
    values = make_tensors.make_arguments(subject.module, subject.inputs, sizes)
    try:
        graph = tracer.trace(subject.module, _list_concrete(subject.module, values) or None)
    except Exception as error:  # whatever user code raises
        return _failed(Tracer.FX, error, subject)
    return _graphed(Tracer.FX, graph, subject)


def trace_by_export(subject: WatchedModel, sizes: Mapping[str, int]) -> GraphCapture:
    """`torch.export.export` with each named size Dim.DYNAMIC."""
    arguments = make_tensors.make_arguments(subject.module, subject.inputs, sizes)
    shapes = dynamic_shapes(subject.module, subject.inputs, sizes)
    try:
        with torch.no_grad():
            program = torch.export.export(
                subject.module, arguments, dynamic_shapes=shapes, strict=False
            )
    except Exception as error:  # whatever user code raises
        return _failed(Tracer.EXPORT, error, subject)
    return _graphed(Tracer.EXPORT, program.graph, subject)


def find_lasting_operators(graph: fx.Graph) -> set[str]:
    """The operators of aten in a graph that torch has no decomposition of.

    A converter that decomposes a program before it reads it meets these, or their functional
    forms, as they are. That of a composite operator always takes it apart.
    """
    found = {node.target for node in graph.nodes if isinstance(node.target, torch._ops.OpOverload)}
    return {
        str(operator)
        for operator in found
        if operator.namespace == "aten"
        and not operator._can_decompose()
        and operator not in decomposition_table
        and not operator._schema.is_mutable
    }


TRACERS: Mapping[Tracer, Callable[[WatchedModel, Mapping[str, int]], GraphCapture]] = {
    Tracer.FX: trace_by_fx,
    Tracer.EXPORT: trace_by_export,
}


def dynamic_shapes(
    module: nn.Module, inputs: tuple[FedArgument, ...], sizes: Mapping[str, int]
) -> tuple[Any, ...]:
    """The `dynamic_shapes` that torch.export takes: Dim.DYNAMIC for named sizes that nothing is tied to."""
    dynamic = torch.export.Dim.DYNAMIC
    free = sizes.keys() - find_tied_sizes(inputs)
    axes = [
        {axis: dynamic for axis, size in enumerate(given.shape) if size in free}
        if isinstance(given, Input)
        else shape_plain_value(evaluate_plain(given.value, sizes))
        for given in inputs
    ]
    each = arrange_arguments(inputs, axes)
    kinds = [p.kind for p in inspect.signature(module.forward).parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL not in kinds[: len(each)]:
        return each
    leading = kinds.index(inspect.Parameter.VAR_POSITIONAL)
    return (*each[:leading], each[leading:])


def shape_plain_value(value: Any) -> Any:
    """The `dynamic_shapes` of a value without tensors: None for each leaf."""
    if isinstance(value, dict):
        return {key: shape_plain_value(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(shape_plain_value, value))
    return None


def shorten_error(error: BaseException) -> str:
    """The first lines of an exception's message that say something, with its type."""
    lines = [_NOISE.sub("", line).strip() for line in text_of(error).splitlines()]
    telling = [line for line in lines if line and not _NOT_TELLING.match(line)]
    text = telling[0] if telling else ""
    if len(telling) > 1 and text.endswith(("!", ":", ")")):
        text = f"{text} {telling[1]}"
    if len(text) > _MOST_LETTERS:
        text = text[: _MOST_LETTERS - 1].rstrip() + "…"
    return f"{class_name_of(error)}: {text}" if text else class_name_of(error)


def _list_concrete(module: nn.Module, values: Sequence[Any]) -> dict[str, Any]:
    """The arguments that are no tensors, by name."""
    parameters = list(inspect.signature(module.forward).parameters.values())
    plain = {
        parameter.name: value
        for parameter, value in zip(parameters, values, strict=False)
        if not make_tensors.flatten_output(value)
    }
    unfed = parameters[len(values) :]
    return {**plain, **{p.name: p.default for p in unfed if p.default is not p.empty}}


def _failed(tracer: Tracer, error: Exception, subject: WatchedModel) -> GraphCapture:
    return GraphCapture(tracer, False, shorten_error(error), subject.files.of_error(error))


def _graphed(tracer: Tracer, graph: fx.Graph, subject: WatchedModel) -> GraphCapture:
    operators = tuple(
        (_operator(node, subject.module), _site(node, subject))
        for node in graph.nodes
        if node.op.startswith("call_")
    )
    return GraphCapture(
        tracer, True, operators=operators, lasting=tuple(sorted(find_lasting_operators(graph)))
    )


def _operator(node: fx.Node, module: nn.Module) -> str:
    if node.op == "call_method":
        return f"torch.Tensor.{node.target}"
    if node.op == "call_module":
        return class_name(module.get_submodule(str(node.target)))
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target)
    return name_operator(node.target) if callable(node.target) else str(node.target)


def _site(node: fx.Node, subject: WatchedModel) -> Site | None:
    return subject.files.of_text(node.meta.get("stack_trace"))
