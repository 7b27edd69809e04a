"""LT818: a decoder that gives other logits behind its cache than for the whole text."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import PastForgotten, Trace

rule = Rule(
    __name__,
    code="LT818",
    summary="a decoder that forgets how many tokens are in its cache",
    why="""
        A decoder is called once for the prompt, and then for one token at a time with the keys
        and values of all before it. Positions that begin at 0 in each call, a rotary table that
        is cut from its start, or a mask cut by the new tokens alone are right for the prompt,
        and wrong in every step: the text goes on with other tokens, and nothing is raised.

        Told of runs only: the last token of a text is computed behind the cache of all others,
        and in the whole text. The line is the first whose values differ there, though nothing
        that it takes does, and that reach the logits. Where `forward` has another argument that
        may say where the tokens stand, and lintorch does not know how to give it, nothing is told.
    """,
    bad="""
        import torch
        from torch import nn


        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(20, 8)
                self.place = nn.Embedding(32, 8)
                self.head = nn.Linear(8, 20)

            def forward(self, ids, past=None):
                x = self.embed(ids) + self.place(torch.arange(ids.shape[1]))
                keys = x if past is None else torch.cat([past, x], 1)
                total, length = keys.shape[1], x.shape[1]
                rows = torch.arange(total - length, total)[:, None]
                hidden = torch.arange(total) > rows
                score = (x @ keys.transpose(1, 2)).masked_fill(hidden, float("-inf"))
                return self.head(score.softmax(-1) @ keys), keys
    """,
    good="""
        import torch
        from torch import nn


        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(20, 8)
                self.place = nn.Embedding(32, 8)
                self.head = nn.Linear(8, 20)

            def forward(self, ids, past=None):
                before = 0 if past is None else past.shape[1]
                x = self.embed(ids) + self.place(torch.arange(before, before + ids.shape[1]))
                keys = x if past is None else torch.cat([past, x], 1)
                total, length = keys.shape[1], x.shape[1]
                rows = torch.arange(total - length, total)[:, None]
                hidden = torch.arange(total) > rows
                score = (x @ keys.transpose(1, 2)).masked_fill(hidden, float("-inf"))
                return self.head(score.softmax(-1) @ keys), keys
    """,
    remedy="count from the length of the cache: `past = cache[0].shape[-2]`",
    severity=Severity.ERROR,
    proof="""
        import torch

        torch.manual_seed(0)
        model = Decoder().eval()
        ids = torch.randint(0, 20, (1, 6))
        with torch.no_grad():
            whole, _ = model(ids)
            _, cache = model(ids[:, :5])
            step, _ = model(ids[:, 5:], cache)
        assert torch.allclose(whole[:, -1], step[:, -1], atol=1e-4)
    """,
)


@rule.trace(PastForgotten)
def in_trace(event: PastForgotten, trace: Trace) -> Iterator[Hit]:
    message = (
        f"behind a cache of {event.past} tokens {event.function.rpartition('.')[2]}() gives other"
        f" numbers here than in the whole text, and the logits are off by {event.amount:.3g}"
    )
    yield Hit(event, message)
