"""LT901: an operator that a deployment target does not have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.profile import LOWEST_OPSET, WRITES_ONNX, enumerate_names
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, ItemSet
from lintorch.evidence import GraphCapture, OperatorUse, Outcome, Site, Trace, Tracer, Trial
from lintorch.facts.exporting.einsum_calls import multiply, reads_again, write_held
from lintorch.facts.exporting.onnx_operators import name_exported
from lintorch.facts.exporting.operator_rewrites import Rewrite, find_rewrite
from lintorch.facts.exporting.part_writes import PartWrite, name_written, read_part
from lintorch.source import Source
from lintorch.targets import Answer, Target, Verdict, find_target, written_operators
from lintorch.targets.verdict import About

rule = Rule(
    __name__,
    code="LT901",
    summary="an operator that the target does not have",
    why="""
        The export succeeds, and the runtime of the target refuses the file: it has no such
        operator, or none as the exported opset defines it. What each release has is read from
        its tables (`lintorch targets NAME` lists them with their sources); what torch is exported
        as was measured on torch 2.13, for both ONNX exporters and each opset. With
        `--export onnx` or `onnx-legacy` the exported graph itself is looked at, node by node.
        ExecuTorch, LiteRT and TVM decompose an exported program in ways of their own before they
        look: with `--trace`, operators that torch has no decomposition of are looked up in their
        tables.

        The fix writes an `einsum` that is one product of matrices as `torch.matmul`, one that
        multiplies item by item as `*`, `permute` and `sum`, and what a line can say of `sign`,
        `round`, `ceil`, `abs`, `selu`, `celu`, `logsumexp`, `var`, `std`, `isnan`, `isinf`, `logical_xor`, `one_hot`, `triu`, `tril`,
        `normalize` and `norm` in operators that the target has, and a write to a span of a local
        tensor (`y[:, :1] = v`) as `torch.cat`. It computes the same but for how sums are rounded
        and what has no gradient, and is unsafe for that.

        An operator that a table does not tell about is not reported. One that the target's code
        has and its documentation denies is a warning, where an exported graph holds it.
    """,
    bad="""
        import torch
        from torch import nn


        class Attention(nn.Module):
            def forward(self, query, key):
                scores = torch.einsum("bqhd,bkhd->bhqk", query, key)
                return scores.softmax(-1)
    """,
    good="""
        import torch
        from torch import nn


        class Attention(nn.Module):
            def forward(self, query, key):
                scores = torch.matmul(query.permute(0, 2, 1, 3), key.permute(0, 2, 3, 1))
                return scores.softmax(-1)
    """,
    unproven="""
        It takes the target's runtime, and for most of them its hardware. The tables name where
        each of their facts is from.
    """,
    severity=Severity.ERROR,
    example_profile=("onnx-legacy@13", "target:tensorrt-8.0"),
    fix=Applicability.UNSAFE,
)

SETTLED = re.compile(r"_like\.|\.lift|_assert|\.sym_|\.(max|min)\.default$")
"""Operators that these converters get rid of in ways of their own."""
EINSUM = "Einsum"
REPLACEMENTS = {
    "GridSample": "sample with gather, or resample by interpolate where the grid is regular",
    EINSUM: "write it with matmul, transpose and reshape",
    "Celu": "write it as max(0, x) + min(0, a * (exp(x / a) - 1))",
    "CumSum": "multiply by a triangular matrix of ones",
    "GatherElements": "index by one-hot matmul, or gather along a flat axis",
    "NonZero": "keep a mask of fixed size instead of the places",
    "Trilu": "make the mask beforehand and keep it as a buffer",
    "RandomNormalLike": "draw the noise outside and pass it in",
    "RandomUniformLike": "draw the noise outside and pass it in",
    "PRelu": "write it as relu(x) - weight * relu(-x)",
}


@rule.event(Called)
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    if not source.profile.targets or not event.name.startswith("torch."):
        return
    name = name_exported(event, source.evaluation)
    for target in map(find_target, source.profile.targets if name else ()):
        kind = target.tables.names
        if kind == "onnx":
            yield from exported(event, name, target, source)
        elif lacking := [*outside_onnx(name, target)]:
            instead, message = remedy(lacking, target), told(lacking, target)
            severity = gravity(target)
            yield Hit(event, message, severity=severity, target=target.name, remedy=instead)


def exported(event: Called, name: str, target: Target, source: Source) -> Iterator[Hit]:
    """What is missing of what the ONNX exporters in use write."""
    found: dict[str, tuple[int, list[tuple[str, Verdict]]]] = {}
    exporters = [each for each in WRITES_ONNX if each in source.profile.exporters]
    for exporter in exporters:
        opset = written_opset(exporter, source, target)
        for wanted in written_operators.list_written(name, exporter, opset) or ():
            verdict = target.supports(wanted, opset)
            if is_missing(verdict):
                found.setdefault(exporter, (opset, []))[1].append((wanted, verdict))
    if not found:
        return
    exporter, (opset, lacking) = next(iter(found.items()))
    under = "" if len(found) == len(exporters) else f" by {exporter}"
    parts = enumerate_names([wanted for wanted, _ in lacking])
    message = (
        f"{short(name)} is written as {parts}{under} at opset {opset}, and {told(lacking, target)}"
    )
    grave = Severity.WARNING if under else gravity(target)
    hint = remedy(lacking, target, exporter)
    missing = {each: {wanted for wanted, _ in parts} for each, (_, parts) in found.items()}
    fix = write_otherwise(event, name, missing, target, source)
    yield Hit(event, message, severity=grave, target=target.name, remedy=hint, fix=fix)


@rule.event(ItemSet)
def in_part(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`y[:, :1] = v`, which ONNX has no other operator for than a scatter."""
    asked = event.way.forward and source.profile.targets and event.spot.path == source.path
    part = read_part(event, source.evaluation) if asked else None
    if part is None:
        return
    for target in map(find_target, source.profile.targets):
        for exporter in [e for e in WRITES_ONNX if e in source.profile.exporters]:
            wanted = name_written(part, exporter)
            verdict = target.supports(wanted, written_opset(exporter, source, target))
            if target.tables.names == "onnx" and is_missing(verdict):
                said = f"a write to {source.evaluation.text(event.spot)} is exported as {wanted} by {exporter}"
                message = f"{said}, and {told([(wanted, verdict)], target)}"
                fix, grave = join_parts(event, part, source), gravity(target)
                yield Hit(event, message, fix, severity=grave, target=target.name, remedy=JOIN)
                break


