"""Reads .onnx files without onnx and without their weights.

`read_onnx_model(path) -> OnnxModel` is the way in: it raises OnnxFileError (says why, without the
file's name) or OSError. `OnnxModel.list_bodies()` goes through the graph, its subgraphs and functions.
`NodeFinder(model).find(name)` finds a node by its name or a value's, with the Body it stands in; it raises
NoNodeError. The values are `OnnxModel`, `OnnxGraph`, `OnnxFunction`, `OnnxNode`, `OnnxValue` and `OnnxTensor`, whose
docstrings say what they hold; a tensor says which bytes of the file are its numbers.
"""

from lintorch.onnx_file.find_nodes import Body, FoundNode, NodeFinder, NoNodeError
from lintorch.onnx_file.model import (
    AttributeValue,
    OnnxFunction,
    OnnxGraph,
    OnnxModel,
    OnnxNode,
    OnnxTensor,
    OnnxValue,
)
from lintorch.onnx_file.read_model import read_onnx_model
from lintorch.onnx_file.wire import OnnxFileError

__all__ = [
    "AttributeValue",
    "Body",
    "FoundNode",
    "NoNodeError",
    "NodeFinder",
    "OnnxFileError",
    "OnnxFunction",
    "OnnxGraph",
    "OnnxModel",
    "OnnxNode",
    "OnnxTensor",
    "OnnxValue",
    "read_onnx_model",
]
