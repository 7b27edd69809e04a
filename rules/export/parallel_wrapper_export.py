"""LT124: a DataParallel or DistributedDataParallel wrapper is exported in place of the model in it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.exporter_calls import EXPORTER_CALLS, ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.exporting.export_calls import onnx_exporter
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT124",
    summary="a parallel wrapper is exported",
    why="""
        A wrapper such as `nn.DataParallel` spreads a batch over devices; what is deployed is the
        model in it. Its forward takes `*inputs`: `torch.jit.script` and the legacy ONNX exporter
        refuse it. `torch.export`, the new ONNX exporter and `torch.jit.trace` go through on one
        device, but the names of all weights begin with `module.` and ONNX calls the input
        `inputs_0`. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def save(model):
            model = nn.DataParallel(model)
            return torch.jit.script(model)
    """,
    good="""
        import torch
        from torch import nn


        def save(model):
            model = nn.DataParallel(model)
            return torch.jit.script(model.module)
    """,
    proof="""
        warnings.simplefilter("ignore")
        save(nn.Linear(2, 2))
    """,
    severity=Severity.WARNING,
    fix=Applicability.SAFE,
)

WRAPPERS = {
    "torch.nn.DataParallel": "DataParallel",
    "torch.nn.parallel.DataParallel": "DataParallel",
    "torch.nn.parallel.DistributedDataParallel": "DistributedDataParallel",
}
REFUSING = ("torchscript-script", "onnx-legacy")


@rule.source(cst.Call, needs=("DataParallel",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name not in EXPORTER_CALLS:
        return
    exporter, parameter = EXPORTER_CALLS[name]
    given = source.arguments(call, parameter).get(parameter)
    wrapper = _wrapper(given, source) if given is not None else ""
    if given is None or not wrapper:
        return
    exporter = (onnx_exporter(call, source) or exporter) if name == ONNX_EXPORT else exporter
    refused = exporter in REFUSING
    told = f"{exporter} refuses it" if refused else "weights are named module.*"
    edit = source.replace(given, f"{source.code(given)}.module")
    promise = Applicability.SAFE if refused else Applicability.UNSAFE  # names of weights change
    yield Hit(
        call,
        f"exports the {wrapper} around a model: {told}",
        Fix("export the model in it", (edit,), promise),
        severity=Severity.ERROR if refused else Severity.NOTE,
    )


def _wrapper(given: cst.BaseExpression, source: Source) -> str:
    """The wrapper that an expression surely stands for."""
    built = source.built(given)
    names = {WRAPPERS.get(source.name(call.func), "") for call in built}
    last = _last_assigned(given, source)
    if len(names) == 1:
        return names.pop()
    return WRAPPERS.get(source.name(last.func), "") if last is not None else ""


def _last_assigned(given: cst.BaseExpression, source: Source) -> cst.Call | None:
    """The call that a name was given last, where that stands in the same block."""
    if not isinstance(given, cst.Name):
        return None
    block = source.enclosing(given, cst.IndentedBlock, cst.Module)
    inside = [given, *source.ancestors(given)]
    found: cst.Call | None = None
    for statement in block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ():
        if statement in inside:
            return found
        for small in (
            getattr(statement, "body", ()) if isinstance(statement, cst.SimpleStatementLine) else ()
        ):
            if isinstance(small, cst.Assign) and any(
                isinstance(t.target, cst.Name) and t.target.value == given.value
                for t in small.targets
            ):
                found = small.value if isinstance(small.value, cst.Call) else None
    return found
