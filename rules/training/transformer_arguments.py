"""LT416: sequence layers in another layout than their output is read in, or that see the future."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.sizes import Dim, Size, list_symbols
from lintorch.evaluator.values import (
    FALSE,
    NONE,
    UNKNOWN,
    Constant,
    Held,
    Items,
    Slice,
    Tensor,
    Value,
    size_in,
)
from lintorch.evidence import OperatorCall, Trace
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.source import Source

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
    remedy="build it with batch_first=True",
    proof="""
        model, batch = Classifier(), torch.randn(3, 5, 8)
        alone = model(batch[1:2])
        assert torch.allclose(model(batch)[1:2], alone, atol=1e-5)
    """,
)

_NN = "torch.nn."
_PAIRS = tuple(f"{_NN}{name}.forward" for name in ("LSTM", "GRU", "RNN", "MultiheadAttention"))
"""Layers that return their output and something else."""
_ALONE = tuple(
    f"{_NN}{name}.forward" for name in ("TransformerEncoderLayer", "TransformerDecoderLayer")
)
_STACKS = {
    f"{_NN}TransformerEncoder.forward": "encoder_layer",
    f"{_NN}TransformerDecoder.forward": "decoder_layer",
}
"""What is made of layers with a layout, and how its constructor calls one of them."""
_TARGETS = {f"{_NN}TransformerDecoder.forward": 0, f"{_NN}Transformer.forward": 1}
"""Where the target stands among the arguments; its mask stands two behind."""
_HEADS = {
    f"{_NN}MultiheadAttention": ("embed_dim", "num_heads"),
    f"{_NN}TransformerEncoderLayer": ("d_model", "nhead"),
    f"{_NN}TransformerDecoderLayer": ("d_model", "nhead"),
    f"{_NN}Transformer": ("d_model", "nhead"),
}
_SWAPS = frozenset(
    {
        "permute", "transpose", "swapaxes", "swapdims", "rearrange", "movedim", "moveaxis", "einsum",
        "T", "mT", "t",
    }
)  # fmt: skip
_REDUCTIONS = ("mean", "sum", "amax")


@rule.event(Indexed)
def in_index(event: Indexed, source: Source) -> Iterator[Hit]:
    """`out[:, -1]`."""
    if _takes_second(event.index) and (layer := _name_time_first(event.held, source)):
        message = f"reads time second, where {layer} without batch_first has the batch"
        yield Hit(event, message)


@rule.event(*(f"{home}.{name}" for home in ("torch", "torch.Tensor") for name in _REDUCTIONS))
def in_reduction(event: Called, source: Source) -> Iterator[Hit]:
    """`out.mean(dim=1)`."""
    if event.arguments.get("dim") not in (Constant(1), Items("tuple", (Constant(1),))):
        return
    if layer := _name_time_first(find_operand(event), source):
        message = f"reduces time second, where {layer} without batch_first has the batch"
        yield Hit(event, message)


@rule.event(*_TARGETS)
def in_decoder(event: Called, source: Source) -> Iterator[Hit]:
    """`self.decoder(self.embed(tgt), memory)`."""
    given, at = event.positional[1:], _TARGETS[event.name]
    target = given[at] if at < len(given) else event.keyword.get("tgt")
    behind = given[2] if len(given) > 2 else NONE
    mask = (given[3] if len(given) > 3 else NONE) if at else behind
    if (
        event.open
        or _has_options(event)
        or target is None
        or event.keyword.get("tgt_mask", mask) != NONE
        or _is_left_to_callers(event)
        or event.settings.get("custom_decoder", NONE) != NONE
    ):
        return
    if _is_text(target, source):
        short = event.name.removesuffix(".forward").rpartition(".")[2]
        said = f"{short} without tgt_mask sees the words that it is to predict"
        remedy = "give tgt_mask=nn.Transformer.generate_square_subsequent_mask(length)"
        yield Hit(event, said, remedy=remedy)


def _is_left_to_callers(event: Called) -> bool:
    """`tgt_mask=mask` of a forward that nothing seen here calls: its callers give the mask, or do not."""
    given = event.node.keywords if isinstance(event.node, ast.Call) else []
    handed = any(e.arg == "tgt_mask" and isinstance(e.value, ast.Name) for e in given)
    root, *entered = event.way.names or ("",)
    return handed and entered in ([], [f"{root}.forward"])


@rule.event(f"{_NN}MultiheadAttention.forward", *_ALONE, *_STACKS)
def in_layer(event: Called, source: Source) -> Iterator[Hit]:
    """`self.attend(x, x, x)` of an image's places, and with a mask over the places."""
    fed = event.positional[1] if len(event.positional) > 1 else None
    shape = fed.shape if isinstance(fed, Tensor) and fed.sure and not fed.guessed else None
    if (
        shape is None
        or len(shape) != 3
        or shape[0] == shape[1]
        or not _is_time_first(event, source)
    ):
        return
    layer = event.name.removesuffix(".forward").rpartition(".")[2]
    if str(shape[0]) == "B" and (_is_of_sides(shape[1]) or _is_of_image(fed, shape[1], source)):
        yield Hit(event, f"{layer} without batch_first takes the batch for the sequence")
        return
    mask = next((event.keyword[name] for name in _MASKS if name in event.keyword), None)
    sides = mask.shape if isinstance(mask, Tensor) else None
    if sides == (shape[1], shape[1]) and isinstance(shape[0], Size):
        message = f"{layer} without batch_first takes the batch for the sequence, which the mask does not fit"
        yield Hit(event, message, severity=Severity.ERROR)