def join_parts(event: ItemSet, part: PartWrite, source: Source) -> Fix | None:
    """`y = torch.cat((v, y[:, 1:]), 1)`."""
    row = event.spot.row
    lines = [each for each in source.nodes(cst.Assign) if source.place(each).row == row]
    if len(lines) != 1:
        return None
    cat, edits = source.reach("torch.cat", lines[0])
    full_like = source.spell("torch.full_like", lines[0]) or cat.replace("cat", "full_like")
    text = f"{part.name} = {part.write(cat, full_like)}"
    return Fix(f"write {text}", (source.replace(lines[0], text), *edits), Applicability.UNSAFE)


JOIN = "write the whole: y = torch.cat((y[:, :1], v, y[:, 2:]), 1)"


def write_otherwise(
    event: Called, name: str, missing: dict[str, set[str]], target: Target, source: Source
) -> Fix | None:
    """The call in operators that the target has, whichever of the exporters writes it."""
    if all(wanted == {EINSUM} for wanted in missing.values()):
        return multiply(event, source)
    rewrite, call = find_rewrite(name), source.call_at(event)
    if rewrite is None or call is None or any(m != {rewrite.operator} for m in missing.values()):
        return None
    opsets = {written_opset(exporter, source, target) for exporter in missing}
    if not all(target.supports(each, opset) for each in rewrite.writes for opset in opsets):
        return None
    texts = read_arguments(call, event, rewrite, source)
    text = rewrite.write(texts, event) if texts is not None else None
    reached, edits = source.reach(rewrite.reaches, call) if rewrite.reaches else ("-", ())
    if text is None or not reached:
        return None
    text = text.replace("{reached}", reached)
    whole = source.fitted(text, call) if rewrite.operation else text
    return Fix(f"write {text}", (source.replace(call, whole), *edits), Applicability.UNSAFE)


