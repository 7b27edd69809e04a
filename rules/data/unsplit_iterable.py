"""LT523: an iterable dataset that each worker reads to its end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments, read_plain
from lintorch.evaluator.objects import derives_from
from lintorch.evaluator.values import NONE, Class, Held
from lintorch.facts.training.loaders import LOADER, find_argument
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT523",
    summary="an iterable dataset that each worker reads whole",
    why="""
        Each worker of a DataLoader has a copy of the dataset. Of one with `__getitem__` they share the
        indices; of an IterableDataset each runs all of `__iter__`, so that with four workers every sample
        comes four times in an epoch, and nothing is said. Let `__iter__` ask
        torch.utils.data.get_worker_info() which share is its own. Measured on torch 2.13.

        Not reported where anything in the class or in its file tells workers apart, and where what is
        read is drawn by chance or has no end.
    """,
    bad="""
        from torch.utils.data import DataLoader, IterableDataset


        class Numbers(IterableDataset):
            def __iter__(self):
                yield from range(6)


        def load():
            return DataLoader(Numbers(), batch_size=None, num_workers=2)
    """,
    good="""
        from torch.utils.data import DataLoader, IterableDataset, get_worker_info


        class Numbers(IterableDataset):
            def __iter__(self):
                worker = get_worker_info()
                yield from range(6) if worker is None else range(worker.id, 6, worker.num_workers)


        def load():
            return DataLoader(Numbers(), batch_size=None, num_workers=2)
    """,
    remedy="in __iter__, with worker = torch.utils.data.get_worker_info(), yield from rows[worker.id :: worker.num_workers]",
    proof="""
        assert len(list(load())) == 6
    """,
)

ITERABLE = "torch.utils.data.IterableDataset"
_TELLING = re.compile(
    r"worker|shard|rank|split(?!\(|lines)|partition|islice"
    r"|rand|shuffle|sample|rng|perm|choice|normal|uniform|synth"
    r"|queue|pop\(|consum|stream|socket|recv|receive|poll|env\b|\.step\(",
    re.I,
)
"""Words of code that may give each worker something else, draws by chance, or takes what comes in once."""


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    given = name_arguments(event)
    dataset, count = given["dataset"], read_plain(given["num_workers"])
    if not isinstance(dataset, Held) or not isinstance(dataset.of, Class) or event.open:
        return
    if type(count) is not int or count < 2 or given["worker_init_fn"] != NONE:
        return
    if not derives_from(dataset.of, ITERABLE) or _may_share(dataset.of, source):
        return
    call = find_argument(source.call_at(event), "num_workers")
    said = (
        f"each of {count} workers reads all of {dataset.of.name}: every sample comes {count} times"
    )
    yield Hit(call or event, said)


def _may_share(kind: Class, source: Source) -> bool:
    """Whether anything tells workers apart, or the samples are drawn or without end."""
    if "get_worker_info" in source.text or "worker_init_fn" in source.text:
        return True
    for each in kind.ancestors:
        if not isinstance(each, Class):
            if each.path not in (ITERABLE, "object", "abc.ABC"):
                return True
            continue
        body = [*each.node.body]
        if _TELLING.search("\n".join(map(ast.unparse, body))) or any(map(_is_endless, body)):
            return True
    return False


def _is_endless(node: ast.AST) -> bool:
    loops = (each for each in ast.walk(node) if isinstance(each, ast.While))
    return any(isinstance(each.test, ast.Constant) for each in loops)
