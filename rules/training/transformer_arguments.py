"""LT416: sequence layers in another layout than their output is read in, or that see the future."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, Trace
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT416",
    summary="a sequence layer that mixes up batch and time, or sees the future",
    why="""
        Transformer layers, MultiheadAttention, LSTM, GRU and RNN take (time, batch, features)
        unless they are made with `batch_first=True`. Given (batch, time, features) they run: the
        samples of a batch attend to each other, and what is read as `out[:, -1]` is not the last
        step. A result that is read with time second (`[:, 0]`, `[:, -1]`, `mean(1)`), in a
        function that swaps no axes, gives the mistake away. A decoder without `tgt_mask` looks
        at the words it is to predict: it trains fast and generates nonsense. An embedding that
        the heads do not divide raises. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(8, 16)
                self.head = nn.Linear(16, 2)

            def forward(self, x):
                out, _ = self.rnn(x)
                return self.head(out[:, -1])
    """,
    good="""
        import torch
        from torch import nn


        class Classifier(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.LSTM(8, 16, batch_first=True)
                self.head = nn.Linear(16, 2)

            def forward(self, x):
                out, _ = self.rnn(x)
                return self.head(out[:, -1])
    """,
    proof="""
        model, batch = Classifier(), torch.randn(3, 5, 8)
        alone = model(batch[1:2])
        assert torch.allclose(model(batch)[1:2], alone, atol=1e-5)
    """,
)

_RNN = ("input_size", "hidden_size", "num_layers", "bias", "batch_first")
_LAYER = (
    "d_model",
    "nhead",
    "dim_feedforward",
    "dropout",
    "activation",
    "layer_norm_eps",
    "batch_first",
)
LAYERS = {
    "torch.nn.LSTM": _RNN,
    "torch.nn.GRU": _RNN,
    "torch.nn.RNN": ("input_size", "hidden_size", "num_layers", "nonlinearity", "bias", "batch_first"),
    "torch.nn.TransformerEncoderLayer": _LAYER,
    "torch.nn.TransformerDecoderLayer": _LAYER,
    "torch.nn.MultiheadAttention": (
        "embed_dim", "num_heads", "dropout", "bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim",
        "batch_first",
    ),
}  # fmt: skip
"""Layers with a layout, and their parameters in order."""
STACKS = ("torch.nn.TransformerEncoder", "torch.nn.TransformerDecoder")
_PAIRS = ("torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN", "torch.nn.MultiheadAttention")
"""Layers that return their output and something else."""
_DECODERS = {
    "torch.nn.TransformerDecoder": ("tgt", "memory", "tgt_mask"),
    "torch.nn.Transformer": ("src", "tgt", "src_mask", "tgt_mask"),
}
_HEADS = {
    "torch.nn.MultiheadAttention": ("embed_dim", "num_heads"),
    "torch.nn.TransformerEncoderLayer": ("d_model", "nhead"),
    "torch.nn.TransformerDecoderLayer": ("d_model", "nhead"),
    "torch.nn.Transformer": ("d_model", "nhead"),
}
_SWAPS = re.compile(r"permute|transpose|swap|rearrange|movedim|moveaxis|einsum|\.T\b|\.t\(")
_REDUCTIONS = ("mean", "sum", "amax")
_WORDS = ("LSTM", "GRU", "RNN", "Transformer", "MultiheadAttention")
_DEPTH = 4


@rule.source(cst.Subscript, needs=_WORDS)
def in_indices(node: cst.Subscript, source: Source) -> Iterator[Hit]:
    """`out[:, -1]`."""
    if _takes_second(node) and (layer := _time_first(node.value, source)):
        yield Hit(node, f"reads time second, where {layer} without batch_first has the batch")


@rule.source(cst.Call, needs=_WORDS)
def in_reductions(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`out.mean(dim=1)`."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _REDUCTIONS:
        return
    if source.name(func) or source.arguments(call, "dim").value("dim", None) != 1:
        return
    if layer := _time_first(func.value, source):
        yield Hit(call, f"reduces time second, where {layer} without batch_first has the batch")


@rule.source(cst.Call, needs=("nn.Transformer(", "TransformerDecoder("))
def in_decoders(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.decoder(self.embed(tgt), memory)`."""
    names = {source.name(made.func) for made in source.origins(call.func)}
    name = names.pop() if len(names) == 1 else ""
    if name not in _DECODERS or source.name(call.func):
        return
    given = source.arguments(call, *_DECODERS[name])
    target = given.get("tgt")
    if target is None or not given.complete or given.value("tgt_mask", None) is not None:
        return
    if _is_text(target, source):
        short = name.rpartition(".")[2]
        yield Hit(call, f"{short} without tgt_mask sees the words that it is to predict")


@rule.source(cst.Call, needs=("Transformer", "MultiheadAttention"))
def in_heads(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in _HEADS:
        return
    given = source.arguments(call, *_HEADS[name])
    width, heads = (given.value(parameter) for parameter in _HEADS[name])
    if isinstance(width, int) and isinstance(heads, int) and heads > 0 and width % heads:
        message = f"{width} features cannot be divided among {heads} heads"
        yield Hit(call, message, severity=Severity.ERROR)


@rule.trace("torch.Tensor.__getitem__", *(f"torch.Tensor.{name}" for name in _REDUCTIONS))
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: how the inputs lie was worked out from the model itself."""
    others = trace.find_again(event).items()
    other = next((again for at, again in others if at.changed == ("batch",)), None)
    if not event.inputs or other is None or len(event.inputs[0]) != 3:
        return
    here, there = event.inputs[0], other.inputs[0]
    if here[0] != there[0] and here[1:] == there[1:]:
        taken = f"the layer took {here[0]} samples for time"
        yield Hit(event, f"{list(here)} grows with the batch first", confirms=True, detail=taken)


@rule.trace("torch.nn.functional.multi_head_attention_forward")
def in_attention(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: a decoder that attends to its target without a mask."""
    steps = event.inputs[0][0] if len(event.inputs[0]) == 3 else 0
    unmasked = event.args.get("attn_mask", "given") is None and not event.args.get("is_causal")
    if (
        event.layer.endswith(".self_attn")
        and "encoder" not in event.layer
        and unmasked
        and steps > 1
    ):
        message = f"{event.layer} attended from each of {steps} steps to all of them"
        yield Hit(event, message, confirms=True)


def _takes_second(node: cst.Subscript) -> bool:
    """`[:, 0]` or `[:, -1, :]`."""
    indices = [element.slice for element in node.slice]
    if len(indices) not in (2, 3) or not isinstance(indices[1], cst.Index):
        return False
    rest = all(
        isinstance(i, cst.Slice) and not (i.lower or i.upper or i.step) for i in indices[::2]
    )
    return rest and literal(indices[1].value) in (0, -1)


def _time_first(node: cst.BaseExpression, source: Source) -> str:
    """The layer, made without batch_first, whose output an expression is; "" where none is."""
    function = source.enclosing(node, cst.FunctionDef)
    call, part = _called(node, source)
    if call is None or function is None or source.name(call.func):
        return ""
    made = source.origins(call.func)
    if not made or _SWAPS.search(source.code(function)):
        return ""
    names = {source.name(one.func) for one in made}
    pair = names <= set(_PAIRS)
    if len(names) != 1 or (part == 0) != pair or not all(_is_time_first(m, source) for m in made):
        return ""
    return names.pop().rpartition(".")[2]


def _called(node: cst.BaseExpression, source: Source) -> tuple[cst.Call | None, int | None]:
    """The call an expression is the result of, and which part of its result."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1:
        index = node.slice[0].slice
        first = isinstance(index, cst.Index) and literal(index.value) == 0
        call = node.value if first and isinstance(node.value, cst.Call) else None
        return call, 0
    if isinstance(node, cst.Name):
        found = reaching_definitions(node, source)
        value = found[0].value if len(found) == 1 else None
        return (value, found[0].index) if isinstance(value, cst.Call) else (None, None)
    return (node, None) if isinstance(node, cst.Call) else (None, None)


def _is_time_first(made: cst.Call, source: Source) -> bool:
    name = source.name(made.func)
    if name in STACKS and made.args and not made.args[0].star:
        layers = source.origins(made.args[0].value)
        return bool(layers) and all(_is_time_first(layer, source) for layer in layers)
    if name not in LAYERS:
        return False
    return source.arguments(made, *LAYERS[name]).value("batch_first", False) is False


def _is_text(target: cst.BaseExpression, source: Source) -> bool:
    """Whether a target is embedded words: by the names it is made of."""
    texts, node = [source.code(target)], target
    for _ in range(_DEPTH):
        name = next((n for n in _names(node, source) if reaching_definitions(n, source)), None)
        found = reaching_definitions(name, source) if name is not None else []
        if len(found) != 1 or found[0].value is None:
            break
        node = found[0].value
        texts.append(source.code(node))
    text = " ".join(texts)
    return bool(re.search(r"emb", text)) and bool(re.search(r"\b(tgt|trg|target)", text))


def _names(node: cst.CSTNode, source: Source) -> list[cst.Name]:
    if isinstance(node, cst.Name):
        return [node]
    return [n for n in source.nodes(cst.Name) if node in source.ancestors(n) and n.value != "self"]
