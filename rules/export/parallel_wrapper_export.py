"""LT124: a DataParallel or DistributedDataParallel wrapper is exported in place of the model in it."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.exporter_calls import EXPORTER_CALLS
from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.values import External, Held
from lintorch.facts.exporting.export_events import choose_exporter
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
    remedy="export the model in it: model.module",
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


@rule.event(*EXPORTER_CALLS)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    exporter, parameter = EXPORTER_CALLS[event.name]
    model = name_given(event).get(parameter)
    kind = model.of if isinstance(model, Held) else None
    wrapper = WRAPPERS.get(kind.path, "") if isinstance(kind, External) else ""
    if not wrapper:
        return
    exporter = (choose_exporter(event, source) or exporter) if exporter == "onnx" else exporter
    refused = exporter in REFUSING
    told = f"{exporter} refuses it" if refused else "weights are named module.*"
    call = source.call_at(event)
    given = source.arguments(call, parameter).get(parameter) if call is not None else None
    fix = None
    if given is not None:
        edit = source.replace(given, f"{source.code(given)}.module")
        promise = Applicability.SAFE if refused else Applicability.UNSAFE  # names of weights change
        fix = Fix("export the model in it", (edit,), promise)
    severity = Severity.ERROR if refused else Severity.NOTE
    yield Hit(event, f"exports the {wrapper} around a model: {told}", fix, severity=severity)
