"""A program of torch.export in integers of 8 bits, by torchao's PT2E, and what its layers give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from lintorch.guest.export.exporter import Job


@dataclass(frozen=True)
class QuantizedProgram:
    """A module of torch.fx that quantizes where the runtime will; `layers` names the layer of a node."""

    module: Any
    layers: Mapping[str, str]

    def read_layers(self, job: Job, values: Sequence[Any]) -> dict[str, torch.Tensor]:
        """What the first call of each layer gives for a value per input of the job."""
        found: dict[str, torch.Tensor] = {}
        layers = self.layers

        class Reader(torch.fx.Interpreter):  # type: ignore[misc]
            def run_node(self, node: Any) -> Any:
                value = super().run_node(node)
                if node.name in layers and isinstance(value, torch.Tensor):
                    found[layers[node.name]] = value
                return value

        with torch.no_grad():
            Reader(self.module).run(*job.arrange_arguments(values))
        return found


def quantize_program(program: Any, quantizer: Any, job: Job) -> QuantizedProgram:
    """The program after `prepare_pt2e`, runs on what it is calibrated on, and `convert_pt2e`."""
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    assert job.quantization is not None
    whole = program.module()
    called = dict(_list_first_calls(whole, {name for name, _ in job.module.named_modules()}))
    folded = dict(_list_norms_of(whole))
    prepared = prepare_pt2e(whole, quantizer)
    with torch.no_grad():
        for values in job.quantization.make_batches(job.inputs, job.example):
            prepared(*job.arrange_arguments(values))
    converted = convert_pt2e(prepared)
    left = {node.name for node in converted.graph.nodes}
    layers = {
        node: called.get(folded.get(node, ""), layer)
        if folded.get(node, node) not in left
        else layer
        for node, layer in called.items()
    }
    return QuantizedProgram(converted, layers)


def _list_first_calls(graph_module: Any, modules: set[str]) -> Iterator[tuple[str, str]]:
    """The last node of the first call of each layer, with the layer's name."""
    last: dict[str, str] = {}
    for node in graph_module.graph.nodes:
        stack = node.meta.get("nn_module_stack") if node.op == "call_function" else None
        if stack:
            key, (path, _) = [*stack.items()][-1]
            if path in modules and "@" not in key:
                last[path] = node.name
    yield from ((node, layer) for layer, node in last.items() if layer)


def _list_norms_of(graph_module: Any) -> Iterator[tuple[str, str]]:
    """Nodes before a batch norm, which quantizers fold into them, with the node of the norm."""
    for node in graph_module.graph.nodes:
        if node.op == "call_function" and "batch_norm" in str(node.target):
            before = node.args[0]
            if isinstance(before, torch.fx.Node):
                yield before.name, node.name
