"""LT810: a packed sequence where a tensor is wanted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Items, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT810",
    summary="a packed sequence that is used as a tensor",
    why="""
        A recurrent layer that is given what pack_padded_sequence made gives back a PackedSequence,
        which is no tensor: a Linear raises TypeError, `out[:, -1]` and `out.mean(1)` raise too.
        pad_packed_sequence makes a tensor of it, and gives the lengths beside it. The last state
        `h` is a tensor already. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn
        from torch.nn.utils.rnn import pack_padded_sequence


        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(4, 8, batch_first=True)
                self.head = nn.Linear(8, 2)

            def forward(self, x, lengths):
                out, h = self.rnn(pack_padded_sequence(x, lengths, batch_first=True))
                return self.head(out)
    """,
    good="""
        from torch import nn
        from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


        class Tagger(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(4, 8, batch_first=True)
                self.head = nn.Linear(8, 2)

            def forward(self, x, lengths):
                out, h = self.rnn(pack_padded_sequence(x, lengths, batch_first=True))
                out, lengths = pad_packed_sequence(out, batch_first=True)
                return self.head(out)
    """,
    proof="""
        import torch

        Tagger()(torch.ones(2, 3, 4), [3, 2])
    """,
    severity=Severity.ERROR,
)

_RNN = "torch.nn.utils.rnn."
_PACKING = frozenset({f"{_RNN}pack_padded_sequence", f"{_RNN}pack_sequence"})
_ROWS = frozenset(f"torch.nn.{name}.forward" for name in ("LSTM", "GRU", "RNN"))
_LAYERS = tuple(
    f"torch.nn.{name}.forward"
    for name in ("Linear", "LayerNorm", "Dropout", "ReLU", "Tanh", "BatchNorm1d", "Conv1d")
)
_METHODS = ("view", "reshape", "mean", "sum", "max", "permute", "transpose", "contiguous", "size")
_FUNCTIONS = ("torch.cat", "torch.stack", "torch.mean", "torch.sum", "torch.relu", "torch.tanh")


@rule.event(*_LAYERS, *_FUNCTIONS, *(f"torch.Tensor.{name}" for name in _METHODS))
def in_calls(event: Called, source: Source) -> Iterator[Hit]:
    given = event.positional[event.name.endswith(".forward") :]
    first = given[0] if given else event.keyword.get("input")
    parts = (first.items or ()) if isinstance(first, Items) else (first,)
    if any(_is_packed(each, source) for each in parts) and not _tells_apart(event, source):
        short = event.name.removesuffix(".forward").rpartition(".")[2]
        yield Hit(event, f"{short} is given a PackedSequence: it raises", remedy=_REMEDY)


@rule.event(UnknownCalled)
def in_methods(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    packed = event.method in _METHODS and _is_packed(event.held, source)
    if packed and not _tells_apart(event, source):
        yield Hit(event, f"{event.method} is given a PackedSequence: it raises", remedy=_REMEDY)


@rule.event(Indexed)
def in_index(event: Indexed, source: Source) -> Iterator[Hit]:
    packed = isinstance(event.index, Items) and _is_packed(event.held, source)
    if packed and not _tells_apart(event, source):
        yield Hit(event, "takes places of a PackedSequence: it raises", remedy=_REMEDY)


_REMEDY = "give it to pad_packed_sequence first"


def _tells_apart(event: Occurrence, source: Source) -> bool:
    """Whether its function asks which kind it has: `if isinstance(x, PackedSequence):`."""
    function = source.evaluation.find_function(event)
    return any(
        isinstance(each, ast.Call)
        and getattr(each.func, "id", "") == "isinstance"
        and "PackedSequence" in ast.unparse(each)
        for each in (ast.walk(function) if function is not None else ())
    )


def _is_packed(value: Value | None, source: Source) -> bool:
    """Whether it is a packed sequence, or what a recurrent layer gave for one."""
    ways = source.evaluation.ways
    made = ways.find_maker(value)
    if not isinstance(made, Called):
        return False
    if made.name in _PACKING:
        return True
    whole = made.result.items if isinstance(made.result, Items) else None
    if made.name not in _ROWS or not whole or value is not whole[0] or len(made.positional) < 2:
        return False
    below = ways.find_maker(made.positional[1])
    return isinstance(below, Called) and below.name in _PACKING
