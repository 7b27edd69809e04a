"""LT903: an operator that a deployment target has, but not for the type it is used with."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, OperatorUse, Outcome, Trace, Trial
from lintorch.evidence.fused_operators import FUNCTIONS, find_fused_operators
from lintorch.targets import Answer, Target, find_target
from lintorch.targets.verdict import About

rule = Rule(
    __name__,
    code="LT903",
    summary="an operator that the target does not have for this type",
    why="""
        Runtimes have an operator for some types of tensors and not for others: ONNX Runtime
        1.31 on the CPU has Celu for float32 only, TensorRT 8.6 many operators for no integers. The types of the exported graph's nodes are compared with what the
        target's tables say of the first input; nodes that only work on sizes and constants are
        left out, and types that the runtime casts by itself count as what it casts them to.
        Without an export, a run tells where float64 or complex numbers come to an operator that
        the exporters write as one of ONNX.

        Cast before the operator, or do this part outside the model.
    """,
    severity=Severity.WARNING,
    remedy="cast before it: x.to(torch.float32)",
)


@rule.trace(*FUNCTIONS)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only types that no exporter casts away."""
    if not event.dtypes or event.dtypes[0] not in KEPT:
        return
    for target in map(find_target, trace.profile.targets):
        for name, opset in dict.fromkeys(find_fused_operators(event, trace)):
            use = OperatorUse(name, opset, types=event.dtypes)
            if found := next(refused([use], target), None):
                message = f"{event.dtypes[0]} came here"
                detail = f"{found}{doubt(target)}"
                yield Hit(event, message, target=target.name, detail=detail)
                break


KEPT = ("float64", "complex64", "complex128")


@rule.trial("ok", "wrong", "random", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for target in map(find_target, trial.profile.targets if outcome.graph else ()):
        for site, uses in trial.list_by_line().items():
            if found := list(dict.fromkeys(refused(uses, target))):
                message = f"exported by {outcome.exporter}: {'; '.join(found)}"
                yield Hit(site, f"{message}{doubt(target)}", target=target.name)


def refused(uses: list[OperatorUse], target: Target) -> Iterator[str]:
    """What is said of each operator with a type that the target does not take."""
    for use in uses:
        if not use.data or not use.types or not use.types[0]:
            continue
        verdict = target.supports(use.name, use.opset, use.domain, types=use.types)
        if verdict.answer is Answer.NO and verdict.about is About.TYPE:
            later = f" ({target.family}-{verdict.since} does)" if verdict.since else ""
            yield f"{use.name} of {use.types[0]}, where {verdict.reason}{later}"


def doubt(target: Target) -> str:
    sure = target.release.confidence == "high"
    return "" if sure else f" [{target.release.confidence} confidence]"