def _is_of_sides(size: Dim) -> bool:
    return any(_SIDE.search(each.name) for each in list_symbols(size))


def _is_of_image(fed: Value | None, places: Dim, source: Source) -> bool:
    """Whether a known number of places is what a convolution gave, whose first axis is the batch."""
    if not isinstance(places, int) or places < 2:
        return False
    return any(each.name in _CONVOLUTIONS for each in source.evaluation.steps.list_steps(fed))


_CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})
_SIDE = re.compile(r"\.[HWD]$")
"""Names of an image's height and width, which are behind its batch."""
_MASKS = ("attn_mask", "src_mask", "mask")


@rule.event(*_HEADS)
def in_heads(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    width, heads = (size_in(given.get(name, UNKNOWN)) for name in _HEADS[event.name])
    if isinstance(width, int) and isinstance(heads, int) and heads > 0 and width % heads:
        message = f"{width} features cannot be divided among {heads} heads"
        remedy = f"choose a number of heads that divides {width}"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)


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


def _takes_second(index: Value) -> bool:
    """`[:, 0]` or `[:, -1, :]`."""
    parts = index.items if isinstance(index, Items) and index.items is not None else ()
    if len(parts) not in (2, 3) or parts[1] not in (Constant(0), Constant(-1)):
        return False
    return all(each == Slice(NONE, NONE, NONE) for each in parts[::2])


def _name_time_first(value: Value | None, source: Source) -> str:
    """The layer, made without batch_first, whose output a value is; "" where none is, or axes are swapped."""
    value, made = _find_layer(value, source)
    if made is None:
        return ""
    if not _is_time_first(made, source):
        return ""
    fed = made.positional[1] if len(made.positional) > 1 else None
    if _is_single(fed, source):
        return ""
    if any(step.name in _SWAPS for step in source.evaluation.steps.list_steps(fed)):
        return ""
    return made.name.removesuffix(".forward").rpartition(".")[2]


def _find_layer(value: Value | None, source: Source) -> tuple[Value | None, Called | None]:
    """The sequence layer whose output a value is, through what keeps its axes, and that output."""
    waiting = [value]
    for _ in range(_DEEPEST):
        each = waiting.pop() if waiting else None
        made = source.evaluation.ways.find_maker(each)
        if isinstance(made, Called) and _is_output(each, made):
            return each, made
        if isinstance(made, Combined) and made.operator in ("Add", "Mult"):
            waiting += (made.left, made.right)
        elif isinstance(made, Called) and name_operation(made) in _KEEPING:
            waiting.append(find_operand(made))
        elif isinstance(made, Called) and _keeps_shape(made):
            waiting.append(made.positional[0])
    return None, None


_DEEPEST = 12
_KEEPING = frozenset(
    {"linear", "layernorm", "rmsnorm", "dropout", "relu", "gelu", "tanh", "silu", "identity"}
)
"""Layers, and functions, that leave the axes where they are."""


def _keeps_shape(made: Called) -> bool:
    """`y.reshape(b, t, d)` of what has these sizes already."""
    given = made.positional[0] if made.positional else None
    if name_operation(made) not in ("reshape", "view") or not isinstance(given, Tensor):
        return False
    result = made.result
    return isinstance(result, Tensor) and given.shape is not None and given.shape == result.shape


def _is_single(fed: Value | None, source: Source) -> bool:
    """`rows[:, None]`: a batch of one, put there on purpose."""
    if isinstance(fed, Tensor) and fed.shape is not None:
        return fed.shape[1:2] == (1,)
    made = source.evaluation.ways.find_maker(fed)
    if isinstance(made, Indexed) and isinstance(made.index, Items):
        return (made.index.items or ())[1:2] == (NONE,)
    unsqueezed = isinstance(made, Called) and made.name.endswith(".unsqueeze")
    return unsqueezed and isinstance(made, Called) and made.arguments.get("dim") == Constant(1)


def _is_output(value: Value | None, made: Called) -> bool:
    """Whether it is what the layer puts out, not its last state or weights."""
    if made.name not in _PAIRS:
        return made.name in _STACKS or made.name in _ALONE
    items = made.result.items if isinstance(made.result, Items) else None
    return bool(items) and items is not None and items[0] is value


def _is_time_first(run: Called, source: Source) -> bool:
    if run.name in _STACKS:
        layer = run.settings.get(_STACKS[run.name])
        return isinstance(layer, Held) and _has_time_first(layer, source)
    return run.settings.get("batch_first") == FALSE


def _has_time_first(layer: Held, source: Source) -> bool:
    """Whether a layer that a stack is made of was made so."""
    for reached in source.evaluation.reached:
        for each in reached.events:
            made = each.result if isinstance(each, Called) else None
            if not isinstance(each, Called) or not isinstance(made, Held):
                continue
            if made.address == layer.address and made.of == layer.of:
                return name_arguments(each).get("batch_first") == FALSE
    return False


def _has_options(event: Called) -> bool:
    """Whether there may be more among `**options`."""
    named = event.node.keywords if isinstance(event.node, ast.Call) else []
    return any(each.arg is None and not isinstance(each.value, ast.Dict) for each in named)


def _is_text(target: Value, source: Source) -> bool:
    """Whether a target is the embedding of words that the model is given."""
    steps = source.evaluation.steps.list_steps(target)
    looked_up = [each.event for each in steps if each.name == "embedding"]
    words = find_operand(looked_up[-1]) if looked_up else None
    return isinstance(words, Tensor) and words.origin == "input"
