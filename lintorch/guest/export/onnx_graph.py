"""What an exported ONNX file holds: its operators, the types they work on and the user's line of each."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lintorch.guest.export.error_reading import UserFile, find_site_in_text
from lintorch.record.outcomes import OperatorUse
from lintorch.record.sites import Site

_SHAPE_OPERATORS = ("Shape", "Size")
_STACK_KEY = "pkg.torch.onnx.stack_trace"
_SCOPES_KEY = "pkg.torch.onnx.name_scopes"
_STANDARD_DOMAINS = ("", "ai.onnx")
_MOST_STACK, _MOST_WEIGHT = 2**20, 2**10
"""Characters of a stack that are read; bytes of a weight that may be a shape."""


def read_operator_uses(path: Path, user_file: UserFile) -> tuple[OperatorUse, ...]:
    """The operators of a file, each combination once; () where there is no file that can be read.

    Where nothing writes ONNX its package need not be installed.
    """
    if not path.exists():
        return ()
    import onnx

    try:
        model = onnx.load(str(path), load_external_data=False)
    except Exception:  # a failed export leaves none, or half a one
        return ()
    for weight in model.graph.initializer:
        if len(weight.raw_data) > _MOST_WEIGHT:  # only sizes tell of shapes
            weight.ClearField("raw_data")
    with suppress(Exception):  # unknown operators have no types to infer
        model = onnx.shape_inference.infer_shapes(model, data_prop=False)
    opsets = {_normalise_domain(entry.domain): entry.version for entry in model.opset_import}
    graph = _GraphReader(onnx, opsets, {(f.domain, f.name): f for f in model.functions}, user_file)
    return tuple(
        dict.fromkeys(graph.read_nodes(model.graph, _KnownValues.of_graph(onnx, model.graph)))
    )


@dataclass(frozen=True)
class _KnownValues:
    """What is known of values by name: types, ranks, and which are no data of the model's inputs."""

    types: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)

    @classmethod
    def of_graph(cls, onnx: Any, graph: Any) -> _KnownValues:
        """Those of a graph and its weights."""
        values = cls()
        names = {number: name.lower() for name, number in onnx.TensorProto.DataType.items()}
        for info in (*graph.input, *graph.value_info, *graph.output):
            kind = info.type.tensor_type
            values.types[info.name] = _get_dtype_name(names.get(kind.elem_type, ""))
            if kind.HasField("shape"):
                values.ranks[info.name] = len(kind.shape.dim)
        for weight in graph.initializer:
            values.types[weight.name] = _get_dtype_name(names.get(weight.data_type, ""))
            values.ranks[weight.name] = len(weight.dims)
            values.fixed.add(weight.name)
        return values


@dataclass(frozen=True)
class _GraphReader:
    """Reads nodes, those of functions and of branches too."""

    onnx: Any
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str], Any]
    user_file: UserFile

    def read_nodes(
        self, graph: Any, values: _KnownValues, site: Site | None = None
    ) -> Iterator[OperatorUse]:
        """The uses of operators in a graph or function, the user's line of a call for those inside."""
        for node in graph.node:
            here = find_node_site(node, self.user_file) or site
            inner = self.functions.get((node.domain, node.op_type))
            if inner is None:
                yield self._read_use(node, values, here)
            else:
                yield from self.read_nodes(inner, _KnownValues(), here)
            for attribute in node.attribute:
                if attribute.type == self.onnx.AttributeProto.GRAPH:
                    yield from self.read_nodes(
                        attribute.g, _KnownValues.of_graph(self.onnx, attribute.g), here
                    )

    def _read_use(self, node: Any, values: _KnownValues, site: Site | None) -> OperatorUse:
        given = [name for name in node.input if name]
        data = not all(name in values.fixed for name in given)
        if not data or node.op_type in _SHAPE_OPERATORS:
            values.fixed.update(node.output)
        domain = _normalise_domain(node.domain)
        return OperatorUse(
            node.op_type,
            self.opsets.get(domain, 0),
            domain,
            tuple(values.types.get(name, "") for name in given),
            values.ranks.get(given[0]) if given else None,
            read_layer(node),
            site,
            data,
        )


def _normalise_domain(written: str) -> str:
    return "" if written in _STANDARD_DOMAINS else written


def _get_dtype_name(name: str) -> str:
    return {"float": "float32", "double": "float64", "undefined": ""}.get(name, name)


def find_node_site(node: Any, user_file: UserFile) -> Site | None:
    """The innermost line of the user's in the stack that the exporter has kept with a node."""
    return find_site_in_text(_read_stack(node), user_file)


def find_node_stack(graph: Any, sought: Container[str]) -> str:
    """The stack kept with the first node of a graph that is of one of these operators or names, if any."""
    found = (node for node in graph.node if node.op_type in sought or node.name in sought)
    stacks = map(_read_stack, found)
    return next(filter(None, stacks), "")


def _read_stack(node: Any) -> str:
    kept = next((entry.value for entry in node.metadata_props if entry.key == _STACK_KEY), "")
    return kept or reverse_legacy_stack(node.doc_string[:_MOST_STACK])


def reverse_legacy_stack(text: str) -> str:
    """A stack as the legacy exporter keeps it, turned round: the innermost line last."""
    lines = itertools.takewhile(lambda line: "_get_trace_graph" not in line, text.splitlines())
    return "\n".join(reversed([*lines]))


def read_layer(node: Any) -> str:
    """The dotted path of the module that a node stands in; "" for the model itself."""
    for entry in node.metadata_props:
        if entry.key == _SCOPES_KEY:
            with suppress(ValueError, SyntaxError, IndexError):
                return str(ast.literal_eval(entry.value)[-2])
    return _join_scopes(node.name.removeprefix("/module/").strip("/").split("/")[:-1])


def _join_scopes(scopes: list[str]) -> str:
    """`layer1/layer1.0/conv` is `layer1.0.conv`: containers repeat their own name."""
    path: list[str] = []
    for scope in scopes:
        if path and scope.startswith(f"{path[-1]}."):
            path.pop()
        path.append(scope)
    return ".".join(path)
