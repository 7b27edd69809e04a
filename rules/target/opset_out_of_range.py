"""LT902: an opset that a deployment target is not made for, or that an operator of the model came after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from lintorch.core.exporter_calls import ONNX_EXPORT
from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.profile import LOWEST_OPSET, MEASURED_TORCH, default_opset, enumerate_names
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given, read_plain
from lintorch.evaluator.values import NONE
from lintorch.evidence import Outcome, Trial
from lintorch.facts.exporting.export_calls import onnx_arguments
from lintorch.facts.exporting.export_events import choose_exporter, name_model
from lintorch.facts.exporting.onnx_operators import is_built, is_other_mode
from lintorch.source import Source, literal
from lintorch.targets import Target, find_target, written_operators

rule = Rule(
    __name__,
    code="LT902",
    summary="an opset above the target's, or below an operator's first",
    why="""
        Each release of a runtime is made for opsets up to some highest one. ONNX Runtime (from
        1.2 on) and RKNN refuse a newer model; the parsers of TensorRT only print its opset, and
        import what they can. Where no opset is asked for,
        torch.onnx.export writes a default that rises with torch: 17 from torch 2.1 on, 18 from
        2.8, 20 from 2.9. Asked for less than 18, the new exporter writes 18 and converts the
        finished model where all of it can be: asked for 17, convolutions, linear layers and
        resizes come out as 17, and whatever holds a mean, a pool to one cell, a pad or a norm as
        18. What an export wrote is read from the file.

        ONNX Runtime also refuses a file of a newer IR version than it knows: 8 up to 1.14, 9 up
        to 1.17, 10 up to 1.22. The legacy exporter writes the one that goes with the opset; the
        new one of torch 2.13 writes 10 at every opset.

        An operator that ONNX got later than the opset asked for is refused by the legacy
        exporter: cumsum and round below 11, CELU below 12, Fold below 18. That holds with
        any target or none. From which opset on each is written was measured on torch 2.13; what
        other rules say of grids (LT118) and of exotic operators (LT121) is left to them.
    """,
    bad="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx", opset_version=20)
    """,
    good="""
        import torch


        def export(model, image):
            torch.onnx.export(model, (image,), "model.onnx", opset_version=17, dynamo=False)
    """,
    remedy="ask for an opset_version that the target is made for",
    unproven="""
        It takes the target's runtime. The highest opsets of ONNX Runtime 1.0 to 1.31 and of RKNN
        were measured, those of TensorRT are of its parser's documentation.
    """,
    severity=Severity.WARNING,
    example_profile=("onnx", "target:tensorrt-8.6"),
    fix=Applicability.UNSAFE,
)

NEW_IR = 10
"""The IR version that the new exporter of torch 2.13 writes, whatever the opset."""
LEGACY = "onnx-legacy"
"""The exporter that refuses what came later."""
FIRST_MEASURED, LAST_FIRST = 9, 20
"""The lowest opset that was measured, and the highest that any operator came with."""
ELSEWHERE = frozenset(
    f"torch.{name}"
    for name in (
        "nn.functional.grid_sample", "nn.functional.affine_grid", "det", "linalg.det", "einsum",
        "tril", "triu", "nn.functional.scaled_dot_product_attention", "nn.functional.unfold",
        "nn.functional.fold", "bitwise_and", "nan_to_num", "fmod",
    )
)  # fmt: skip
"""What LT118 and LT121 say."""


@rule.event(ONNX_EXPORT)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    if not source.profile.targets or event.open:
        return
    given, exporter = name_given(event), choose_exporter(event, source)
    asked = read_plain(given.get("opset_version", NONE))
    if not exporter or (asked is not None and type(asked) is not int):
        return
    opset, how = wanted(asked, exporter, source)
    call = source.call_at(event)
    node = onnx_arguments(call).get("opset_version") if call is not None else None
    model = name_model(given.get("model"))
    tried = model and asked == source.profile.opset_asked(exporter)
    for target in map(find_target, source.profile.targets):
        hit = judged(node or event, opset, how, exporter, target)
        if hit is not None and call is not None:
            hit = replace(hit, fix=ask_for_highest(call, opset, exporter, target, source))
        if hit is None and exporter == "onnx" and source.profile.torch == MEASURED_TORCH:
            hit = newer_file(event, NEW_IR, exporter, target)
        if hit is not None:
            yield replace(hit, model=model, exporter=exporter) if tried else hit


def ask_for_highest(
    call: cst.Call, opset: int, exporter: str, target: Target, source: Source
) -> Fix | None:
    """`opset_version=13`; with `dynamo=False` where the new exporter writes none as low."""
    highest, given = target.release.highest, onnx_arguments(call)
    if highest is None or opset <= highest or not given.complete:
        return None
    asked, changes = given.get("opset_version"), exporter != LEGACY and highest < LOWEST_OPSET
    if changes and not {"dynamo", "dynamic_shapes"}.isdisjoint(given.by_name):
        return None
    if asked is not None and not isinstance(literal(asked), int):
        return None
    more = f"opset_version={highest}" if asked is None else ""
    more = ", ".join(filter(None, (more, "dynamo=False" if changes else "")))
    edits = (source.insert_argument(call, more),) if more else ()
    if asked is not None:
        edits = (source.replace(asked, str(highest)), *edits)
    return Fix(f"ask for opset {highest}", edits, Applicability.UNSAFE)


