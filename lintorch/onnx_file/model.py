"""What an .onnx file holds besides the numbers of its weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

AttributeValue = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]


@dataclass(frozen=True)
class OnnxTensor:
    """A weight or constant: its name, sizes and element type, and where its numbers are.

    `data_type` is TensorProto.DataType (1 float, 7 int64, …). `begin` and `size` say which bytes of the
    file are its `raw_data`; 0 where numbers stand in another field or file. `external` names the file
    that has them, as the model says it, which may be anything.
    """

    name: str = ""
    dims: tuple[int, ...] = ()
    data_type: int = 0
    begin: int = 0
    size: int = 0
    external: str = ""


@dataclass(frozen=True)
class OnnxValue:
    """An input, output or value in between; `dims` has a name or "" for a size that is not fixed, None without shape."""

    name: str = ""
    data_type: int = 0
    dims: tuple[int | str, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OnnxNode:
    """One node. `attributes` has numbers and texts, `tensors` and `graphs` what else its attributes hold."""

    name: str = ""
    operator: str = ""
    domain: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    tensors: Mapping[str, OnnxTensor] = field(default_factory=dict)
    graphs: tuple[tuple[str, OnnxGraph], ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    """`metadata_props`: where torch's exporter says what the node was made of."""
    doc: str = ""
    overload: str = ""


@dataclass(frozen=True)
class OnnxGraph:
    """The nodes of a graph or of a subgraph, in the order of the file."""

    name: str = ""
    nodes: tuple[OnnxNode, ...] = ()
    initializers: tuple[OnnxTensor, ...] = ()
    inputs: tuple[OnnxValue, ...] = ()
    outputs: tuple[OnnxValue, ...] = ()
    values: tuple[OnnxValue, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OnnxFunction:
    """A function of the model's own, which nodes call as an operator of its domain."""

    name: str = ""
    domain: str = ""
    overload: str = ""
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    nodes: tuple[OnnxNode, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OnnxModel:
    """A whole file; `opsets` is the version of each domain, "" for ONNX's own."""

    graph: OnnxGraph
    functions: tuple[OnnxFunction, ...] = ()
    opsets: Mapping[str, int] = field(default_factory=dict)
    ir_version: int = 0
    producer: str = ""
    producer_version: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    def list_bodies(self) -> Iterator[tuple[str, OnnxGraph]]:
        """The graph, its subgraphs, and the functions', each with a name for it, "" for the graph itself."""
        waiting = [("", self.graph)]
        for each in self.functions:
            body = OnnxGraph(each.name, each.nodes, metadata=each.metadata)
            waiting.append((f"function {each.name}", body))
        for where, graph in waiting:
            yield where, graph
            waiting += (
                (f"{attribute} of {node.name or node.operator}", inner)
                for node in graph.nodes
                for attribute, inner in node.graphs
            )
