"""LT139: an epsilon that the new ONNX exporter takes for zero and leaves out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Constant, Tensor, Value
from lintorch.evidence import AS_TRACED, Outcome, Trial
from lintorch.evidence.size_changes import blame_event
from lintorch.facts.models.exact_zeros import may_hold_zeros
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT139",
    summary="an epsilon that the new ONNX exporter leaves out",
    why="""
        `x / (norm + 1e-12)` and `log(p + 1e-10)` are written for the zero that would make them NaN
        or infinite. The new ONNX exporter optimizes what it has written, and takes a number of up
        to 1e-8 that is added or subtracted for 0: the addition is gone, nothing is said, and the
        file gives NaN or inf where the model gives a number. 1.1e-8 stays. Told where zeros are to
        be expected: of what ReLU cuts off, of counts, masks, spectra and inputs, and of the nearest
        of several distances. A number that stands
        in a tensor of one axis stays too, as do the eps of layers and of F.normalize, and
        `clamp(min=1e-10)`.

        `torch.onnx.export(..., optimize=False)` leaves the file as it was written, with every
        epsilon. The fix writes clamp, which differs from the sum by no more than the epsilon where
        nothing is negative. Measured on torch 2.13 with onnxscript 0.7, whose rewrite rules for
        `x + 0` compare numbers within 1e-8.
    """,
    bad="""
        import torch
        from torch import nn


        class Entropy(nn.Module):
            def forward(self, x):
                p = torch.relu(x)
                return -(p * torch.log(p + 1e-10)).sum(1)
    """,
    good="""
        import torch
        from torch import nn


        class Entropy(nn.Module):
            def forward(self, x):
                p = torch.relu(x)
                return -(p * torch.log(torch.clamp(p, min=1e-10))).sum(1)
    """,
    remedy="export with optimize=False, or write x.clamp(min=1e-10), or an epsilon above 1e-8",
    proof="""
        import io

        import onnxruntime

        warnings.simplefilter("ignore")
        model, x = Entropy().eval(), torch.tensor([[0.0, 1.0]])
        file = io.BytesIO()
        torch.onnx.export(model, (x,), dynamo=True, verbose=False).save(file)
        session = onnxruntime.InferenceSession(file.getvalue())
        given = {session.get_inputs()[0].name: x.numpy()}
        assert torch.allclose(torch.from_numpy(session.run(None, given)[0]), model(x))
    """,
    fix=Applicability.UNSAFE,
    severity=Severity.WARNING,
    example_profile=("onnx",),
)

HARM = {"onnx": Harm.SILENT}
LARGEST = 1e-8
"""What onnxscript's matcher takes for 0."""
LOGS = frozenset({"log", "log2", "log10", "reciprocal", "rsqrt"})
ROOTS = frozenset({"sqrt", "sqrt_"})
SUMS = ("torch.add", "torch.sub", "torch.Tensor.add", "torch.Tensor.sub", "torch.Tensor.add_")


@rule.event(Combined)
def in_sum(event: Combined, source: Source) -> Iterator[Hit]:
    """`x + 1e-10`, `x - 1e-10`, and the same the other way round for a sum."""
    if event.operator not in ("Add", "Sub"):
        return
    added = event.right if is_tiny(read_plain(event.right)) else event.left
    other = event.left if added is event.right else event.right
    if event.operator == "Add" or added is event.right:
        yield from judge(event, added, other, write_clamp(event, added, source), source)


@rule.event(*SUMS)
def in_call(event: Called, source: Source) -> Iterator[Hit]:
    """`x.add(1e-10)`."""
    added, other = event.arguments.get("other"), find_operand(event)
    if added is not None and other is not None and not event.open:
        yield from judge(event, added, other, write_clamp_of_call(event, source), source)


def judge(
    event: Combined | Called, added: Value, other: Value, fix: Fix | None, source: Source
) -> Iterator[Hit]:
    """Where a model divides by the sum, or takes its logarithm."""
    if not event.way.forward or not is_tiny(read_plain(added)) or not isinstance(other, Tensor):
        return
    if event.way.names and MEASURES.search(event.way.names[-1]):
        return  # a share of right guesses, which training prints
    ends, inverse = find_end(event, source)
    if (
        ends
        and isinstance(added, Constant)
        and may_hold_zeros(other, source.evaluation.ways, inverse)
    ):
        said = f"{added.value} is left out of the file: {ends} where the rest is 0"
        yield Hit(event, said, fix, HARM, severity=Severity.WARNING)


MEASURES = re.compile(r"(^|[._])(acc|accuracy|iou)$")


