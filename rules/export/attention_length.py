"""LT149: attention over keys whose number varies, which the legacy exporter fixes."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import FALSE, TRUE, Tensor, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT149",
    summary="attention over keys whose number varies",
    why="""
        The legacy ONNX exporter writes the number of keys of the example into MultiheadAttention
        and the layers of transformers, as the shape of a Reshape: at another length ONNX Runtime
        stops there, "Non-zero status code returned while running Reshape node", with sizes declared
        dynamic or not. Another batch, and another number of queries over the same keys, run. With
        `add_bias_kv=True` all do. The new exporter, torch.export and the tracers take any length.
        Measured on torch 2.13.

        Export with `dynamo=True`, or pad to one length and pass a key_padding_mask. Attention
        written with F.scaled_dot_product_attention runs at all lengths.
    """,
    bad="""
        from torch import nn


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

            def forward(self, words):
                return self.attention(words, words, words)[0]
    """,
    good="""
        from torch import nn
        from torch.nn import functional as F


        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.project = nn.Linear(8, 24)

            def forward(self, words):
                heads = self.project(words).unflatten(2, (3, 2, 4)).permute(2, 0, 3, 1, 4)
                seen = F.scaled_dot_product_attention(heads[0], heads[1], heads[2])
                return seen.transpose(1, 2).flatten(2)
    """,
    proof="""
        import io
        import warnings

        import onnxruntime

        warnings.simplefilter("ignore")
        written = io.BytesIO()
        torch.onnx.export(
            Reader().eval(), (torch.ones(2, 5, 8),), written, dynamo=False, input_names=["words"],
            dynamic_axes={"words": {0: "batch", 1: "length"}},
        )
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(written.getvalue(), options)
        session.run(None, {"words": torch.ones(2, 7, 8).numpy()})
    """,
    example_profile=("onnx-legacy",),
)

HARM = {"onnx-legacy": Harm.FAILS}
KEYS = {
    "torch.nn.MultiheadAttention.forward": ("key",),
    "torch.nn.functional.multi_head_attention_forward": ("key",),
    "torch.nn.TransformerEncoderLayer.forward": ("src",),
    "torch.nn.TransformerDecoderLayer.forward": ("tgt", "memory"),
    "torch.nn.TransformerEncoder.forward": ("src",),
    "torch.nn.TransformerDecoder.forward": ("tgt", "memory"),
    "torch.nn.Transformer.forward": ("src", "tgt"),
}
"""What attends, and the arguments that are looked at as keys."""
FUNCTION = "torch.nn.functional.multi_head_attention_forward"


@rule.event(*KEYS)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if (
        not source.profile.dynamic
        or not event.way.forward
        or "onnx-legacy" not in source.profile.exporters
    ):
        return
    given = event.arguments
    if any(given.get(name, FALSE) != FALSE for name in ("add_bias_kv", "add_zero_attn")):
        return
    if KEYS[event.name] == ("key",) and not all(
        map(is_packed, source.evaluation.list_calls_at(event.spot))
    ):
        return
    first = FALSE if event.name == FUNCTION else given.get("batch_first")
    if any(is_long(given.get(name), first) for name in KEYS[event.name]):
        name = event.name.removesuffix(".forward").rpartition(".")[2]
        message = (
            f"{name} over a length that varies: the exported model runs at the example's alone"
        )
        yield Hit(event, message, harm=HARM, remedy="export with dynamo=True, or pad to one length")


def is_packed(event: Called) -> bool:
    """Whether keys and values are one tensor, which is projected at once; a part alone may be given less than in its model."""
    return event.arguments.get("key") is event.arguments.get("value")


def is_long(value: Value | None, first: Value | None) -> bool:
    """Whether the axis of steps varies; both axes before the last where it is not known which that is."""
    shape = value.shape if isinstance(value, Tensor) else None
    if shape is None and isinstance(value, Tensor) and value.origin == "input":
        return True  # whatever its rank
    if shape is None or len(shape) not in (2, 3):
        return False
    if len(shape) == 2:
        return varies(shape[0]) is True
    axes = (1,) if first == TRUE else (0,) if first == FALSE else (0, 1)
    return all(varies(shape[axis]) is True for axis in axes)
