"""LT501: arguments of a DataLoader that exclude each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import NONE, TRUE, Constant, Value
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.training.loaders import LOADER, find_argument, is_sampler, leave_out
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT501",
    summary="arguments of a DataLoader that exclude each other",
    why="""
        A DataLoader raises ValueError where arguments exclude each other: shuffle=True with a
        sampler; batch_sampler with batch_size, shuffle, sampler or drop_last; drop_last with
        batch_size=None. Measured on torch 2.13.

        Only what is surely given is reported: a sampler that may be None is not.
    """,
    bad="""
        from torch.utils.data import DataLoader, RandomSampler


        def loader(data):
            return DataLoader(data, shuffle=True, sampler=RandomSampler(data))
    """,
    good="""
        from torch.utils.data import DataLoader, RandomSampler


        def loader(data):
            return DataLoader(data, sampler=RandomSampler(data))
    """,
    proof="""
        assert len(list(loader([1, 2, 3]))) == 3
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
    remedy="pass one of the two",
)


@rule.event(LOADER)
def in_loaders(event: Called, source: Source) -> Iterator[Hit]:
    call, given = source.call_at(event), name_arguments(event)
    if is_tentative(call, source):
        return
    shuffled, drops = given["shuffle"] == TRUE, given["drop_last"] == TRUE
    if shuffled and is_sampler(given["sampler"]):
        fix = _ask_sampler(call, source) or leave_out(call, "shuffle", source)
        yield Hit(event, "shuffle=True with a sampler: ValueError", fix)
    if is_sampler(given["batch_sampler"]):
        if word := find_clash(given):
            yield Hit(event, f"batch_sampler with {word}: ValueError")
    elif given["batch_size"] == NONE and drops:
        yield Hit(event, "drop_last=True with batch_size=None: ValueError")


def _ask_sampler(call: cst.Call | None, source: Source) -> Fix | None:
    """`shuffle=sampler is None`, of a name that may hold none on another way; None where it is bound once."""
    shuffle, sampler = find_argument(call, "shuffle"), find_argument(call, "sampler")
    if shuffle is None or sampler is None or shuffle.star or isinstance(sampler.value, cst.Call):
        return None
    if isinstance(sampler.value, cst.Name) and len(source.bound(sampler.value)) < 2:
        return None
    edit = source.replace(shuffle.value, f"{source.code(sampler.value)} is None")
    return Fix("shuffle where there is no sampler", (edit,))


def find_clash(given: Mapping[str, Value]) -> str:
    """What a batch sampler decides itself, and the call gives as well; "" where nothing is."""
    size = given["batch_size"]
    if isinstance(size, Constant) and size.value != 1:
        return f"batch_size={size.value!r}"
    if is_sampler(given["sampler"]):
        return "sampler"
    words = ("shuffle", "drop_last")
    return next((f"{word}=True" for word in words if given[word] == TRUE), "")
