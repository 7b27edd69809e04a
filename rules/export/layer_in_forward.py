"""LT111: a layer or parameter that forward makes anew at each call, so that it is never trained or saved."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.classes.classes import is_self
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT111",
    summary="a layer or parameter made in forward",
    why="""
        A layer draws its weights when it is made. Made in forward, it has other weights at each
        call, the optimizer never sees them, the state dict never holds them, and an exported
        model has those of one call baked in. Nothing warns. The same goes for nn.Parameter.
        A layer without weights (ReLU, pooling) may be made anywhere. Seen on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.BatchNorm1d(width)

            def forward(self, x):
                return nn.Linear(x.shape[1], 10)(self.norm(x))
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.norm = nn.BatchNorm1d(width)
                self.linear = nn.Linear(width, 10)

            def forward(self, x):
                return self.linear(self.norm(x))
    """,
    proof="""
        model, x = Head(4).eval(), torch.randn(2, 4)
        assert torch.equal(model(x), model(x))
    """,
)

RANKS = ("1d", "2d", "3d")
DRAWN = frozenset(
    {
        *(f"torch.nn.{kind}{n}" for kind in ("Conv", "ConvTranspose") for n in RANKS),
        *(f"torch.nn.{kind}" for kind in ("Linear", "Bilinear", "Embedding", "EmbeddingBag")),
        *(f"torch.nn.{kind}{cell}" for kind in ("LSTM", "GRU", "RNN") for cell in ("", "Cell")),
        "torch.nn.MultiheadAttention", "torch.nn.Transformer", "torch.nn.TransformerEncoderLayer",
        "torch.nn.TransformerDecoderLayer",
    }
)  # fmt: skip
"""Layers with weights drawn at random."""
NORMS = {
    **{f"torch.nn.BatchNorm{n}": ("affine", True) for n in RANKS},
    **{f"torch.nn.InstanceNorm{n}": ("affine", False) for n in RANKS},
    "torch.nn.GroupNorm": ("affine", True),
    "torch.nn.LayerNorm": ("elementwise_affine", True),
    "torch.nn.PReLU": ("", True),
}
"""Layers with weights that start at one: trained if it were kept, and what says whether they have any."""
PARAMETER = "torch.nn.Parameter"


@rule.source(cst.Call, needs=("forward",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    short = name.rpartition(".")[2]
    if not (name in DRAWN or name == PARAMETER or norm(call, name, source)):
        return
    if not source.in_forward(call) or deliberate(call, source):
        return
    if name == PARAMETER:
        yield Hit(call, "a Parameter made at each call: no optimizer ever sees it")
    elif name in DRAWN:
        yield Hit(
            call, f"a {short} made at each call: new random weights, never trained, never saved"
        )
    else:
        yield Hit(call, f"a {short} made at each call: its weights are never trained, never saved")


def norm(call: cst.Call, name: str, source: Source) -> bool:
    """Whether a normalisation layer has weights."""
    if name not in NORMS:
        return False
    switch, default = NORMS[name]
    return source.arguments(call).value(switch, default) is True


def deliberate(call: cst.Call, source: Source) -> bool:
    """Whether the layer is made once, gets its weights by hand, or is what a helper is to make."""
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp)) and "self" in source.code(outer.test):
            return True  # if self.head is None, if not hasattr(self, "head")
        if (
            isinstance(outer, cst.Assign)
            and outer.value is call
            and any(given_weights(target.target, source) for target in outer.targets)
        ):
            return True
        if isinstance(outer, cst.FunctionDef):
            helper = not outer.name.value.startswith("forward")
            return bool(outer.decorators) or (helper and not is_called(call, source))
    return False


def is_called(call: cst.Call, source: Source) -> bool:
    """`nn.Linear(3, 4)(x)`."""
    outer = source.parent(call)
    return isinstance(outer, cst.Call) and outer.func is call


def given_weights(target: cst.BaseExpression, source: Source) -> bool:
    """Whether weights are put into what was made: `blur.weight = ...`, `blur.load_state_dict(...)`."""
    if isinstance(target, cst.Attribute):
        return not is_self(target.value)
    if not isinstance(target, cst.Name):
        return False
    function = source.enclosing(target, cst.FunctionDef)
    return any(
        isinstance(node.value, cst.Name)
        and node.value.value == target.value
        and source.enclosing(node, cst.FunctionDef) is function
        and node.attr.value not in ("eval", "to", "train", "cuda")
        for node in source.nodes(cst.Attribute)
    )
