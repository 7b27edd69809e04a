"""Reads what an .onnx file says of itself; the numbers of its weights are never read.

The numbers of fields are those of onnx/onnx.proto (https://github.com/onnx/onnx), Apache-2.0.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import islice

from lintorch.onnx_file.message import Message
from lintorch.onnx_file.model import (
    AttributeValue,
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
)
from lintorch.onnx_file.other_files import name_other_format
from lintorch.onnx_file.wire import OnnxFileError, WireFile

_MOST_DEPTH = 20
"""Graphs within graphs."""
_LAST_KIND = 14
"""Of the kinds that attributes have; onnx takes what is beyond for none."""
_MOST_DIMENSIONS = 64


def read_onnx_model(path: str) -> OnnxModel:
    """The model in a file. Raises OnnxFileError or OSError.

    Reads in pieces, and skips weights: a file of 2 GB takes as long as its graph does. Files beside it
    with external data are not opened.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OnnxFileError("it is no file" if os.path.isdir(path) else "it is no regular file")
    with open(path, "rb") as file:
        if other := name_other_format(file.read(64)):
            raise OnnxFileError(f"it is {other}")
        return _read_model(Message(WireFile(file)))


def _read_model(at: Message) -> OnnxModel:
    graphs = [_read_graph(each, 1) for each in at.list_messages(7)]
    if not graphs:
        raise OnnxFileError("it is no .onnx file: it has no graph")
    return OnnxModel(
        graph=_merge_graphs(graphs),
        functions=tuple(map(_read_function, at.list_messages(25))),
        opsets={each.read_text(1): each.read_number(2) or 0 for each in at.list_messages(8)},
        ir_version=at.read_number(1) or 0,
        producer=at.read_text(2),
        producer_version=at.read_text(3),
        metadata=at.read_pairs(14),
    )


def _read_graph(at: Message, depth: int) -> OnnxGraph:
    if depth > _MOST_DEPTH:
        raise OnnxFileError(f"its graphs are nested deeper than {_MOST_DEPTH}")
    dense, sparse = at.list_messages(5), at.list_messages(15)
    return OnnxGraph(
        name=at.read_text(2),
        nodes=tuple(_read_node(each, depth) for each in at.list_messages(1)),
        initializers=(*map(_read_tensor, dense), *map(_read_sparse, sparse)),
        inputs=tuple(map(_read_value, at.list_messages(11))),
        outputs=tuple(map(_read_value, at.list_messages(12))),
        values=tuple(map(_read_value, at.list_messages(13))),
        metadata=at.read_pairs(16),
    )


def _read_function(at: Message) -> OnnxFunction:
    return OnnxFunction(
        name=at.read_text(1),
        domain=at.read_text(10),
        overload=at.read_text(13),
        inputs=tuple(at.list_texts(4)),
        outputs=tuple(at.list_texts(5)),
        nodes=tuple(_read_node(each, 1) for each in at.list_messages(7)),
        metadata=at.read_pairs(14),
    )


def _read_node(at: Message, depth: int) -> OnnxNode:
    attributes: dict[str, AttributeValue] = {}
    tensors: dict[str, OnnxTensor] = {}
    graphs: list[tuple[str, OnnxGraph]] = []
    for each in at.list_messages(5):
        name = each.read_text(1)
        value = _read_attribute(each)
        attributes.update({} if value is None else {name: value})
        tensors.update((name, _read_tensor(tensor)) for tensor in each.list_messages(5))
        inner = (*each.list_messages(6), *each.list_messages(11))
        graphs += ((name, _read_graph(graph, depth + 1)) for graph in inner)
    return OnnxNode(
        name=at.read_text(3),
        operator=at.read_text(4),
        domain=at.read_text(7),
        inputs=tuple(at.list_texts(1)),
        outputs=tuple(at.list_texts(2)),
        attributes=attributes,
        tensors=tensors,
        graphs=tuple(graphs),
        metadata=at.read_pairs(9),
        doc=at.read_text(6),
        overload=at.read_text(8),
    )


def _read_attribute(at: Message) -> AttributeValue | None:
    """By the kind that it says it has; by what is there where it says none, as the oldest files do."""
    said = at.read_number(20) or 0
    kind = said if 1 <= said <= _LAST_KIND else 0
    floats, whole, text = tuple(at.list_floats(2)), at.read_number(3), tuple(at.list_texts(4))
    if kind == 1 or (not kind and floats):
        return floats[-1] if floats else 0.0
    if kind == 2 or (not kind and whole is not None):
        return whole or 0
    if kind == 3 or (not kind and text):
        return text[-1] if text else ""
    many = (tuple(at.list_floats(7)), tuple(at.list_numbers(8)), tuple(at.list_texts(9)))
    if 6 <= kind <= 8:
        return many[kind - 6]
    return None if kind else next((each for each in many if each), None)


def _read_tensor(at: Message) -> OnnxTensor:
    begin, size = at.find_bytes(9)
    return OnnxTensor(
        name=at.read_text(8),
        dims=tuple(_read_dims(at, 1)),
        data_type=at.read_number(2) or 0,
        begin=begin,
        size=size,
        external=at.read_pairs(13).get("location", ""),
    )


def _read_dims(at: Message, number: int) -> Iterator[int]:
    found = at.list_numbers(number)
    yield from islice(found, _MOST_DIMENSIONS)
    if next(found, None) is not None:
        raise OnnxFileError(f"a tensor has more than {_MOST_DIMENSIONS} dimensions")


def _read_sparse(at: Message) -> OnnxTensor:
    """A sparse weight goes by the name of its values; its dims are those of the whole."""
    values = next((_read_tensor(each) for each in at.list_messages(1)), OnnxTensor())
    return OnnxTensor(values.name, tuple(_read_dims(at, 3)), values.data_type)


def _read_value(at: Message) -> OnnxValue:
    """Of a tensor its element type and sizes; of sequences and maps the name alone."""
    tensors = [tensor for kind in at.list_messages(2) for tensor in kind.list_messages(1)]
    kind = next((each.read_number(1) for each in reversed(tensors)), 0)
    shapes = [shape for tensor in tensors for shape in tensor.list_messages(2)]
    dims = tuple(_read_size(size) for shape in shapes for size in shape.list_messages(1))
    return OnnxValue(at.read_text(1), kind or 0, dims if shapes else None, at.read_pairs(4))


def _read_size(at: Message) -> int | str:
    size = at.read_number(1)
    return at.read_text(2) if size is None else size


def _merge_graphs(graphs: list[OnnxGraph]) -> OnnxGraph:
    """protobuf joins the halves of a message that comes twice."""
    if len(graphs) == 1:
        return graphs[0]
    return OnnxGraph(
        name=next((each.name for each in reversed(graphs) if each.name), ""),
        nodes=tuple(node for each in graphs for node in each.nodes),
        initializers=tuple(tensor for each in graphs for tensor in each.initializers),
        inputs=tuple(value for each in graphs for value in each.inputs),
        outputs=tuple(value for each in graphs for value in each.outputs),
        values=tuple(value for each in graphs for value in each.values),
        metadata={key: text for each in graphs for key, text in each.metadata.items()},
    )
