"""LT104: a branch on a size that varies: one side is baked, or the size is tied to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Decided
from lintorch.evaluator.sizes import Dim, is_symbol
from lintorch.evaluator.values import Number, Question, size_in
from lintorch.evidence import Outcome, SizeCompared, SizeRead, SizeUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes, report_limits
from lintorch.facts.exporting.scripted import without_tracer_harm
from lintorch.source import Kind, Source, Value, has_fixed_name, is_read, literal, may_vary

rule = Rule(
    __name__,
    code="LT104",
    summary="a branch on a size that varies",
    why="""
        An exported graph holds the side of a branch that the example input took. `torch.export`
        adds a guard, so the exported model raises at a size that would take the other side; the
        new ONNX exporter drops the guard and computes the wrong side without a word; the legacy
        exporter and jit.trace warn and do the same. A test for equality ties the size to the
        example's; but a dynamic size is taken for 2 or more, so what asks whether it is 1 is
        settled without a guard, and wrong at 1 without a word under `torch.export` too. Checks that only raise, `assert`, and tests of `x.dim()` or of a fixed channel
        count are harmless, and so is a cache that is made anew where sizes differ: a new model
        takes that branch. A fallback for inputs smaller than a number the model was made with
        (`if self.window >= h`) is not reported. Measured on torch 2.13.

        Work without the branch (pad by `-h % 8`, which may be zero), or decide before the export.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class Padded(nn.Module):
            def forward(self, x):
                if x.shape[2] % 8 != 0:
                    x = F.pad(x, [0, 0, 0, 8 - x.shape[2] % 8])
                return x
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class Padded(nn.Module):
            def forward(self, x):
                return F.pad(x, [0, 0, 0, -x.shape[2] % 8])
    """,
    proof="""
        from torch.export import Dim, export

        sizes = ({2: Dim.DYNAMIC},)
        program = export(Padded(), (torch.ones(1, 3, 12, 8),), dynamic_shapes=sizes)
        program.module()(torch.ones(1, 3, 16, 8))
    """,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
GUARDED = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **TRACED}
TIED = {"torch.export": Harm.REFUSED, "onnx": Harm.AUTO, **TRACED}
SINGLE = {"torch.export": Harm.SILENT, "onnx": Harm.SILENT, **TRACED}
"""Of a size that is asked whether it is 1, and is more in the example."""
TABLES = re.compile(r"(shapes|sizes|levels)(_list)?$")
"""Tables of one row per level of a pyramid."""
READ_OF_SELF = re.compile(r"\bself\.(\w+)")
SET_OF_SELF = re.compile(r"^\s*self\.(\w+)(?:\[[^]]*\])?(?:\s*:[^=]*)?\s*=(?!=)", re.MULTILINE)
EQUALITY = (cst.Equal, cst.NotEqual)
ORDER = (cst.LessThan, cst.LessThanEqual, cst.GreaterThan, cst.GreaterThanEqual)


@rule.source(cst.If)
def in_if(node: cst.If, source: Source) -> Iterator[Hit]:
    if refreshes(source.code(node.test), source.code(node.body)):
        return
    if not source.regions.is_check(node, node.test) and not only_lays_out(node):
        yield from without_tracer_harm(decided(node.test, source), source)


@rule.source(cst.IfExp)
def in_choice(node: cst.IfExp, source: Source) -> Iterator[Hit]:
    if source.in_graph(node):
        yield from without_tracer_harm(decided(node.test, source), source)


@rule.source(cst.While)
def in_while(node: cst.While, source: Source) -> Iterator[Hit]:
    yield from without_tracer_harm(decided(node.test, source), source)


def decided(test: cst.BaseExpression, source: Source) -> Iterator[Hit]:
    """One hit on a test that compares sizes."""
    compared = list(comparisons(test))
    if not compared or not source.profile.dynamic or source.regions.is_settled(test):
        return
    if source.place(test).row in source.evaluation.decided_rows:
        return  # what is known there decides
    if not source.in_traced_forward(test):
        return
    found = [(node, harm) for node in compared if (harm := harms(node, source))]
    if found:
        node, harm = max(found, key=lambda pair: pair[1]["onnx"])
        yield Hit(node, f"`{source.code(node)}` is decided by the example input", harm=harm)


@rule.event(Decided)
def in_model(event: Decided, source: Source) -> Iterator[Hit]:
    if not event.way.forward or not source.profile.dynamic or is_harmless(event):
        return
    test = event.test
    if event.answer is None and isinstance(test, Number) and test.varies and not test.data:
        if is_fallback(event.node, test.asked):
            return
        harm = max((weigh_question(each) for each in test.asked), key=rank_harm, default=GUARDED)
        if harm:
            text = source.evaluation.text(event.spot)
            yield Hit(event, f"`{text}` is decided by the example input", harm=harm)


def rank_harm(harm: dict[str, Harm]) -> int:
    return harm["onnx"] if harm else -1


def is_harmless(event: Decided) -> bool:
    """A check that only raises or warns, or a choice of layout alone."""
    branch = event.branch
    if event.kind == "assert" or branch is None:
        return True
    if isinstance(branch, ast.If):
        checks = only_checks(branch.body) and only_checks(branch.orelse)
        return checks or refreshes(ast.unparse(branch.test), *map(ast.unparse, branch.body))
    return False


def is_fallback(test: ast.AST, asked: tuple[Question, ...]) -> bool:
    """`if self.window >= h`: what a model does with inputs that are smaller than it was made for.

    A number that is written there, as in `h > 512`, is a limit of inputs that are meant to be used.
    """
    compared = [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
    sides = [side for each in compared for side in (each.left, *each.comparators)]
    written = any(isinstance(side, ast.Constant) for side in sides)
    return bool(compared and asked) and not written and all(map(is_threshold, asked))


def is_threshold(asked: Question) -> bool:
    """Whether a size is held against a number that the model was made with."""
    varying = [isinstance(each, Number) and each.varies for each in (asked.left, asked.right)]
    return asked.operator in ("<", "<=", ">", ">=") and sorted(map(bool, varying)) == [False, True]


def refreshes(test: str, *block: str) -> bool:
    """`if self.grid.shape != x.shape: self.grid = ...`: a model that is new takes the branch, whatever the size."""
    asked = set(READ_OF_SELF.findall(test))
    return bool(asked) and not asked.isdisjoint(SET_OF_SELF.findall("\n".join(block)))


def only_checks(block: list[ast.stmt]) -> bool:
    return all(
        isinstance(each, (ast.Raise, ast.Assert, ast.Pass)) or is_talk(each) for each in block
    )


def is_talk(line: ast.stmt) -> bool:
    """`print(x)`, `warnings.warn("x")`, `x = x.contiguous()`."""
    if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
        func = line.value.func
        return isinstance(func, ast.Attribute) and func.attr == "contiguous"
    if isinstance(line, ast.If):
        return only_checks(line.body) and only_checks(line.orelse)
    if not isinstance(line, ast.Expr) or not isinstance(line.value, ast.Call):
        return isinstance(line, ast.Expr)
    func = line.value.func
    name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
    return name in ("print", "warn", "warning", "info", "debug", "error", "warning_once")


def weigh_question(asked: Question) -> dict[str, Harm]:
    """What happens for which exporter where sizes are compared so."""
    sides = size_in(asked.left), size_in(asked.right)
    direct = all(size is None or is_symbol(size) or isinstance(size, int) for size in sides)
    if direct and asks_for_single(asked, sides):
        return SINGLE
    return TIED if direct and asked.operator in ("==", "!=") else GUARDED


def asks_for_single(asked: Question, sides: tuple[Dim | None, Dim | None]) -> bool:
    written = next((size for size in sides if isinstance(size, int)), None)
    return written == (2 if asked.operator in ("<", ">=") else 1)


def only_lays_out(node: cst.If) -> bool:
    """`if big: x = x.contiguous()` gives the same numbers on both sides."""
    return node.orelse is None and all(map(is_contiguous, node.body.body))


def is_contiguous(line: cst.CSTNode) -> bool:
    """`x = x.contiguous()`."""
    match line:
        case cst.SimpleStatementLine(
            body=[cst.Assign(value=cst.Call(func=cst.Attribute() as func))]
        ):
            return func.attr.value == "contiguous"
    return False


def comparisons(test: cst.BaseExpression) -> Iterator[cst.Comparison]:
    """`a > b` in `not (a > b) and c`."""
    if isinstance(test, cst.Comparison):
        yield test
    elif isinstance(test, cst.BooleanOperation):
        if not is_switch(test.left) and not asks_given(test):
            yield from comparisons(test.left)
            yield from comparisons(test.right)
    elif isinstance(test, cst.UnaryOperation):
        yield from comparisons(test.expression)


def harms(node: cst.Comparison, source: Source) -> dict[str, Harm]:
    """What happens for which exporter; nothing where no size that may vary is compared."""
    sides = [node.left, *(part.comparator for part in node.comparisons)]
    operators = [part.operator for part in node.comparisons]
    if not all(isinstance(operator, (*EQUALITY, *ORDER)) for operator in operators):
        return {}
    values = [source.value(side) for side in sides]
    if not any(value.given for value in values) and not any(map(is_remainder, sides)):
        return {}  # the model itself may fix the sizes of what it has worked out
    if any(value.kind is Kind.SHAPE and may_vary(value) for value in values):
        return {} if all(map(is_whole, sides)) or never_equal(sides, source) else TIED
    sizes = [v for v in values if v.kind is Kind.SIZE and may_vary(v)]
    if (
        not sizes
        or any(map(has_fixed_name, sides))
        or any(v.is_tensor or v.kind is Kind.HOST for v in values)
    ):
        return {}
    if isinstance(operators[0], ORDER) and any(
        source.code(side).startswith("self.") and value.kind is not Kind.SIZE
        for side, value in zip(sides, values, strict=True)
    ):
        return {}  # `h < self.window`: a fallback for inputs smaller than the model was made for
    direct = all(is_read(side) for side in sides if source.value(side).kind is Kind.SIZE)
    if direct and (any(literal(s) == 0 or is_count(s) for s in sides) or asks_empty(node)):
        return {}  # no exporter lets a size be 0
    if any(is_batch(v) for v in values) and checks_layout(operators[0], sides, values):
        return {}
    equal = direct and isinstance(operators[0], EQUALITY)
    of_fixed = any(v.kind is Kind.SIZE and stands_last(v) for v in values)
    if equal and (of_fixed or counts_channels(sides, sizes) or any(map(is_of_table, sides))):
        return {}
    if direct and asks_single(node):
        return SINGLE
    return TIED if equal else GUARDED


def is_batch(value: Value) -> bool:
    """Whether a size is one of a first axis, and nothing else."""
    return value.kind is Kind.SIZE and {read.axis for read in value.reads} == {0}


def checks_layout(
    operator: cst.BaseCompOp, sides: list[cst.BaseExpression], values: list[Value]
) -> bool:
    """Two batch sizes that are alike at every size, and a guard for a single sample."""
    between = isinstance(operator, EQUALITY) and all(v.kind is Kind.SIZE for v in values)
    single = isinstance(operator, cst.LessThanEqual) and literal(sides[-1]) == 1
    return between or single


def is_remainder(side: cst.BaseExpression) -> bool:
    """`h % 8`."""
    return isinstance(side, cst.BinaryOperation) and isinstance(side.operator, cst.Modulo)


def is_whole(side: cst.BaseExpression) -> bool:
    """`x.shape` or `x.size()`; whether two are alike hardly ever changes."""
    func = side.func if isinstance(side, cst.Call) and not side.args else side
    return isinstance(func, cst.Attribute) and func.attr.value in ("shape", "size")


def stands_last(size: Value) -> bool:
    """Whether a size never varies, or is read from a last axis that nothing tells to vary."""
    return not may_vary(size) or any(r.axis == -1 and r.dynamic is None for r in size.reads)


def counts_channels(sides: list[cst.BaseExpression], sizes: list[Value]) -> bool:
    """`x.size(1) == 3`, of an axis that nothing tells to be a length."""
    reads = [read for size in sizes for read in size.reads]
    written = [number for side in sides if isinstance(number := literal(side), int)]
    return max(written, default=0) > 1 and all(r.axis == 1 and r.dynamic is None for r in reads)


def is_of_table(side: cst.BaseExpression) -> bool:
    """`spatial_shapes.shape[0]`, which is as many as there are levels."""
    match side:
        case cst.Subscript(value=cst.Attribute(value=cst.Name(value=name))):
            return bool(TABLES.search(name))
    return False


def asks_given(test: cst.BooleanOperation) -> bool:
    """`cache is not None and x.size(1) == 1`: without what may be left out, the size is not asked."""
    match test:
        case cst.BooleanOperation(
            operator=cst.And(),
            left=cst.Comparison(
                left=cst.Name(),
                comparisons=[
                    cst.ComparisonTarget(operator=cst.IsNot(), comparator=cst.Name(value="None"))
                ],
            ),
        ):
            return True
        case cst.BooleanOperation(operator=cst.And(), left=cst.BooleanOperation() as left):
            return asks_given(left)
    return False


def is_switch(node: cst.BaseExpression) -> bool:
    """`self.dynamic` of `self.dynamic or shape != x.shape`, which a model is exported with."""
    return isinstance(node, cst.Attribute) and node.attr.value == "dynamic"


def asks_empty(node: cst.Comparison) -> bool:
    """`h < 1` and `h >= 1`."""
    asked = node.comparisons[0]
    return literal(asked.comparator) == 1 and isinstance(
        asked.operator, (cst.LessThan, cst.GreaterThanEqual)
    )


def asks_single(node: cst.Comparison) -> bool:
    """`b == 1`, `b > 1` and `b < 2`, which are the same of every size above 1."""
    asked = node.comparisons[0]
    apart = isinstance(asked.operator, (cst.LessThan, cst.GreaterThanEqual))
    return len(node.comparisons) == 1 and literal(asked.comparator) == (2 if apart else 1)


def never_equal(sides: list[cst.BaseExpression], source: Source) -> bool:
    """`x.shape[2:] != [8, 8]`: a tuple is no list."""
    return len({is_list(side, source) for side in sides} - {None}) == 2


def is_list(side: cst.BaseExpression, source: Source) -> bool | None:
    """Whether an expression is a list; None where it may also be a tuple."""
    if isinstance(side, cst.List):
        return True
    if isinstance(side, cst.Call) and source.name(side.func) in ("list", "tuple"):
        return source.name(side.func) == "list"
    if isinstance(side, cst.Name):
        bound = [b.node for b in source.bound(side)]
        noted = [b.annotation for b in bound if isinstance(b, cst.Param) and b.annotation]
        texts = [source.code(n.annotation) for n in noted]
        return True if texts and all(t.startswith(("List[", "list[")) for t in texts) else None
    return False if source.value(side).kind is Kind.SHAPE else None


def is_count(side: cst.BaseExpression) -> bool:
    """`x.numel()`, which is asked to tell a scalar from a tensor, or nothing from something."""
    func = side.func if isinstance(side, cst.Call) else None
    return isinstance(func, cst.Attribute) and func.attr.value in ("numel", "nelement")


ASKED = (SizeCompared, SizeUse.TRUTH)


@rule.trace(*ASKED)
def in_trace(event: SizeCompared | SizeRead, trace: Trace) -> Iterator[Hit | Refuted]:
    same = f"`{shown(event)}` compares the same numbers at every size tried"
    yield from clear_fixed_line(event, trace, same)
    for key, other in list(find_changes(event, trace).items())[:1]:
        said = f"`{shown(event)}` is {event.value}, `{shown(other)}` is {other.value}"
        sizes = name_sizes(find_changes(event, trace))
        yield Hit(event.site, f"{said} when {key} changes", harm=GUARDED, sizes=sizes)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*ASKED):
        if hit := blame_event(outcome, event, trial, GUARDED):
            yield hit


@rule.trial("wrong", "ok")
def in_limited_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What the export takes for given because a branch asked, however far off the sizes that were tried."""
    yield from report_limits(outcome, (e.site for e in trial.trace.find_events(*ASKED)))


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    yield from clear_lines(outcome, trial.trace.find_events(*ASKED), trial)


def shown(event: SizeCompared | SizeRead) -> str:
    """`48 > 32`, `bool(48)`."""
    if isinstance(event, SizeRead):
        return f"bool({event.operand})"
    return f"{event.left} {event.operator} {event.right}"