def is_tiny(number: object) -> bool:
    """Whether the exporter takes it for 0, and it is none."""
    return isinstance(number, float) and 0 < math.fabs(number) <= LARGEST


def find_end(event: Combined | Called, source: Source) -> tuple[str, bool]:
    """What a sum without its epsilon would end in, "" if in nothing, and whether 1 is divided by it."""
    ways, held = source.evaluation.ways, event.result
    for user in ways.find_users(held):
        if name_operation(user) in ROOTS:
            held = user.result
    for each in (*ways.find_users(event.result), *ways.find_users(held)):
        if said := name_end(each, event, held):
            return said, isinstance(each, Combined) and is_one(each.left)
    return "", False


def name_end(user: Operation, event: Combined | Called, root: Value) -> str:
    """The same for one operation that is given the sum, or its root."""
    name, given = name_operation(user), (event.result, root)
    if isinstance(user, Combined):
        return "division by zero" if name == "Div" and is_among(user.right, given) else ""
    if not isinstance(user, Called):
        return ""
    if name in ("div", "true_divide", "divide", "div_"):
        other = user.arguments.get("other")
        return "division by zero" if other is not None and is_among(other, given) else ""
    return f"{name} of zero" if name in LOGS else ""


def is_one(value: Value) -> bool:
    return isinstance(value, Constant) and value.value == 1


def is_among(value: Value, others: tuple[Value, ...]) -> bool:
    return any(value is each for each in others)


def write_clamp(event: Combined, added: Value, source: Source) -> Fix | None:
    """`torch.clamp(p, min=1e-10)` for `p + 1e-10`."""
    whole = source.node_at(event, cst.BinaryOperation)
    if whole is None or not isinstance(whole.operator, cst.Add):
        return None
    first, second = (whole.left, whole.right) if added is event.right else (whole.right, whole.left)
    if literal(second) is None and not isinstance(second, (cst.Name, cst.Attribute)):
        return None
    inner = first.with_changes(lpar=(), rpar=()) if hasattr(first, "lpar") else first
    clamp, imports = source.reach("torch.clamp", whole)
    if not clamp:
        return None
    text = f"{clamp}({source.code(inner)}, min={source.code(second)})"
    edit = without_brackets(source.replace(whole, text), whole, source)
    return Fix(f"write {text}", (edit, *imports), Applicability.UNSAFE)


def write_clamp_of_call(event: Called, source: Source) -> Fix | None:
    """`p.clamp(min=1e-10)` for `p.add(1e-10)`, `torch.clamp(p, min=1e-10)` for `torch.add(p, 1e-10)`."""
    call = source.call_at(event)
    name = event.name.rpartition(".")[2].rstrip("_")
    given = [] if call is None else [(a.keyword and a.keyword.value, a.star) for a in call.args]
    method = call is not None and isinstance(call.func, cst.Attribute) and "Tensor" in event.name
    allowed = [(None, ""), ("other", "")] if method else [(None, ""), ("other", ""), ("input", "")]
    if call is None or name != "add" or not set(given) <= set(allowed):
        return None
    if len(given) != (1 if method else 2) or ("input", "") in given[1:]:
        return None
    number = call.args[-1]
    least = source.replace(number, f"min={source.code(number.value)}")
    if method and isinstance(call.func, cst.Attribute):
        last = "clamp_" if event.name.endswith("_") else "clamp"
        edits = (source.replace(call.func.attr, last), least)
        return Fix(f"write {last}(min={source.code(number.value)})", edits, Applicability.UNSAFE)
    clamp, imports = source.reach("torch.clamp", call)
    anew = (source.replace(call.func, clamp), least, *imports)
    return Fix(f"write {clamp}", anew, Applicability.UNSAFE) if clamp else None


def without_brackets(edit: Edit, whole: cst.BinaryOperation, source: Source) -> Edit:
    """A call needs none of the brackets that a sum stands in, but behind a word."""
    start, end = edit.start - 1, edit.end + 1
    bracketed = whole.lpar and source.text[start] + source.text[end - 1] == "()"
    behind = source.text[start - 1 : start]
    return edit if not bracketed or behind.isidentifier() else Edit(start, end, edit.content)


@rule.trial("wrong")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Of sums of a run, where what was exported gives NaN or inf at the sizes it was traced with."""
    traced = (each for each in outcome.wrong if each.at == AS_TRACED)
    if not any("finite" in each.why for each in traced):
        return
    for event in trial.trace.find_events(*SUMS):
        if is_tiny(event.args.get("other")):
            hit = blame_event(outcome, event, trial, HARM, outcome.wrong_at)
            yield from (hit,) if hit else ()
