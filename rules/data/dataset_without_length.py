"""LT518: a dataset without a length."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.objects import list_ancestors
from lintorch.evaluator.values import NONE, Class, External, Held, Items, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT518",
    summary="a dataset without a length",
    why="""
        A DataLoader asks a dataset for its length, to know which samples there are: with shuffle=True as
        it is made, else as it is read. torch.utils.data.Dataset has no `__len__` of its own: TypeError.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Noise(Dataset):
            def __init__(self, count):
                self.count = count

            def __getitem__(self, index):
                return torch.randn(2)


        def load():
            return list(DataLoader(Noise(4), batch_size=2))
    """,
    good="""
        import torch
        from torch.utils.data import DataLoader, Dataset


        class Noise(Dataset):
            def __init__(self, count):
                self.count = count

            def __getitem__(self, index):
                return torch.randn(2)

            def __len__(self):
                return self.count


        def load():
            return list(DataLoader(Noise(4), batch_size=2))
    """,
    proof="""
        load()
    """,
    severity=Severity.ERROR,
    remedy="give it __len__",
)

PLAIN = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset", "object", "typing.Generic")
LENGTHS = frozenset({"__len__", "__getattr__", "__getattribute__", "__iter__"})


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    dataset = given["dataset"]
    if event.open or not lacks_length(dataset) or is_tentative(source.call_at(event), source):
        return
    if all(given[name] in (None, NONE) for name in ("sampler", "batch_sampler")):
        held = dataset.of if isinstance(dataset, Held) else None
        kind = held.name if isinstance(held, Class) else "a generator"
        remedy = None if held is not None else "give a list, or an IterableDataset"
        message = f"{kind} has no __len__, which the loader asks for: TypeError"
        yield Hit(event, message, remedy=remedy)


def lacks_length(dataset: Value | None) -> bool:
    """Whether all that it derives from is known, and none of that has a length."""
    if isinstance(dataset, Items):
        return dataset.kind == "generator"
    if not isinstance(dataset, Held) or not isinstance(dataset.of, Class):
        return False
    ancestors = [*list_ancestors(dataset.of)]
    foreign = [each.path for each in ancestors if isinstance(each, External)]
    known = PLAIN[0] in foreign or PLAIN[1] in foreign
    words = {
        name
        for each in ancestors
        if isinstance(each, Class)
        for node in each.node.body
        for name in _list_names(node)
    }
    return known and all(path in PLAIN for path in foreign) and not words & LENGTHS


def _list_names(node: object) -> Iterator[str]:
    """The methods and attributes that a statement of a class defines."""
    yield getattr(node, "name", "")
    for target in getattr(node, "targets", ()):
        yield getattr(target, "id", "")
