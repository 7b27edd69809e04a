"""LT513: a DataLoader that is to order an iterable dataset."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.objects import derives_from
from lintorch.evaluator.values import TRUE, Held
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER, find_argument, is_sampler
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT513",
    summary="shuffle or a sampler with an iterable dataset",
    why="""
        An IterableDataset gives its samples in an order of its own: nothing can be asked for by
        number. A DataLoader raises ValueError where it is to shuffle one, or to read it by a
        sampler or batch_sampler. Measured on torch 2.13.
    """,
    bad="""
        import random

        from torch.utils.data import DataLoader, IterableDataset


        class Lines(IterableDataset):
            def __init__(self, lines):
                self.lines = lines

            def __iter__(self):
                yield from self.lines


        def loader(lines):
            return DataLoader(Lines(lines), shuffle=True)
    """,
    good="""
        import random

        from torch.utils.data import DataLoader, IterableDataset


        class Lines(IterableDataset):
            def __init__(self, lines):
                self.lines = lines

            def __iter__(self):
                yield from random.sample(self.lines, len(self.lines))


        def loader(lines):
            return DataLoader(Lines(lines))
    """,
    proof="""
        assert len(list(loader([1, 2, 3]))) == 3
    """,
    severity=Severity.ERROR,
    remedy="leave it out, and let the dataset order its samples itself",
    formerly=("LT501", "loader-arguments"),
)

ITERABLE = "torch.utils.data.IterableDataset"


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    call, given = source.call_at(event), name_arguments(event)
    dataset = given["dataset"]
    if not isinstance(dataset, Held) or not derives_from(dataset.of, ITERABLE):
        return
    for name in ("shuffle", "sampler", "batch_sampler"):
        ordered = given[name] == TRUE or is_sampler(given[name])
        if ordered and not is_tentative(call, source):
            message = f"{name} with an iterable dataset: ValueError"
            yield Hit(find_argument(call, name) or event, message)
