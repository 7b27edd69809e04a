"""Nodes of optimized files: put into another order, weights shared between modules, sizes without a line."""

from __future__ import annotations

from lintorch.onnx_file import Body, OnnxGraph, OnnxNode, OnnxTensor
from lintorch.onnx_file.restore_order import restore_order
from lintorch.run.node_frames import Frame


def node(name: str, *inputs: str, operator: str = "Add") -> OnnxNode:
    return OnnxNode(name=name, operator=operator, inputs=inputs, outputs=(f"{name}_out",))


def test_order_follows_numbers_and_values() -> None:
    """ONNX Runtime wrote the second of two first; the sum takes both."""
    nodes = (
        node("/a/Mul_1", "x"),
        node("/a/Mul", "x"),
        node("/a/Add", "/a/Mul_out", "/a/Mul_1_out"),
    )
    assert [each.name for each in restore_order(nodes)] == ["/a/Mul", "/a/Mul_1", "/a/Add"]


def test_order_of_the_file_where_numbers_contradict_values() -> None:
    nodes = (node("Mul_1", "x"), node("Mul", "Mul_1_out"))
    assert restore_order(nodes) == nodes


def test_order_of_nodes_without_names_is_the_files() -> None:
    nodes = (OnnxNode(operator="Add"), OnnxNode(operator="Mul"))
    assert restore_order(nodes) == nodes


def test_only_weights_of_one_module_tell_it() -> None:
    """Equal vectors are one after onnxsim; a matrix of two operators is tied; one of two calls is shared."""
    weights = {"one.bias": (4,), "norm.weight": (4,), "tied.weight": (8, 4), "head.weight": (4, 4)}
    nodes = (
        node("a", "x", "one.bias"),
        node("b", "x", "norm.weight"),
        node("c", "x", "norm.weight"),
        node("d", "tied.weight", "x", operator="Gather"),
        node("e", "tied.weight", operator="Transpose"),
        node("f", "x", "head.weight", operator="MatMul"),
        node("g", "x", "head.weight", operator="MatMul"),
    )
    tensors = tuple(OnnxTensor(name=name, dims=dims) for name, dims in weights.items())
    body = Body("", OnnxGraph(nodes=nodes, initializers=tensors))
    assert body.telling_weights == {"one.bias", "head.weight"}


def test_line_that_torch_writes_by_its_own_folder_is_torchs() -> None:
    assert Frame(
        "torch/fx/passes/runtime_assert.py", 24, "insert_deferred_runtime_asserts"
    ).is_torch
    assert not Frame("/home/me/torch/fx/net.py", 24, "forward").is_torch
