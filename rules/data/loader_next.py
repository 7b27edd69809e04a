"""LT509: next() called as a method of a loader's iterator."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.roles import Role
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
    proof="""
        first_batch(torch.utils.data.DataLoader([1, 2]))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)
GONE = (1, 13)


@rule.source(cst.Call, needs=(".next()",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "next" or call.args:
        return
    if source.profile.torch < GONE or is_tentative(call, source):
        return
    loader = source.role(func.value) is Role.LOADER
    if loader or reads_loader(func.value, source):
        what = "a DataLoader" if loader else "the iterator of a DataLoader"
        edit = source.replace(call, f"next({source.code(func.value)})")
        fix = None if loader else Fix("call next() on it", (edit,), Applicability.SAFE)
        yield Hit(call, f"{what} has no method next(): AttributeError", fix)


def reads_loader(iterator: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is `iter(loader)`, or was always assigned from one."""
    built = source.built(iterator)
    return bool(built) and all(
        source.name(call.func) == "iter"
        and len(call.args) == 1
        and source.presumed_role(call.args[0].value) is Role.LOADER
        for call in built
    )