def read_arguments(
    call: cst.Call, event: Called, rewrite: Rewrite, source: Source
) -> dict[str, str] | None:
    """The arguments as they are written, the tensor as `input`; None where not all are seen, or known."""
    func, held = call.func, None
    if event.name.startswith("torch.Tensor.") and isinstance(func, cst.Attribute):
        held = func.value if func.attr.value == event.name.rpartition(".")[2] else None
    elif source.name(func) == event.name:
        held = source.arguments(call, "input").get("input")
    else:
        return None
    asked = (
        rewrite.parameters
        if held is None or not is_function(event)
        else ("input", *rewrite.parameters)
    )
    given = source.arguments(call, *asked)
    known = {*rewrite.parameters, *(("input",) if is_function(event) else ())}
    whole = given.complete and set(given.by_name) <= known and len(given.by_name) == len(call.args)
    if held is None or not whole or (rewrite.repeats and not reads_again(held)):
        return None
    signed = (cst.Integer, cst.UnaryOperation)
    texts = {
        name: source.code(arg.value)
        if isinstance(arg.value, signed)
        else write_held(arg.value, source)
        for name, arg in given.by_name.items()
    }
    return {**texts, "input": write_held(held, source)}


def is_function(event: Called) -> bool:
    return not event.name.startswith("torch.Tensor.")


@rule.trace(Tracer.EXPORT)
def in_program(capture: GraphCapture, trace: Trace) -> Iterator[Hit]:
    """What converters that decompose an exported program meet whatever they decompose."""
    for target in map(find_target, trace.profile.targets):
        if target.tables.looks_up == "program":
            for site, names in by_line(capture).items():
                lacking = [
                    (n, v) for n in names if is_missing(v := target.supports(n, domain="aten"))
                ]
                if lacking:
                    told_of = (
                        f"torch.export finds {enumerate_names([name for name, _ in lacking])} here"
                    )
                    message = f"{told_of}, which nothing decomposes, and {told(lacking, target)}"
                    yield Hit(
                        site or capture,
                        message,
                        severity=Severity.WARNING,
                        target=target.name,
                        remedy=remedy(lacking, target),
                    )


def by_line(capture: GraphCapture) -> dict[Site | None, list[str]]:
    """The operators of each line that no decomposition takes apart, each once."""
    lines: dict[Site | None, list[str]] = {}
    for name, site in capture.operators:
        if name in capture.lasting and not SETTLED.search(name):
            names = lines.setdefault(site, [])
            names += [] if name in names else [name]
    return lines


@rule.trial("ok", "wrong", "random", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit | Refuted]:
    alone = {outcome.exporter} == set(WRITES_ONNX) & trial.profile.exporters
    model = trial.trace.record
    fixed = not trial.profile.dynamic or (model.configured and not model.sizes)
    alone = alone and (any(outcome.compared) or fixed)
    for target in map(find_target, trial.profile.targets if outcome.graph else ()):
        for site, uses in trial.list_by_line().items():
            yield from judged(site, uses, target, outcome, alone)
        for site in trial.find_folded_lines() if alone else ():
            reason = "nothing of this line is left in the exported graph"
            yield Refuted(site, reason, target=target.name)


def judged(
    site: Site, uses: list[OperatorUse], target: Target, outcome: Outcome, alone: bool
) -> Iterator[Hit | Refuted]:
    """What is to say of the operators that one line was exported as."""
    verdicts = {use.name: target.supports(use.name, use.opset, use.domain) for use in uses}
    missing = [(name, v) for name, v in verdicts.items() if is_missing(v)]
    lacking = missing or [(name, v) for name, v in verdicts.items() if v.disputed]
    if lacking:
        names = enumerate_names([name for name, _ in lacking])
        wrote = f"{outcome.exporter} wrote {names} here at opset {outcome.opset}"
        hint = remedy(lacking, target, outcome.exporter)
        message = f"{wrote}, and {told(lacking, target)}"
        grave = gravity(target) if missing else Severity.WARNING
        yield Hit(site, message, severity=grave, target=target.name, remedy=hint)
    elif alone and all(verdicts.values()):
        reason = f"exported as {', '.join(verdicts)}, which {target.name} has"
        yield Refuted(site, reason, target=target.name)


