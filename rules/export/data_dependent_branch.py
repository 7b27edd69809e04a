"""LT102: a branch that the values of a tensor decide."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import (
    GraphCapture,
    OperatorCall,
    Outcome,
    RunEvent,
    TensorRead,
    TensorUse,
    Trace,
    Tracer,
    Trial,
    host_reads,
)
from lintorch.evidence.size_changes import blame_event, decides_branch
from lintorch.facts.dataflow.data_sizes import counted_tensor, is_data, is_input_free, sized_by_data
from lintorch.facts.exporting.scripted import without_tracer_harm
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT102",
    summary="a branch that the values of a tensor decide",
    why="""
        Python needs a yes or no, and a graph has none before it runs. `torch.export` and the new
        ONNX exporter refuse (GuardOnDataDependentSymNode), whichever way the test is written:
        `if`, `while`, a ternary, `bool()`, `in`, after `.any()` or `.item()`, or a count of what
        `nonzero` found. The legacy exporter and jit.trace keep the side that the example took and
        only warn; after `torch.equal` and `torch.allclose` they do not even warn. `assert` and
        `torch._assert` of a tensor are refused by `torch.export` too, elsewhere the check is lost.
        `max(a, b)` of tensors keeps the larger one of the example under the tracers only.
        Measured on torch 2.13.

        Compute both sides and choose with `torch.where`, or use `torch.cond`. A check belongs in
        front of the model, or in `torch._assert_async`. Branches on chance, as augmentations
        take them, are not meant.
    """,
    bad="""
        from torch import nn


        class Signed(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x
    """,
    good="""
        import torch
        from torch import nn


        class Signed(nn.Module):
            def forward(self, x):
                return torch.where(x.sum() > 0, x, -x)
    """,
    proof="""
        import torch

        program = torch.export.export(Signed(), (torch.ones(2, 3),)).module()
        assert torch.equal(program(-torch.ones(2, 3)), torch.ones(2, 3))
    """,
    severity=Severity.ERROR,
)

REFUSED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
BRANCH = {**REFUSED, "onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
NOISY = {"onnx-legacy": Harm.NOISY, "torchscript-trace": Harm.NOISY}
VERDICT = {**REFUSED, "onnx-legacy": Harm.SILENT, "torchscript-trace": Harm.SILENT}
"""torch.equal and torch.allclose give a bool that tracers never see."""
RAISES = {**REFUSED, **NOISY}
ASSERT = {"torch.export": Harm.REFUSED, **NOISY}
CHOSEN = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
VERDICTS = ("equal", "allclose")
CONTAINED = (cst.In, cst.NotIn)
IMPLEMENTATION = "implementation"


@rule.source(cst.If, needs=("def forward",))
def in_if(node: cst.If, source: Source) -> Iterator[Hit]:
    check = RAISES if source.regions.is_check(node, node.test) else {}
    yield from without_tracer_harm(decided(node.test, source, check), source)


@rule.source(cst.IfExp, needs=("def forward",))
def in_choice(node: cst.IfExp, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(decided(node.test, source), source)


@rule.source(cst.While, needs=("def forward",))
def in_while(node: cst.While, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(decided(node.test, source), source)


@rule.source(cst.CompIf, needs=("def forward",))
def in_comprehension(node: cst.CompIf, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(decided(node.test, source), source)


@rule.source(cst.Assert, needs=("def forward",))
def in_assert(node: cst.Assert, source: Source) -> Iterator[Hit]:
    yield from decided(node.test, source, ASSERT)


@rule.source(cst.Call, needs=("max(", "min(", "_assert("))
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name == "torch._assert" and call.args:
        yield from decided(call.args[0].value, source, ASSERT)
    if name not in ("max", "min") or len(call.args) < 2 or not source.in_traced_forward(call):
        return
    given = [source.value(arg.value) for arg in call.args if not arg.star and not arg.keyword]
    if len(given) > 1 and any(value.is_tensor and is_data(value) for value in given):
        yield Hit(call, f"{name}() compares tensors in Python and keeps one of them", harm=CHOSEN)


@rule.trace(TensorUse.BOOL, TensorUse.ITEM, *host_reads.VERDICTS)
def in_trace(event: TensorRead | OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: whether chance or a constant decided, a run does not tell."""
    message, cause = host_reads.describe_read(event), refusal(event, trace)
    message += "; torch.export refuses" if cause else ""
    yield Hit(event, message, severity=Severity.NOTE, confirms=True, detail=cause)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(TensorUse.BOOL, *host_reads.VERDICTS, *host_reads.READS):
        harm = VERDICT if event.key in host_reads.VERDICTS else BRANCH
        hit = blame_event(outcome, event, trial, harm)
        if hit and (event.key not in host_reads.READS or decides_branch(event)):
            yield hit


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    reason = "the line ran, and no bool() of a tensor was asked: the model reads no data at all"
    yield from (Refuted(site, reason) for site in host_reads.find_unread_lines(trace))


def refusal(event: RunEvent, trace: Trace) -> str:
    """What torch.export said of the very line."""
    here = (event.site.path, event.site.row)
    for capture in trace.captures:
        site = capture.site
        if capture.tracer is Tracer.EXPORT and site and here == (site.path, site.row):
            return capture.error
    return ""


def decided(
    test: cst.BaseExpression, source: Source, check: dict[str, Harm] | None = None
) -> Iterator[Hit]:
    """One hit on a test that needs the data; `check` is the harm where it only checks."""
    asked = next((part for part in parts(test) if needs_data(part, source)), None)
    if asked is None or source.regions.is_settled(test) or not source.in_traced_forward(test):
        return
    if is_replaced(test, source) or is_elsewhere(test, source):
        return
    if is_half_alone(test, asked, source):
        return
    if check is ASSERT and not source.value(asked).is_tensor:
        return  # torch.export follows `assert x.max().item() < 4`
    if is_verdict(asked):
        harm = REFUSED if check else VERDICT
    else:
        harm = check or BRANCH
    yield Hit(asked, f"`{source.code(asked)}` is decided by the values of a tensor", harm=harm)


def parts(test: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """`a` and `b` in `not a and b`."""
    if isinstance(test, cst.BooleanOperation):
        yield from parts(test.left)
        yield from parts(test.right)
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        yield from parts(test.expression)
    else:
        yield test


def needs_data(part: cst.BaseExpression, source: Source) -> bool:
    """Whether a condition is a tensor, was read from one, or counts what was found in one."""
    if counts_found(part, source):
        return True
    if is_data(source.value(part)):
        return not is_input_free(part, source)
    if not isinstance(part, cst.Comparison):
        return False
    sides = [part.left, *(p.comparator for p in part.comparisons)]
    if isinstance(part.comparisons[0].operator, CONTAINED):
        held = source.value(part.comparisons[0].comparator)
        return held.is_tensor and is_data(held)
    return any(literal(side) == 0 for side in sides) and any(
        counts_found(side, source) for side in sides
    )


def counts_found(node: cst.BaseExpression, source: Source) -> bool:
    """`len(i)`, `i.numel()`, `i.shape[0]` of `i = torch.nonzero(m)`."""
    found = counted_tensor(node, source)
    return found is not None and sized_by_data(found, source)


def is_elsewhere(node: cst.CSTNode, source: Source) -> bool:
    """Whether the line only runs on one kind of device, or under one release of a library."""
    return any(
        isinstance(outer, cst.If)
        and outer.test is not node
        and any(word in source.code(outer.test) for word in ("device.type", "version"))
        for outer in source.ancestors(node)
    )


def is_half_alone(test: cst.BaseExpression, asked: cst.BaseExpression, source: Source) -> bool:
    """`x.dtype == torch.float16 and not x.isfinite().all()`: nobody asks of a model in single precision."""
    before = source.code(test).partition(source.code(asked))[0]
    return isinstance(test, cst.BooleanOperation) and "float16" in before and " and " in before


def is_replaced(node: cst.CSTNode, source: Source) -> bool:
    """Whether a decorator of the class chooses another forward: `@use_experts_implementation`."""
    info = source.classes.around(node)
    return info is not None and any(
        IMPLEMENTATION in source.code(decorator.decorator) for decorator in info.node.decorators
    )


def is_verdict(node: cst.BaseExpression) -> bool:
    """`torch.equal(x, y)`, `x.allclose(y)`."""
    func = node.func if isinstance(node, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in VERDICTS
