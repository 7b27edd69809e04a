"""LT158: an exported program that is used as if it were a module."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT158",
    summary="an exported program that is used as a module",
    why="""
        What torch.export.export gives is an ExportedProgram, and no module: it cannot be called,
        and has no eval, train, to or save. `program.module()` is one that can be called; its
        eval and train raise ("Calling eval() is not supported yet"): the mode is that of the
        model when it was exported. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def run(image):
            program = torch.export.export(nn.Conv2d(3, 4, 3).eval(), (image,))
            return program(image)
    """,
    good="""
        import torch
        from torch import nn


        def run(image):
            program = torch.export.export(nn.Conv2d(3, 4, 3).eval(), (image,))
            return program.module()(image)
    """,
    proof="""
        run(torch.ones(1, 3, 8, 8))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

_PROGRAMS = "torch.export.export", "torch.export.draft_export", "torch.export.load"
_MODES = "eval", "train"
_NOT_THERE = {*_MODES, "save", "forward", "to", "cuda", "cpu", "half", "float", "double", "apply"}


@rule.source(cst.Call, needs=("torch.export",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if is_program(func, source):
        edit = source.replace(func, f"{source.code(func)}.module()")
        fix = Fix("call its module", (edit,), Applicability.UNSAFE)
        message = "an exported program is called, which raises"
        yield Hit(call, message, fix=fix, remedy="call program.module()(…)")
    if not isinstance(func, cst.Attribute):
        return
    method = func.attr.value
    if method in _NOT_THERE and is_program(func.value, source):
        message = f"an exported program has no {method}"
        yield Hit(call, f"{message}: it raises", remedy=REMEDIES.get(method, _MODULE))
    elif method in _MODES and is_module(func.value, source):
        message = f"{method} of an exported program's module raises"
        yield Hit(call, message, remedy=REMEDIES["eval"])


_MODULE = "call program.module(), which is a module"
_MODE = "set the mode before the export: model.eval(); torch.export.export(model, …)"
REMEDIES = {"save": "write torch.export.save(program, path)"} | dict.fromkeys(_MODES, _MODE)


def is_program(node: cst.BaseExpression, source: Source) -> bool:
    """Whether torch.export made it, wherever it comes from."""
    made = list_makers(node, source)
    return bool(made) and all(source.name(each.func) in _PROGRAMS for each in made)


def is_module(node: cst.BaseExpression, source: Source) -> bool:
    """Whether it is `program.module()`."""
    made = list_makers(node, source)
    return bool(made) and all(
        isinstance(each.func, cst.Attribute)
        and each.func.attr.value == "module"
        and is_program(each.func.value, source)
        for each in made
    )


def list_makers(node: cst.BaseExpression, source: Source) -> tuple[cst.Call, ...]:
    return (node,) if isinstance(node, cst.Call) else source.built(node)
