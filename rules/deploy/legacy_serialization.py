"""LT219: a checkpoint written in the format of before torch 1.6."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
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
    proof="""
        save(torch.nn.Linear(2, 2), "model.pt")
        torch.load("model.pt", mmap=True)
    """,
    severity=Severity.NOTE,
    fix=Applicability.UNSAFE,
)

_KEYWORD = "_use_new_zipfile_serialization"


@rule.source(cst.Call, needs=(_KEYWORD,))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.save" or source.profile.torch < (1, 6):
        return
    if is_version_guarded(call, source):
        return
    given = source.arguments(call, "obj", "f", "pickle_module", "pickle_protocol", _KEYWORD)
    if given.value(_KEYWORD) is False and not _is_buffer(given.get("f"), source):
        message = "writes the format of before torch 1.6, which torch.load(mmap=True) refuses"
        yield Hit(call, message, _fix(call, source))


def _is_buffer(written: cst.BaseExpression | None, source: Source) -> bool:
    """Whether it goes into memory, where there is nothing to map."""
    built = source.built(written) if written is not None else ()
    return any(source.name(call.func) == "io.BytesIO" for call in built)


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