def wanted(asked: int | None, exporter: str, source: Source) -> tuple[int, str]:
    """The opset that a call writes, and in which words that is said of it."""
    new = exporter == "onnx"
    if asked is None:
        usual = default_opset(source.profile.torch)
        opset = max(usual, LOWEST_OPSET) if new else usual
        return opset, "is written where none is asked for"
    if new and asked < LOWEST_OPSET:
        return LOWEST_OPSET, f"is written unless all of the model can be converted to {asked}"
    return asked, "is asked for"


@rule.trial("ok", "wrong", "random", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit | Refuted]:
    opset, asked = outcome.opset, trial.profile.opset_asked(outcome.exporter)
    if opset is None or not outcome.graph:
        return
    how = f"is written by {outcome.exporter}"
    how += "" if asked in (None, opset) else f" where {asked} is asked for"
    for target in map(find_target, trial.profile.targets):
        hit = judged(outcome, opset, how, outcome.exporter, target)
        if hit := hit or newer_file(outcome, outcome.ir or 0, outcome.exporter, target):
            yield hit
        elif opset == asked:
            reason = f"{outcome.exporter} wrote opset {opset}, as asked for"
            yield Refuted(outcome, reason, target=target.name)


@rule.event(Called)
def below_first(event: Called, source: Source) -> Iterator[Hit]:
    """An operator, or a layer that is made, which the opset does not have yet."""
    if LEGACY not in source.profile.exporters or not event.name.startswith("torch."):
        return
    opset, name = source.profile.opset_of(LEGACY), event.name.replace("torch.Tensor.", "torch.")
    if not FIRST_MEASURED <= opset < LAST_FIRST or not (is_built(name) or event.way.forward):
        return
    first = written_operators.find_first_opset(name, LEGACY)
    refused = first is not None and written_operators.list_written(name, LEGACY, opset) is None
    if refused and name not in ELSEWHERE and not is_other_mode(event):
        short = name.removeprefix("torch.")
        message = f"{short} needs opset {first}, and {opset} is written"
        harm, remedy = {LEGACY: Harm.REFUSED}, f"ask for opset_version={first}"
        yield Hit(event, message, harm=harm, severity=Severity.ERROR, remedy=remedy)


@rule.trial("failed")
def too_low(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """An export refused for no other reason than its opset."""
    if outcome.opset is None or not outcome.enough or outcome.enough <= outcome.opset:
        return
    if outcome.operators and all(name.endswith("::grid_sampler") for name in outcome.operators):
        return  # LT118 tells of it
    what = enumerate_names(list(outcome.operators)) or "an operator"
    message = f"{outcome.exporter} has no {what} at opset {outcome.opset}"
    remedy = f"ask for opset_version={outcome.enough}, the lowest that has what it needs"
    yield Hit(outcome, message, severity=Severity.ERROR, remedy=remedy)


def judged(node: object, opset: int, how: str, exporter: str, target: Target) -> Hit | None:
    """The hit on an opset outside what a target is made for."""
    release = target.release
    highest = release.highest or (release.bounds[1] if release.bounds else None)
    lowest = release.lowest or 0
    if target.tables.names != "onnx":
        return None
    if highest is not None and opset > highest:
        refused = release.limit == "refused"
        most = f"at most {highest}" if release.highest is None else f"{highest}"
        verb = "refuses it: its highest is" if refused else "is made for opsets up to"
        grave = Severity.ERROR if refused else None
        told = f"opset {opset} {how}, and {target.name} {verb} {most}"
        message, remedy = f"{told}{newer(opset, target)}", lower(highest, exporter)
        return Hit(node, message, severity=grave, target=target.name, remedy=remedy)
    if opset < lowest:
        message = f"opset {opset} {how}, and {target.name} is made for {lowest} and later"
        return Hit(node, message, target=target.name, remedy=f"ask for opset_version={lowest}")
    return None


def newer_file(node: object, ir: int, exporter: str, target: Target) -> Hit | None:
    """The hit on a file of an IR version that a target refuses."""
    highest = target.release.ir
    if highest is None or ir <= highest:
        return None
    told = (
        f"{exporter} writes IR version {ir}, and {target.name} refuses it: its highest is {highest}"
    )
    later = target.tables.later(target.version)
    found = next((r.version for r in later if (r.ir or 0) >= ir), None)
    since = f" ({target.family}-{found} takes it)" if found else ""
    remedy = "ask for a lower opset_version, with whose IR version it is written"
    if exporter != LEGACY:
        remedy = "export with dynamo=False, which writes the one that goes with the opset"
    severity = Severity.ERROR
    return Hit(node, f"{told}{since}", severity=severity, target=target.name, remedy=remedy)


def newer(opset: int, target: Target) -> str:
    """The first later release that is made for an opset."""
    later = target.tables.later(target.version)
    found = next((r.version for r in later if (r.highest or 0) >= opset), None)
    return f" ({target.family}-{found} is made for it)" if found else ""


def lower(highest: int, exporter: str) -> str:
    """How to come to write an opset."""
    if highest < LOWEST_OPSET and exporter != LEGACY:
        why = f"the new exporter writes {LOWEST_OPSET} and later, and converts only what it can"
        return f"ask for opset_version={highest} with dynamo=False: {why}"
    return f"ask for opset_version={highest}"
