"""LT512: numbers of a DataLoader that are too small."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import Constant, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER, find_argument, is_sampler
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT512",
    summary="a number of a DataLoader that is out of range",
    why="""
        A DataLoader raises ValueError for a batch_size below 1, and for num_workers or a timeout
        below 0. With workers, a prefetch_factor below 0 raises ValueError, and one of 0
        AssertionError where the loader is read. Measured on torch 2.13.

        batch_size=None turns batching off, num_workers=0 loads in the process itself. Neither -1
        nor 0 stands for as many as there are.
    """,
    bad="""
        from torch.utils.data import DataLoader


        def whole(data):
            return DataLoader(data, batch_size=-1)
    """,
    good="""
        from torch.utils.data import DataLoader


        def whole(data):
            return DataLoader(data, batch_size=len(data))
    """,
    proof="""
        assert len(list(whole([1, 2, 3]))) == 1
    """,
    severity=Severity.ERROR,
    remedy="pass a number of 1 or more, or leave it out",
    formerly=("LT501", "loader-arguments"),
)


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    call, given = source.call_at(event), name_arguments(event)
    if is_tentative(call, source):
        return
    for name, least in list_bounds(given):
        number = given[name]
        if isinstance(number, Constant) and is_below(number.value, least):
            late = name == "prefetch_factor" and number.value == 0
            raised = "AssertionError when it is read" if late else "ValueError"
            node = find_argument(call, name) or event
            yield Hit(node, f"{name}={number.value!r}: {raised}")


def list_bounds(given: Mapping[str, Value]) -> Iterator[tuple[str, int]]:
    """The numbers that count in this call, with the least that is allowed."""
    if not is_sampler(given["batch_sampler"]):
        yield "batch_size", 1
    yield "num_workers", 0
    yield "timeout", 0
    workers = given["num_workers"]
    if isinstance(workers, Constant) and not is_below(workers.value, 1):
        yield "prefetch_factor", 1


def is_below(number: object, least: int) -> bool:
    return isinstance(number, (int, float)) and type(number) is not bool and number < least
