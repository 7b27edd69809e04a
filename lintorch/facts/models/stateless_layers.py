"""Layers without weights, state or chance: computing one that is not chosen changes nothing."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable
from dataclasses import dataclass, field

from lintorch.evaluator.events import Called
from lintorch.evaluator.values import FALSE, Tensor
from lintorch.facts.models.elementwise import list_leaves

_KEEPING = frozenset(
    f"torch.nn.{name}.forward"
    for name in (
        "CELU", "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "LeakyReLU",
        "LogSigmoid", "LogSoftmax", "Mish", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softmax", "Softmax2d",
        "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Threshold",
    )
)  # fmt: skip
_SIDES = ("1d", "2d", "3d")
_POOLS = ("MaxPool", "AvgPool", "LPPool", "AdaptiveAvgPool", "AdaptiveMaxPool", "ReflectionPad", "ReplicationPad", "ConstantPad", "ZeroPad")  # fmt: skip
_CHANGING = frozenset(
    [f"torch.nn.{name}{n}.forward" for name in _POOLS for n in _SIDES]
    + [f"torch.nn.{name}.forward" for name in ("Flatten", "Upsample", "PixelShuffle", "PixelUnshuffle")]
    + [f"torch.nn.functional.{name}{n}" for name in ("max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool") for n in _SIDES]
)  # fmt: skip


@dataclass(frozen=True)
class StatelessCalls:
    """Calls of such layers, by node: "" of those that keep the shape, else the shape that they give."""

    shapes: dict[int, str] = field(default_factory=dict)

    def flatten(self, side: ast.expr) -> ast.expr:
        """A side with `relu(x)` for `self.act(x)`, and a name of its own for a tensor of another shape."""
        made = copy.deepcopy(side)
        pairs = zip(ast.walk(side), ast.walk(made), strict=True)
        shapes = {id(new): self.shapes[id(old)] for old, new in pairs if id(old) in self.shapes}
        found = _Flattened(shapes).visit(made)
        assert isinstance(found, ast.expr)
        return found


def find_stateless(events: Iterable[Called]) -> StatelessCalls:
    """Of calls that were followed, those whose shapes are known in every way that leads to them."""
    found: dict[int, set[str | None]] = {}
    for event in events:  # of a Sequential those of its items, all at one node
        found.setdefault(id(event.node), set()).add(_tell_shape(event))
    known = {node: shapes.pop() for node, shapes in found.items() if len(shapes) == 1}
    return StatelessCalls({node: shape for node, shape in known.items() if shape is not None})


def _tell_shape(event: Called) -> str | None:
    result, writes = event.result, event.arguments.get("inplace", FALSE) != FALSE
    known = event.name in _KEEPING or event.name in _CHANGING
    if not known or not isinstance(result, Tensor) or writes or event.open:
        return None
    if event.name in _KEEPING:
        return ""
    told = result.shape is not None and not result.guessed
    return f"{result.dtype} {result.shape}" if told else None


class _Flattened(ast.NodeTransformer):
    def __init__(self, shapes: dict[int, str]) -> None:
        self._shapes = shapes

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call of a layer, as what `list_leaves` knows."""
        self.generic_visit(node)
        shape = self._shapes.get(id(node))
        if shape is None or not node.args:
            return node
        given = node.args[0]
        if not shape:
            called = ast.Attribute(ast.Name("torch"), "relu")
            return ast.Call(called, [given], []) if len(node.args) == 1 else node
        leaves = list_leaves(given)
        return ast.Name(f"{next(iter(leaves))}@{shape}") if leaves and len(leaves) == 1 else node
