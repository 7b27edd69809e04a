"""LT150: sequences that forward pads to the longest of them."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Harm, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.sizes import Dim, varies
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT150",
    summary="sequences that forward pads to the longest of them",
    why="""
        The legacy ONNX exporter refuses pad_sequence. The new one writes down which of the
        sequences was the longest in the example: where another one is longer than that, the
        exported model cuts it off without a word. torch.export and TorchScript are right. Measured
        on torch 2.13.

        Pad the batch before the model, and pass the lengths or a mask.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.nn.utils.rnn import pad_sequence


        class Pair(nn.Module):
            def forward(self, first, second):
                return pad_sequence([first, second], batch_first=True) * 2
    """,
    good="""
        import torch
        from torch import nn
        from torch.nn.utils.rnn import pad_sequence


        class Pair(nn.Module):
            def forward(self, first, second):
                return torch.cat([first, second]) * 2
    """,
    proof="""
        import io
        import warnings

        import onnxruntime

        warnings.simplefilter("ignore")
        steps = torch.export.Dim.DYNAMIC
        sizes = ({0: steps}, {0: steps})
        example = (torch.ones(4, 3), torch.ones(6, 3))
        program = torch.onnx.export(Pair(), example, dynamo=True, dynamic_shapes=sizes, verbose=False)
        written = io.BytesIO()
        program.save(written)
        session = onnxruntime.InferenceSession(written.getvalue())
        first, second = torch.ones(9, 3), torch.ones(6, 3)
        (found,) = session.run(None, {"first": first.numpy(), "second": second.numpy()})
        assert found.shape == tuple(Pair()(first, second).shape)
    """,
    example_profile=("onnx",),
)

PAD = "torch.nn.utils.rnn.pad_sequence"
INSTEAD = "pad the batch before the model"


@rule.event(PAD)
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    if not event.way.forward:
        return
    differ = source.profile.dynamic and are_long(event)
    harm = {"onnx-legacy": Harm.REFUSED, **({"onnx": Harm.SILENT} if differ else {})}
    told = "pad_sequence to the longest sequence" + (", which of them differs" if differ else "")
    yield Hit(event, f"{told}; {INSTEAD}", harm=harm)


def are_long(event: Called) -> bool:
    """Whether the lengths of several sequences vary, each by itself."""
    given = event.positional[0] if event.positional else event.keyword.get("sequences")
    items = given.items if isinstance(given, Items) else None
    lengths = [find_length(each) for each in items or ()]
    known = [length for length in lengths if length is not None]
    return len(set(known)) > 1 and len(known) == len(lengths) and any(map(may_vary, known))


def find_length(value: Value) -> Dim | str | None:
    """The first size of a sequence; of an input that nothing is known of, its name."""
    if not isinstance(value, Tensor):
        return None
    if value.shape:
        return value.shape[0]
    return value.name if value.shape is None and value.origin == "input" else None


def may_vary(length: Dim | str) -> bool:
    """Whether it is another one in another run."""
    return isinstance(length, str) or varies(length) is True
