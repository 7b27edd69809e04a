"""Nodes of a file that an optimizer went over, beside those of an export made now."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lintorch.onnx_file import OnnxGraph, OnnxNode, OnnxTensor, OnnxValue
from lintorch.run.match_graphs import match_graphs


def graph(*nodes: str, weights: Mapping[str, tuple[int, ...]], output: str) -> OnnxGraph:
    """Each node is written `z = Add(x, y)`."""
    made: list[OnnxNode] = []
    for text in nodes:
        given, _, call = text.partition(" = ")
        operator, _, inputs = call.rstrip(")").partition("(")
        made.append(OnnxNode(f"n{len(made)}", operator, "", tuple(inputs.split(", ")), (given,)))
    tensors = tuple(OnnxTensor(name, dims, 1) for name, dims in weights.items())
    return OnnxGraph("", tuple(made), tensors, (OnnxValue("x"),), (OnnxValue(output),))


WEIGHTS = {"w1": (8, 4), "b1": (8,), "w2": (4, 8), "b2": (4,), "w3": (8, 4), "b3": (8,)}
PLAIN = graph(
    "h = MatMul(x, w1)", "a = Add(h, b1)", "r = Relu(a)", "i = Identity(r)",
    "g = MatMul(i, w2)", "c = Add(g, b2)", "s = Add(x, c)", "k = MatMul(s, w3)", "y = Add(k, b3)",
    weights=WEIGHTS, output="y",
)  # fmt: skip


def told(own: OnnxGraph, other: OnnxGraph) -> dict[str, str]:
    pairs = match_graphs(own, other)
    return {own.nodes[a].outputs[0]: other.nodes[b].outputs[0] for a, b in pairs.items()}


def test_the_same_graph_is_matched_whole() -> None:
    assert told(PLAIN, PLAIN) == {each.outputs[0]: each.outputs[0] for each in PLAIN.nodes}


def test_folded_biases_and_taken_away_nodes_leave_the_rest_matched() -> None:
    slim = graph(
        "A = Gemm(x, W1, B1)", "R = Relu(A)", "C = Gemm(R, W2, B2)", "S = Add(x, C)", "Y = Gemm(S, W3, B3)",
        weights={name.upper(): dims[::-1] for name, dims in WEIGHTS.items()}, output="Y",
    )  # fmt: skip
    assert told(slim, PLAIN) == {"A": "h", "R": "r", "C": "g", "S": "s", "Y": "k"}


def test_another_order_of_branches_changes_nothing() -> None:
    weights = {"v": (4, 4), "w": (4, 4), "u": (4, 4)}
    lines = ["p = Conv(x, v)", "q = Relu(p)", "r = Conv(q, w)", "t = Conv(x, u)", "y = Add(r, t)"]
    one = graph(*lines, weights=weights, output="y")
    other = graph(lines[3], *lines[:3], lines[4], weights=weights, output="y")
    assert told(one, other) == {name: name for name in "pqrty"}


def test_what_cannot_be_told_apart_is_left_out() -> None:
    one = graph("p = Sin(x)", "q = Cos(x)", "y = Add(p, q)", weights={}, output="y")
    other = graph("p = Sin(x)", "o = Sin(p)", "y = Mul(o, p)", weights={}, output="y")
    assert "p" not in told(one, other)


@pytest.mark.parametrize("nodes", [(), ("a = Add(b, x)", "b = Add(a, x)")])
def test_an_empty_or_a_circular_graph_ends(nodes: tuple[str, ...]) -> None:
    assert match_graphs(graph(*nodes, weights={}, output="a"), PLAIN) == {}
