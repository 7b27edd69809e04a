"""LT219: a checkpoint written in the format of before torch 1.6."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import FALSE, External, Held, Value
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT219",
    summary="a checkpoint in the format of before torch 1.6",
    why="""
        `_use_new_zipfile_serialization=False` writes the old format. It is still read, but
        torch.load(mmap=True) refuses it, so the whole file goes through memory. Only torch before
        1.6 needs it. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def save(model, path):
            torch.save(model.state_dict(), path, _use_new_zipfile_serialization=False)
    """,
    good="""
        import torch


        def save(model, path):
            torch.save(model.state_dict(), path)
    """,
    remedy="leave _use_new_zipfile_serialization out",
    proof="""
        save(torch.nn.Linear(2, 2), "model.pt")
        torch.load("model.pt", mmap=True)
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

_KEYWORD = "_use_new_zipfile_serialization"


@rule.event("torch.save")
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    old = event.arguments.get(_KEYWORD) == FALSE and source.profile.torch >= (1, 6)
    if not old or _is_buffer(name_given(event).get("f")):
        return
    call = source.call_at(event)
    if call is None or not is_version_guarded(call, source):
        message = "writes the format of before torch 1.6, which torch.load(mmap=True) refuses"
        yield Hit(event, message, None if call is None else _fix(call, source))


def _is_buffer(written: Value | None) -> bool:
    """Whether it goes into memory, where there is nothing to map."""
    return isinstance(written, Held) and written.of == External("io.BytesIO")


def _fix(call: cst.Call, source: Source) -> Fix | None:
    """Leave the keyword out, with the comma before it."""
    last, rest = call.args[-1], call.args[:-1]
    if not rest or last.keyword is None or last.keyword.value != _KEYWORD:
        return None
    start, end = source.replace(rest[-1], "").end, source.replace(last, "").end
    between = source.text[start:end].partition(_KEYWORD)[0]
    if between.strip() != ",":
        return None
    return Fix("write the present format", (Edit(start, end, ""),), Applicability.UNSAFE)
