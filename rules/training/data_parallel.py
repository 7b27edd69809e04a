"""LT425: DataParallel, which copies the model at every step."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT425",
    summary="training with DataParallel",
    why="""
        `DataParallel` copies the model to every GPU at every step, from one process whose threads
        wait for each other; torch's documentation recommends `DistributedDataParallel`, also on one
        machine. Advice, for files that train and know no DistributedDataParallel.
    """,
    bad="""
        from torch import nn


        def train(model, batches, optimizer):
            model = nn.DataParallel(model)
            for batch in batches:
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
    """,
    good="""
        from torch import nn


        def train(model, batches, optimizer):
            model = nn.parallel.DistributedDataParallel(model)
            for batch in batches:
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
    """,
    unproven="""
        It takes several GPUs.
    """,
    severity=Severity.NOTE,
    formerly=("LT413", "distributed-habits"),
)


@rule.event("torch.nn.DataParallel", "torch.nn.parallel.DataParallel")
def in_wrappers(event: Called, source: Source) -> Iterator[Hit]:
    words = source.evaluation.words
    if "backward" in words and words.isdisjoint({"DistributedDataParallel", "DDP"}):
        message = "DataParallel copies the model at every step"
        yield Hit(event, message, remedy="write DistributedDataParallel, which is faster")
