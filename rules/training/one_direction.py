"""LT450: the last state of a bidirectional layer that is read of one direction alone."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Indexed, Occurrence
from lintorch.evaluator.values import TRUE, Constant, Items, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT450",
    summary="the state of a bidirectional layer read of one direction alone",
    why="""
        The last state of a bidirectional LSTM, GRU or RNN has a row for each direction of each layer:
        `h_n[-1]` is the last layer's backward direction, and `h_n[-2]` its forward one. A model that reads
        `h_n[-1]` alone runs, and its forward direction of the last layer is neither read nor trained.
        Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True, bidirectional=True)
                self.head = nn.Linear(16, 2)

            def forward(self, x):
                _, state = self.rnn(x)
                return self.head(state[-1])
    """,
    good="""
        from torch import nn


        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.rnn = nn.GRU(8, 16, batch_first=True, bidirectional=True)
                self.head = nn.Linear(16, 2)

            def forward(self, x):
                _, state = self.rnn(x)
                return self.head(state[-2] + state[-1])
    """,
    proof="""
        model = Encoder()
        model(torch.randn(2, 5, 8)).sum().backward()
        assert model.rnn.weight_hh_l0.grad.any(), "the forward direction is not trained"
    """,
    remedy="join both: torch.cat([h_n[-2], h_n[-1]], dim=-1), which is twice as wide",
)

LAYERS = tuple(f"torch.nn.{name}.forward" for name in ("LSTM", "GRU", "RNN"))


@rule.event(Indexed)
def in_states(event: Indexed, source: Source) -> Iterator[Hit]:
    """`h_n[-1]`."""
    if _first(event.index) != Constant(-1):
        return
    run = _find_run(event.held, source)
    if run is not None and not any(_list_others(event, run, source)):
        short = run.name.removesuffix(".forward").rpartition(".")[2]
        message = f"the state of the backward direction alone, of a {short} with two"
        yield Hit(event, message)


def _find_run(held: Value, source: Source) -> Called | None:
    """The run of a bidirectional layer whose state a value is."""
    for _, run in source.evaluation.list_events(LAYERS):
        two = isinstance(run, Called) and run.settings.get("bidirectional") == TRUE
        if isinstance(run, Called) and two and _find_state(run) is held:
            return run
    return None


def _find_state(run: Called) -> Value | None:
    """The hidden state that a layer gives behind its output."""
    items = run.result.items if isinstance(run.result, Items) else None
    state = items[1] if items is not None and len(items) == 2 else None
    if isinstance(state, Items):
        return state.items[0] if state.items else None
    return state


def _first(index: Value) -> Value | None:
    """The first part of an index: `-1` of `[-1]` and `[-1, :, :]`."""
    if isinstance(index, Items):
        return index.items[0] if index.items else None
    return index


def _list_others(event: Indexed, run: Called, source: Source) -> Iterator[Occurrence]:
    """What else takes that state, or what the layer puts out."""
    items = run.result.items if isinstance(run.result, Items) else None
    for value in (event.held, *(items or ())[:1]):
        for user in source.evaluation.ways.find_users(value):
            if not (isinstance(user, Indexed) and user.spot == event.spot):
                yield user
