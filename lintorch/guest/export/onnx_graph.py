"""What an exported ONNX file holds: its operators, the types they work on and the user's line of each."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lintorch.guest.export.error_reading import UserFile, of_text
from lintorch.record.trace import OperatorUse, Site

_SHAPES = ("Shape", "Size")
_STACK = "pkg.torch.onnx.stack_trace"
_SCOPES = "pkg.torch.onnx.name_scopes"
_WHOLE = ("", "ai.onnx")
_LONG, _SMALL = 2**20, 2**10
"""Characters of a stack that are read; bytes of a weight that may be a shape."""


def uses(path: Path, user_file: UserFile) -> tuple[OperatorUse, ...]:
    """The operators of a file, each combination once; () where there is no file that can be read."""
    import onnx

    try:
        model = onnx.load(str(path), load_external_data=False)
    except Exception:  # a failed export leaves none, or half a one
        return ()
    for weight in model.graph.initializer:
        if len(weight.raw_data) > _SMALL:  # only sizes tell of shapes
            weight.ClearField("raw_data")
    with suppress(Exception):  # unknown operators have no types to infer
        model = onnx.shape_inference.infer_shapes(model, data_prop=False)
    opsets = {_domain(entry.domain): entry.version for entry in model.opset_import}
    graph = _Graph(onnx, opsets, {(f.domain, f.name): f for f in model.functions}, user_file)
    return tuple(dict.fromkeys(graph.walk(model.graph, _Values.of(onnx, model.graph))))


@dataclass(frozen=True)
class _Values:
    """What is known of values by name: types, ranks, and which are no data of the model's inputs."""

    types: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, onnx: Any, graph: Any) -> _Values:
        """Those of a graph and its weights."""
        values = cls()
        names = {number: name.lower() for name, number in onnx.TensorProto.DataType.items()}
        for info in (*graph.input, *graph.value_info, *graph.output):
            kind = info.type.tensor_type
            values.types[info.name] = _torch_type(names.get(kind.elem_type, ""))
            if kind.HasField("shape"):
                values.ranks[info.name] = len(kind.shape.dim)
        for weight in graph.initializer:
            values.types[weight.name] = _torch_type(names.get(weight.data_type, ""))
            values.ranks[weight.name] = len(weight.dims)
            values.fixed.add(weight.name)
        return values


@dataclass(frozen=True)
class _Graph:
    """Reads nodes, those of functions and of branches too."""

    onnx: Any
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str], Any]
    user_file: UserFile

    def walk(self, graph: Any, values: _Values, site: Site | None = None) -> Iterator[OperatorUse]:
        for node in graph.node:
            here = _site(node, self.user_file) or site
            inner = self.functions.get((node.domain, node.op_type))
            if inner is None:
                yield self._use(node, values, here)
            else:
                yield from self.walk(inner, _Values(), here)
            for attribute in node.attribute:
                if attribute.type == self.onnx.AttributeProto.GRAPH:
                    yield from self.walk(attribute.g, _Values.of(self.onnx, attribute.g), here)

    def _use(self, node: Any, values: _Values, site: Site | None) -> OperatorUse:
        given = [name for name in node.input if name]
        data = not all(name in values.fixed for name in given)
        if not data or node.op_type in _SHAPES:
            values.fixed.update(node.output)
        domain = _domain(node.domain)
        return OperatorUse(
            node.op_type,
            self.opsets.get(domain, 0),
            domain,
            tuple(values.types.get(name, "") for name in given),
            values.ranks.get(given[0]) if given else None,
            _layer(node),
            site,
            data,
        )


def _domain(written: str) -> str:
    return "" if written in _WHOLE else written


def _torch_type(name: str) -> str:
    return {"float": "float32", "double": "float64", "undefined": ""}.get(name, name)


def _site(node: Any, user_file: UserFile) -> Site | None:
    """The innermost line of the user's in the stack that the exporter has kept with a node."""
    kept = next((entry.value for entry in node.metadata_props if entry.key == _STACK), "")
    return of_text(kept or _stack(node.doc_string[:_LONG]), user_file)


def _stack(text: str) -> str:
    """A stack as the legacy exporter keeps it, turned round: the innermost line last."""
    lines = itertools.takewhile(lambda line: "_get_trace_graph" not in line, text.splitlines())
    return "\n".join(reversed([*lines]))


def _layer(node: Any) -> str:
    """The dotted path of the module that a node stands in; "" for the model itself."""
    for entry in node.metadata_props:
        if entry.key == _SCOPES:
            with suppress(ValueError, SyntaxError, IndexError):
                return str(ast.literal_eval(entry.value)[-2])
    return _path(node.name.removeprefix("/module/").strip("/").split("/")[:-1])


def _path(scopes: list[str]) -> str:
    """`layer1/layer1.0/conv` is `layer1.0.conv`: containers repeat their own name."""
    path: list[str] = []
    for scope in scopes:
        if path and scope.startswith(f"{path[-1]}."):
            path.pop()
        path.append(scope)
    return ".".join(path)
