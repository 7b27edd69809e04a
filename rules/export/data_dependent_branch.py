"""LT102: a branch that the values of a tensor decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, DataRead, Decided, Ordered
from lintorch.evaluator.make_arguments import pair_defaults
from lintorch.evaluator.sizes import is_counted
from lintorch.evaluator.values import Choice, Number, Tensor, Value, is_own, size_in
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
from lintorch.facts.models import graph_checks
from lintorch.facts.models.branch_purpose import (
    asks_exporting,
    ends_loop,
    fills_lists,
    is_apart,
    is_half_alone,
    is_replaced,
    only_checks,
)
from lintorch.facts.models.branch_span import find_branch_span
from lintorch.facts.models.checked_calls import find_checked
from lintorch.facts.models.chosen_sides import Chosen, find_chosen, read_sides, write_test
from lintorch.facts.models.cond_sides import is_followed, list_layer_calls, write_cond
from lintorch.facts.models.graph_checks import read_check
from lintorch.facts.models.stateless_layers import StatelessCalls, find_stateless
from lintorch.source import Source

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
        front of the model, or in `torch._assert_async`.

        What a weight, a buffer, `torch.arange` or chance decides is refused by both as well; the
        tracers keep a side that is right, unless it was drawn. Only `torch.tensor` of one Python
        number is asked at once (`if torch.tensor(2) > 1`). `normalize` of torchvision asks whether
        any deviation is 0; that of `torchvision.transforms.v2` does not.
    """,
    bad="""
        import torch
        from torch import nn


        class Signed(nn.Module):
            def forward(self, x):
                return x if torch.sum(x) > 0 else -x
    """,
    good="""
        import torch
        from torch import nn


        class Signed(nn.Module):
            def forward(self, x):
                return torch.where(torch.sum(x) > 0, x, -x)
    """,
    remedy="compute both sides and choose: torch.where(condition, a, b)",
    proof="""
        import torch

        program = torch.export.export(Signed(), (torch.ones(2, 3),)).module()
        assert torch.equal(program(-torch.ones(2, 3)), torch.ones(2, 3))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

REFUSED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
BRANCH = {**REFUSED, "onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
NOISY = {"onnx-legacy": Harm.NOISY, "torchscript-trace": Harm.NOISY}
VERDICT = {**REFUSED, "onnx-legacy": Harm.SILENT, "torchscript-trace": Harm.SILENT}
"""torch.equal and torch.allclose give a bool that tracers never see."""
RAISES = {**REFUSED, **NOISY}
ASSERT = {"torch.export": Harm.REFUSED, **NOISY}
CHOSEN = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
CHECK = "check it before the model is called, or only `if not torch.compiler.is_exporting():`"
EMPTY = "ask nothing where what follows takes an empty tensor too, or choose outside of the exported part"
LOOP = "loop a fixed number of times, and keep what is done by torch.where(done, old, new)"
APART = "work it out before or after the exported part of the model"
SAME = "ask whether it is the same object, as `key is query`, or let an argument say so"
DRAWN = BRANCH
DRAW = "draw only where self.training is set, or compute both sides and choose: torch.where(condition, a, b)"
SET = "ask a Python bool or number that the constructor sets, or choose by torch.where(condition, a, b)"
EXCHANGES = ("all_reduce", "all_gather", "broadcast", "distributed")
PICK = "stack them, and choose by torch.argmax, or order them by torch.argsort"
BOUND = "compute with tensors: torch.maximum(a, b), or x.clamp(min=1)"
PARTS = ("and", "or", "not")
"""Questions within others, which are told by themselves."""


NORMALIZE = (
    "torchvision.transforms.functional.normalize",
    "torchvision.transforms.Normalize.forward",
)
WITHOUT_ASKING = "write (x - mean) / std with buffers of shape [3, 1, 1], or take transforms.v2"


@rule.event(*NORMALIZE)
def in_normalize(event: Called, source: Source) -> Iterator[Hit]:
    """`normalize(x, mean, std)` within a model; measured with torchvision 0.28."""
    if event.way.forward:
        said = "normalize of torchvision asks whether std has a 0"
        yield Hit(event, said, harm=REFUSED, remedy=WITHOUT_ASKING)


@rule.event(Decided)
def in_model(event: Decided, source: Source) -> Iterator[Hit]:
    if not event.way.forward or event.answer is not None or event.kind in PARTS:
        return
    values = event.test.alternatives if isinstance(event.test, Choice) else (event.test,)
    asked = [each for each in values if is_of_data(each)]
    if is_settled(event, source) or is_flag(event, source):
        return
    if not asked:
        yield from ask_own(event, source, values)
        return
    harm = weigh_check(asked) if only_checks(event.branch) else weigh_branch(asked)
    if event.kind == "assert":
        harm = ASSERT if any(map(is_tensor, asked)) else {}
    if harm:
        checks = event.kind == "assert" or only_checks(event.branch)
        remedy = CHECK if checks else name_way_out(event)
        if any(map(is_verdict, asked)) and not checks:
            remedy = SAME
        node, said = tell_question(event, checks, "the values of a tensor", source)
        fix = check_in_graph(event, source) if checks else choose_by_where(event, source)
        told = "checks" if checks else name_chain(event, source)
        cause, kept = name_read(asked, event) or told, fix if node is event else None
        if not checks and all(counts_chosen(each, source) for each in asked):
            remedy, cause = EMPTY, "counts what data choose"
        yield Hit(node, said, fix=kept, harm=harm, remedy=remedy, cause=cause)


def is_of_data(value: Value) -> TypeGuard[Number | Tensor]:
    """Whether the values of a tensor decide it, also how many elements they choose: `if len(x[mask]):`."""
    return isinstance(value, (Number, Tensor)) and (bool(value.data) or is_count(value))


def is_count(value: Value) -> bool:
    """Whether it is a number of elements that data choose."""
    return isinstance(value, Number) and value.size is not None and is_counted(value.size)


def counts_chosen(value: Value, source: Source) -> bool:
    """Whether it asks how many data choose: `x[y > 0].shape[0] > 0`, or `len(x[y > 0])`."""
    if is_count(value):
        return True
    compared = source.evaluation.ways.find_comparison(value)
    sides = () if compared is None else (compared.left, compared.right)
    sizes = (size_in(each) for each in sides if isinstance(each, Number))
    return any(size is not None and is_counted(size) for size in sizes)


def tell_question(event: Decided, checks: bool, by: str, source: Source) -> tuple[object, str]:
    """Where a question is told, and what of it: of a check in a function of its own, at the call that gives it."""
    call = find_checked(event, source) if checks else None
    if call is None:
        return event, f"`{source.evaluation.text(event.spot)}` is decided by {by}"
    place = source.evaluation.place(event.way.spots[-1])
    return place, f"`{call.given}`, which {call.function}() asks, is decided by {by}"


def is_flag(event: Decided, source: Source) -> bool:
    """Whether it asks a parameter that is True or False where it is not given: a tensor gets there by mistake."""
    function = source.evaluation.find_function(event)
    if not isinstance(event.node, ast.Name) or not isinstance(function, ast.FunctionDef):
        return False
    name, pairs = event.node.id, pair_defaults(function.args)
    flags = {a.arg for a, d in pairs if isinstance(d, ast.Constant) and isinstance(d.value, bool)}
    names = (each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == name)
    return name in flags and not any(isinstance(each.ctx, ast.Store) for each in names)


def name_way_out(event: Decided) -> str | None:
    """What to do where there are no two tensors to choose from; None where there may be."""
    if event.kind == "while" or ends_loop(event.branch):
        return LOOP
    return APART if fills_lists(event.branch) else None


def name_read(asked: Sequence[Number | Tensor], event: Decided) -> str:
    """Where the number that is asked was read before, which other questions may be about too."""
    spots = [via.spot for each in asked if isinstance(each, Number) for via in each.via if via.data]
    if any(event.spot.row <= each.row <= event.spot.end_row for each in spots):
        return ""
    return f"read at {spots[0].row}:{spots[0].column}" if len(spots) == 1 else ""


def name_chain(event: Decided, source: Source) -> str:
    """What else may be asked for the same choice: of the same names, in the same words, or in an `elif` of the same `if`."""
    names = {each.id for each in ast.walk(event.node) if isinstance(each, ast.Name)} - {
        "self",
        "torch",
    }
    if len(names) == 1:
        return f"asks {names.pop()}"
    head = event.branch
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.If) and isinstance(head, ast.If) and outer.orelse == [head]:
            head = outer
    if head is event.branch and isinstance(head, ast.If) and not leads_chain(head):
        return f"asks {ast.unparse(event.node)}"
    return f"line {getattr(head, 'lineno', event.spot.row)}"


def leads_chain(head: ast.If) -> bool:
    """Whether an `elif` follows."""
    return len(head.orelse) == 1 and isinstance(head.orelse[0], ast.If)


def ask_own(event: Decided, source: Source, values: Sequence[Value]) -> Iterator[Hit]:
    """Of a tensor in which no input has a part: exporters refuse, and tracers are right unless it is drawn."""
    own = [v for v in values if isinstance(v, (Number, Tensor)) and is_own(v) and not is_sized(v)]
    if own and not is_between_processes(event, source) and not is_asked_of_input(event, source):
        drawn = any(map(source.evaluation.ways.is_drawn, own))
        harm = ASSERT if event.kind == "assert" or any(map(is_of_sizes, own)) else RAISES
        by = "the values of a tensor" if reads_data(event) else "a tensor of the model itself"
        checks = event.kind == "assert" or only_checks(event.branch)
        node, said = tell_question(event, checks and not drawn, "chance" if drawn else by, source)
        told = name_read(own, event) or ("checks" if checks and node is event else "")
        remedy, cause = (DRAW, "") if drawn else (CHECK if checks else SET, told)
        yield Hit(node, said, harm=DRAWN if drawn else harm, remedy=remedy, cause=cause)


def reads_data(event: Decided) -> bool:
    """`assert (x > 0).data.all()`, of which nobody sees where it comes from."""
    return any(getattr(each, "attr", "") == "data" for each in ast.walk(event.node))


def is_asked_of_input(event: Decided, source: Source) -> bool:
    """Whether on another way the same is asked of an input, which is graver."""
    others = (each for _, each in source.evaluation.list_events({Decided}))
    asked = (e for e in others if isinstance(e, Decided) and e.spot == event.spot)
    tests = (each.test for each in asked if each.way.forward)
    return any(isinstance(test, (Number, Tensor)) and bool(test.data) for test in tests)


def is_between_processes(event: Decided, source: Source) -> bool:
    """Whether processes that train together look at each other there."""
    function = source.evaluation.find_function(event)
    nodes = [] if function is None else ast.walk(function)
    return any(str(getattr(n, "attr", getattr(n, "id", ""))) in EXCHANGES for n in nodes)


def is_sized(value: Number | Tensor) -> bool:
    """Whether it varies with sizes, of which others tell."""
    return isinstance(value, Number) and bool(value.varies)


def is_of_sizes(value: Number | Tensor) -> bool:
    """Whether sizes were made a tensor, which the new ONNX exporter follows."""
    return any(not via.data for via in value.via)


def choose_by_where(event: Decided, source: Source) -> Fix | None:
    """`x = torch.where(x.sum() > 0, x, -x)` for a branch that chooses between the two."""
    branch = event.branch
    if event.spot.path != source.path or not is_single(event, source):
        return None
    if not isinstance(branch, (ast.If, ast.IfExp)):
        return None
    behind = source.evaluation.list_following(event)
    chosen = find_chosen(branch, behind, list_stateless(source))
    if chosen is None:
        return choose_by_cond(event, read_sides(branch, behind), source)
    asked = write_test(chosen.test)
    place = find_test(event, source)
    where, edits = source.reach("torch.where", place)
    span = find_branch_span(branch, chosen.last, source.text, source.spans)
    if asked is None or not where or span is None:
        return None
    sides = (chosen.no, chosen.yes) if asked[1] else (chosen.yes, chosen.no)
    text = f"{where}({asked[0]}, {', '.join(map(ast.unparse, sides))})"
    edit = Edit(*span, f"{chosen.head}{text}")
    return Fix("compute both sides and choose", (edit, *edits), Applicability.UNSAFE)


def choose_by_cond(event: Decided, chosen: Chosen | None, source: Source) -> Fix | None:
    """`x = torch.cond(x.sum() > 0, lambda x: self.a(x), lambda x: self.b(x), (x,))`, where no tracer is in use."""
    asked, branch = write_test(chosen.test) if chosen is not None else None, event.branch
    if chosen is None or asked is None or not isinstance(branch, (ast.If, ast.IfExp)):
        return None
    if not is_followed(source.profile.exporters, source.profile.torch):
        return None
    cond, edits = source.reach("torch.cond", find_test(event, source))
    text = write_cond(chosen, asked, cond, list_layers(source)) if cond else None
    span = find_branch_span(branch, chosen.last, source.text, source.spans)
    if text is None or span is None:
        return None
    edit = Edit(*span, f"{chosen.head}{text}")
    return Fix("choose in the graph", (edit, *edits), Applicability.UNSAFE)


@lru_cache(maxsize=1)
def list_layers(source: Source) -> dict[int, list[Called]]:
    """The calls of layers by node."""
    events = (event for _, event in source.evaluation.list_events({Called}))
    return list_layer_calls(event for event in events if isinstance(event, Called))


@lru_cache(maxsize=1)
def list_stateless(source: Source) -> StatelessCalls:
    """The calls of layers that may be computed without being chosen."""
    events = (event for _, event in source.evaluation.list_events({Called}))
    return find_stateless(event for event in events if isinstance(event, Called))


def find_test(event: Decided, source: Source) -> cst.CSTNode:
    """The expression that is asked."""
    kinds = (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation, cst.Call)
    found = (source.node_at(event, kind) for kind in kinds)
    return next((each for each in found if each is not None), source.module)


def is_single(event: Decided, source: Source) -> bool:
    """Whether what is asked is one item, of a comparison or of any() and all()."""
    if isinstance(event.test, Tensor):
        return event.test.shape == () and event.test.dtype == "bool"
    reads = isinstance(event.test, Number) and all(
        v.name == "torch.Tensor.item" for v in event.test.via
    )
    return reads and isinstance(event.test, Number) and event.test.truth


@rule.event("torch._assert")
def in_assert(event: Called, source: Source) -> Iterator[Hit]:
    given = event.positional[:1] or tuple(event.keyword.values())[:1]
    if event.way.forward and any(isinstance(v, Tensor) and v.data for v in given):
        text = source.evaluation.text(event.spot)
        said = f"`{text}` is decided by the values of a tensor"
        yield Hit(event, said, harm=ASSERT, remedy=CHECK)


@rule.event("max", "min")
def in_bound(event: Called, source: Source) -> Iterator[Hit]:
    given = event.positional
    if (
        event.way.forward
        and len(given) > 1
        and any(isinstance(v, Tensor) and v.data for v in given)
    ):
        said = f"{event.name}() compares tensors in Python and keeps one of them"
        remedy = f"write torch.{event.name}imum(a, b)"
        fix = compare_as_tensors(event, source)
        yield Hit(event, said, fix=fix, harm=CHOSEN, remedy=remedy)


@rule.event(Ordered)
def in_order(event: Ordered, source: Source) -> Iterator[Hit]:
    """`max(scores)`, `sorted(rows, key=score)` of numbers that were read from tensors."""
    converted = not event.chooses and event.spot.row in list_converted(source)
    if event.way.forward and not converted:
        said = f"`{source.evaluation.text(event.spot)}` is decided by the values of a tensor"
        harm = BRANCH if event.chooses else {"torch.export": Harm.REFUSED}
        yield Hit(event, said, harm=harm, remedy=PICK if event.chooses else BOUND)


@lru_cache(maxsize=1)
def list_converted(source: Source) -> frozenset[int]:
    """The rows of `float(x)` and `int(x)`, of which another rule tells that they are refused."""
    reads = (each for _, each in source.evaluation.list_events({DataRead}))
    return frozenset(
        each.spot.row
        for each in reads
        if isinstance(each, DataRead) and each.name in ("int", "float")
    )


def compare_as_tensors(event: Called, source: Source) -> Fix | None:
    """`torch.maximum(a, b)` for `max(a, b)` of two tensors."""
    call, given = source.call_at(event), event.positional
    name, edits = source.reach(f"torch.{event.name}imum", call) if call is not None else ("", ())
    single = all(isinstance(each, Tensor) and each.shape == () for each in given)
    if call is None or not name or not single or len(given) != 2 or len(call.args) != 2:
        return None
    told = f"write {name}()"
    return Fix(told, (source.replace(call.func, name), *edits), Applicability.UNSAFE)


def check_in_graph(event: Decided, source: Source) -> Fix | None:
    """`torch._assert_async(test, "text")` for `assert test, "text"`, and for an `if` that only raises."""
    check = read_check(event.branch) if event.spot.path == source.path else None
    asked = graph_checks.write_test(check.test, source.evaluation) if check is not None else None
    place = find_test(event, source)
    name, edits = source.reach("torch._assert_async", place)
    if check is None:
        return None
    span = find_branch_span(check.statement, None, source.text, source.spans)
    if asked is None or span is None or not name:
        return None
    given = f"~({asked})" if check.raises else asked
    told = f", {check.text!r}" if check.text else ""
    edit = Edit(*span, f"{name}({given}{told})")
    return Fix("check it in the graph", (edit, *edits), Applicability.UNSAFE)


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


def weigh_branch(asked: list[Number | Tensor]) -> dict[str, Harm]:
    return VERDICT if any(map(is_verdict, asked)) else BRANCH


def weigh_check(asked: list[Number | Tensor]) -> dict[str, Harm]:
    return REFUSED if any(map(is_verdict, asked)) else RAISES


def is_verdict(value: Number | Tensor) -> bool:
    """`torch.equal(x, y)`, `x.allclose(y)`."""
    return isinstance(value, Number) and any(via.name == "torch.equal" for via in value.via)


def is_tensor(value: Number | Tensor) -> bool:
    """Not `x.max().item() < 4`, which torch.export follows in an assert."""
    return isinstance(value, Tensor) or not any(via.data for via in value.via)


def is_settled(event: Decided, source: Source) -> bool:
    """Whether what is asked is not asked of a model that is exported, in single precision."""
    if asks_exporting(event.node) or is_half_alone(event.node):
        return True
    around = list(source.evaluation.list_around(event))
    outer = [each for each in around if each is not event.branch]
    return is_apart(outer) or is_replaced(around)
