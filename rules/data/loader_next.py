"""LT509: next() called as a method of a loader's iterator."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Unknown
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER_NAME, is_loader
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT509",
    summary="next() called as a method of a loader's iterator",
    why="""
        Iterators of a DataLoader had a method next() until torch 1.13. Since then only the
        built-in next(iterator) works; the method raises AttributeError. Many tutorials still
        show it.
    """,
    bad="""
        def first_batch(loader):
            batches = iter(loader)
            return batches.next()
    """,
    good="""
        def first_batch(loader):
            batches = iter(loader)
            return next(batches)
    """,
    remedy="write next(iterator), of iterator = iter(loader)",
    proof="""
        first_batch(torch.utils.data.DataLoader([1, 2]))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)
GONE = (1, 13)


_MESSAGE = "the iterator of a DataLoader has no method next(): AttributeError"


@rule.event("torch.utils.data.DataLoader.next")
def of_loader(event: Called, source: Source) -> Iterator[Hit]:
    if source.profile.torch >= GONE and not _is_tried(event, source):
        message = "a DataLoader has no method next(): AttributeError"
        yield Hit(event, message)


@rule.event("generator.next")
def of_iterator(event: Called, source: Source) -> Iterator[Hit]:
    """`iter(loader).next()`, however the iterator came there."""
    made = source.evaluation.ways.find_maker(event.positional[0])
    if not isinstance(made, Called) or made.name != "iter" or source.profile.torch < GONE:
        return
    given = made.positional[0]
    named = isinstance(given, Unknown) and bool(LOADER_NAME.search(given.path))
    if not (named or is_loader(given)) or _is_tried(event, source):
        return
    call, fix = source.call_at(event), None
    if call is not None and isinstance(call.func, cst.Attribute):
        edit = source.replace(call, f"next({source.code(call.func.value)})")
        fix = Fix("call next() on it", (edit,), Applicability.SAFE)
    message = "the iterator of a DataLoader has no method next(): AttributeError"
    yield Hit(event, message, fix)


@rule.source(cst.Call, needs=(".next()",))
def where_nothing_leads(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`iter(loader).next()` in branches that defaults switch off."""
    func = call.func
    made = func.value if isinstance(func, cst.Attribute) and func.attr.value == "next" else None
    if not isinstance(made, cst.Call) or source.name(made.func) != "iter" or len(made.args) != 1:
        return
    named = bool(LOADER_NAME.search(source.code(made.args[0].value)))
    if not named or source.profile.torch < GONE or is_tentative(call, source):
        return
    if not source.evaluation.is_reached(source.place(call)):
        edit = source.replace(call, f"next({source.code(made)})")
        yield Hit(call, _MESSAGE, Fix("call next() on it", (edit,), Applicability.SAFE))


def _is_tried(event: Called, source: Source) -> bool:
    call = source.call_at(event)
    return call is not None and is_tentative(call, source) and not _is_tried_before(call, source)


def _is_tried_before(call: cst.Call, source: Source) -> bool:
    """Whether the same call has been tried, and this is what is done where it raised."""
    handlers = [each for each in source.ancestors(call) if isinstance(each, cst.ExceptHandler)]
    tries = (source.parent(each) for each in handlers)
    bodies = (source.code(each.body) for each in tries if isinstance(each, cst.Try))
    return any(source.code(call) in body for body in bodies)