def written_opset(exporter: str, source: Source, target: Target) -> int:
    """The opset of the file: the new exporter writes none below 18.

    Where the target refuses it, its highest: what it lacks then, it lacks at any.
    """
    opset, lowest = source.profile.opset_of(exporter), LOWEST_OPSET if exporter == "onnx" else 0
    most = target.highest if target.release.limit == "refused" else None
    return max(opset if most is None else min(opset, most), lowest)


def outside_onnx(name: str, target: Target) -> Iterator[tuple[str, Verdict]]:
    """What a target that reads PyTorch itself lacks."""
    if target.tables.names == "torch":
        spelled = short(name).replace("nn.functional.", "F.")
        names: Iterable[str] = (spelled,)
    elif target.tables.looks_up == "traced":
        names = written_operators.list_traced(name)
    else:
        names = ()
    for each in names:
        verdict = target.supports(each, domain=target.tables.names)
        if is_missing(verdict):
            yield each, verdict


def is_missing(verdict: Verdict) -> bool:
    return verdict.answer is Answer.NO and verdict.about in (About.OPERATOR, About.VERSION)


def told(lacking: list[tuple[str, Verdict]], target: Target) -> str:
    """What is missing, and since when it is not."""
    names = [name for name, _ in lacking]
    said = list(dict.fromkeys(verdict.reason for _, verdict in lacking))
    plain = said == [f"{target.name} has no {name}" for name in names]
    what = f"{target.name} has no {enumerate_names(names)}" if plain else " and ".join(said)
    return f"{what}{later(lacking, target)}{doubt(target)}"


def later(lacking: list[tuple[str, Verdict]], target: Target) -> str:
    """The first release that is known to have all of it, where one is."""
    releases = [release.version for release in target.tables.later(target.version)]
    if any(verdict.disputed for _, verdict in lacking) or not releases:
        return ""
    if first := since(lacking, target):
        return f" ({target.family}-{first} has {'it' if len(lacking) == 1 else 'them'})"
    never = all(verdict.since is None for _, verdict in lacking)
    return f" (nor is any release up to {releases[-1]} known to)" if never else ""


def since(lacking: list[tuple[str, Verdict]], target: Target) -> str | None:
    """The first release that has all that is missing; None where none is known to."""
    releases = [release.version for release in target.tables.later(target.version)]
    firsts = [verdict.since for _, verdict in lacking]
    return None if None in firsts else max(filter(None, firsts), key=releases.index)


def gravity(target: Target) -> Severity:
    """An error where the table is sure of itself."""
    return Severity.ERROR if target.release.confidence == "high" else Severity.WARNING


def doubt(target: Target) -> str:
    """What the tables say of themselves, where they are not sure."""
    release = target.release
    sure = release.confidence == "high"
    return "" if sure else f" [{release.confidence} confidence: {release.basis}]"


def remedy(lacking: list[tuple[str, Verdict]], target: Target, exporter: str = "") -> str:
    """What to do."""
    name, verdict = lacking[0]
    if verdict.disputed:
        return "try it on the target before relying on it"
    if verdict.about is About.VERSION and (below := target.opsets(name)):
        return f"export at opset {below[-1]} or lower"
    for each in dict.fromkeys((exporter, "onnx-legacy")) if exporter else ():
        opset, others = written_operators.find_last_without(name, each) or (0, ())
        if others and all(target.supports(other, opset) for other in others):
            how = "" if each == exporter else " with dynamo=False"
            return f"opset {opset} or lower{how} writes others instead"
    if name in REPLACEMENTS:
        return REPLACEMENTS[name]
    plugin = ", or register a plugin of that name" if target.release.plugins else ""
    newer = (
        f"deploy with {target.family}-{first}"
        if (first := since(lacking, target))
        else "replace it"
    )
    return f"{newer}{plugin}"


def short(name: str) -> str:
    return name.removeprefix("torch.")
