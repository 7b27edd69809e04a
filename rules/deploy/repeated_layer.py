"""LT223: one layer that stands several times in a list of layers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT223",
    summary="one layer several times, by multiplying a list",
    why="""
        `[nn.Linear(4, 4)] * 3` holds one layer three times: ModuleList and Sequential run it again and again
        with the same weights, and the model has a third of the parameters that it seems to have. A list
        comprehension makes a layer for each place. Layers without weights, such as ReLU, may be shared.
        Where weights are shared on purpose, one name for the layer and a loop say so. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn

        body = nn.Sequential(*[nn.Linear(4, 4)] * 3)
    """,
    good="""
        import torch
        from torch import nn

        body = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])
    """,
    remedy="make one for each place: [nn.Linear(4, 4) for _ in range(3)]",
    proof="""
        assert len([*body.parameters()]) == 6
    """,
)

HOLDERS = ("torch.nn.ModuleList", "torch.nn.Sequential")
WEIGHTED = frozenset(
    {
        "Linear", "Bilinear", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d",
        "ConvTranspose3d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LayerNorm", "GroupNorm", "LSTM",
        "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "MultiheadAttention", "TransformerEncoderLayer",
        "TransformerDecoderLayer", "Embedding", "PReLU",
    }
)  # fmt: skip


@rule.source(cst.Call, needs=("ModuleList", "Sequential"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) not in HOLDERS or len(call.args) != 1:
        return
    given = call.args[0].value
    if not isinstance(given, cst.BinaryOperation) or not isinstance(given.operator, cst.Multiply):
        return
    if "1" in (source.code(given.left), source.code(given.right)):
        return
    row = next((s for s in (given.left, given.right) if isinstance(s, cst.List)), None)
    made = [e.value for e in row.elements] if row is not None else []
    for each in made:
        if isinstance(each, cst.Call) and makes_weights(each, source):
            said = f"{source.code(given)} is one layer several times, with one set of weights"
            yield Hit(given, said)
            return


def makes_weights(call: cst.Call, source: Source) -> bool:
    """Whether it makes a layer with weights."""
    name = source.name(call.func)
    own = source.classes.named(name)
    return name.removeprefix("torch.nn.") in WEIGHTED or (own is not None and own.is_module)
