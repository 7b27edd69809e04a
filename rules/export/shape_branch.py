"""LT104: a branch on a size that varies: one side is baked, or the size is tied to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Combined, Decided, Repeated
from lintorch.evaluator.sizes import Dim, is_counted, is_symbol, list_symbols
from lintorch.evaluator.values import Choice, Items, Number, Question, Unknown, Value, size_in
from lintorch.evidence import Outcome, SizeCompared, SizeRead, SizeUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes, report_limits
from lintorch.facts.models.branch_flags import find_setting_branch
from lintorch.facts.models.branch_purpose import (
    is_of_export_or_half,
    only_checks_in,
    only_raises,
    only_relays,
)
from lintorch.facts.models.branch_span import find_branch_span, find_lines, find_span
from lintorch.facts.models.chosen_by_settings import is_by_settings
from lintorch.facts.models.chosen_sides import find_sized
from lintorch.facts.models.early_returns import find_early_return
from lintorch.facts.models.idle_branches import (
    asks_remainder,
    find_question,
    find_resize,
    find_work,
)
from lintorch.facts.models.loops_around import uses_layers
from lintorch.facts.models.remainder_pads import write_remainder
from lintorch.source import Source
from lintorch.syntax.unwrap_branch import unwrap_branch

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
        The fix does so, or computes both sides, where they do the same to each item of one
        tensor, and chooses: `torch.where(torch.tensor(h > 64), x * 2, x)`.
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
                x = F.pad(x, [0, 0, 0, -x.shape[2] % 8])
                return x
    """,
    remedy="do the same at every size (a pad or resize by nothing is free), or keep that size fixed",
    proof="""
        from torch.export import Dim, export

        sizes = ({2: Dim.DYNAMIC},)
        program = export(Padded(), (torch.ones(1, 3, 12, 8),), dynamic_shapes=sizes)
        program.module()(torch.ones(1, 3, 16, 8))
    """,
    fix=Applicability.UNSAFE,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
GUARDED = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **TRACED}
TIED = {"torch.export": Harm.REFUSED, "onnx": Harm.AUTO, **TRACED}
SINGLE = {"torch.export": Harm.SILENT, "onnx": Harm.SILENT, **TRACED}
"""Of a size that is asked whether it is 1, and is more in the example."""
UNTRACED = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT}
"""Of `(h / 8).is_integer()`, which tracers refuse: number-method tells that."""
TURNS = "work on all turns at once (x.unfold(dim, size, step) for windows), or keep that size fixed"
READ_OF_SELF = re.compile(r"\bself\.(\w+)")
NAMES_AND_AXES = re.compile(r"\b(?!self\b)[A-Za-z_]\w*|(?<=[\[(])-?\d+(?=[\])])")
ORDER = re.compile(r"[<>]=?|[!=]=")
SET_OF_SELF = re.compile(r"^\s*self\.(\w+)(?:\[[^]]*\])?(?:\s*:[^=]*)?\s*=(?!=)", re.MULTILINE)


@rule.event(Decided)
def in_model(event: Decided, source: Source) -> Iterator[Hit]:
    if not event.way.forward or not source.profile.dynamic or is_harmless(event):
        return
    if any(map(only_raises, list_blocks(source.evaluation.list_around(event), event.node))):
        return
    asked = list_asked(event.test)
    if isinstance(event.test, Number) and is_counted(event.test.size or 1):
        return
    if event.answer is None and asked is not None:
        if event.kind != "while" and is_fallback(event.node, asked) and not cuts(event):
            return
        if is_by_settings(event, asked, source.evaluation.list_after(event)):
            return
        if any(may_cancel(each.left, source) for each in asked) or asks_flag(event, source):
            return
        if asks_counter(event, source):
            return
        harm = max((weigh_question(each) for each in asked), key=rank_harm, default=GUARDED)
        if harm:
            said, fix = tell_decided(event, source), write_without(event, source)
            remedy = TURNS if event.kind == "while" else None
            yield Hit(event, said, fix=fix, harm=harm, cause=name_cause(event.node), remedy=remedy)
    elif event.answer is None and may_ask_sizes(event.test) and (fix := do_always(event, source)):
        said = tell_decided(event, source)
        yield Hit(event, said, fix=fix, harm=GUARDED, confirms=True)


def tell_decided(event: Decided, source: Source) -> str:
    return f"`{source.evaluation.text(event.spot)}` is decided by the example input"


def write_without(event: Decided, source: Source) -> Fix | None:
    """The first way to do without a branch that is as good as the branch."""
    fix = do_always(event, source) or choose_by_where(event, source)
    return fix or reckon_pad(event, source) or resize_always(event, source)


def do_always(event: Decided, source: Source) -> Fix | None:
    """What a branch does, at every size."""
    return drop_branch(event, source) or drop_return(event, source)


def may_ask_sizes(test: Value) -> bool:
    """Whether it may be asked of sizes, of which only a run knows whether they vary."""
    numbers = (Unknown, Number)
    return all(isinstance(e, numbers) and not getattr(e, "data", False) for e in list_answers(test))


def asks_flag(event: Decided, source: Source) -> bool:
    """`if odd:` of what an `if` above has set by sizes, of which that is told."""
    function = source.evaluation.find_function(event)
    names = {each.id for each in ast.walk(event.node) if isinstance(each, ast.Name)}
    setting = None
    if function is not None and len(names) == 1:
        setting = find_setting_branch(function, names.pop(), event.spot.row)
    decided = (each for _, each in source.evaluation.list_events({Decided}))
    return setting is not None and any(
        isinstance(each, Decided) and each.branch is setting and list_asked(each.test) is not None
        for each in decided
    )


def may_cancel(value: Value, source: Source) -> bool:
    """Whether it is a difference of sizes that is not worked out: `out.shape[2] - (x.shape[2] - 1) * self.stride`."""
    made = source.evaluation.ways.find_maker(value)
    if size_in(value) is not None or not isinstance(made, Combined) or made.operator != "Sub":
        return False
    return all(isinstance(e, Number) and e.varies is not False for e in (made.left, made.right))


def list_asked(test: Value) -> tuple[Question, ...] | None:
    """What is asked of sizes that vary, where that is asked on each path; of data it may be on some."""
    answers = [*list_answers(test)]
    numbers = [each for each in answers if isinstance(each, Number) and (each.varies or each.data)]
    sizes = [each for each in numbers if not each.data]
    if len(numbers) < len(answers) or not sizes:
        return None
    return (*dict.fromkeys(question for each in sizes for question in each.asked),)


def list_answers(test: Value) -> Iterator[Value]:
    """What a test may be, whichever way led to it."""
    if isinstance(test, Choice):
        for each in test.alternatives:
            yield from list_answers(each)
    else:
        yield test


def list_counters(loop: ast.For) -> set[str]:
    """The number of a turn, and what is worked out of it: `place` of `place = steps - turn - 1`."""
    found = {loop.target.id} if isinstance(loop.target, ast.Name) else set()
    for line in loop.body:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp() as value):
                read = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
                found |= {name} if read & found else set()
    return found


def asks_counter(event: Decided, source: Source) -> bool:
    """`if t == steps - 1:` in a loop over `range(steps)`, of which it is told that it is unrolled."""
    names = {each.id for each in ast.walk(event.node) if isinstance(each, ast.Name)}
    around = [e for e in source.evaluation.list_around(event) if isinstance(e, ast.For)]
    loops = [e for e in around if names & list_counters(e)]
    return any(
        isinstance(each, Repeated) and each.loop in loops and _is_unrolled(each)
        for _, each in (source.evaluation.list_events({Repeated}) if loops else ())
    )


def _is_unrolled(event: Repeated) -> bool:
    length = event.over.length if isinstance(event.over, Items) else None
    return length is not None and bool(length.varies) and not uses_layers(event.loop)


def name_cause(test: ast.AST) -> str:
    """The same for what asks the same of height and width, or whether they are more or less: names and axes count for nothing, numbers do."""
    return "size " + ORDER.sub("~", NAMES_AND_AXES.sub("_", ast.unparse(test)))


def drop_branch(event: Decided, source: Source) -> Fix | None:
    """The work of a branch at every size, where it does nothing at those that did not take it."""
    function, branch = source.evaluation.find_function(event), event.branch
    if function is None or event.spot.path != source.path or not isinstance(branch, ast.If):
        return None
    work, spelled = find_work(branch, function)
    edit = unwrap_branch(source.spans, branch, work) if work else None
    if edit is None:
        return None
    content = edit.content
    for written, instead in spelled.items():
        content = content.replace(written, instead)
    if any(instead not in content for instead in spelled.values()):
        return None
    told, edit = "do the same at every size", replace(edit, content=content)
    if isinstance(branch.test, ast.Name) and asks_remainder(branch, function):
        question = find_question(branch, function)
        edit = drop_line_above(edit, question, source) if question else None
    return Fix(told, (edit,), Applicability.UNSAFE) if edit is not None else None


def drop_line_above(edit: Edit, above: ast.Assign, source: Source) -> Edit | None:
    """The edit, with the line above it gone; None where a comment or another statement stands in that."""
    start = source.spans.offset(above.lineno, 1)
    line = source.text[start : edit.start]
    alone = line[: above.col_offset].strip() == "" and "#" not in line and ";" not in line
    return replace(edit, start=start) if alone else None


def drop_return(event: Decided, source: Source) -> Fix | None:
    """`return F.pad(x, (0, -n % k))` without an `if n % k == 0: return x` above it."""
    function, branch = source.evaluation.find_function(event), event.branch
    if function is None or event.spot.path != source.path or not isinstance(branch, ast.If):
        return None
    early = find_early_return(branch, function)
    if early is None:
        return None
    spans = [find_lines(each, source.text, source.spans) for each in early.left_out]
    edits = [Edit(*span, "") for span in spans if span is not None]
    for node, written in early.spelled:
        edits.append(Edit(*find_span(node, source.text, source.spans), written))
    whole = len(edits) == len(spans) + len(early.spelled)
    return Fix("pad at every size", tuple(edits), Applicability.UNSAFE) if whole else None


def choose_by_where(event: Decided, source: Source) -> Fix | None:
    """`x = torch.where(torch.tensor(x.shape[2] > 64), x * 2, x)` for a branch that chooses between the two."""
    function, branch = source.evaluation.find_function(event), event.branch
    if function is None or event.spot.path != source.path:
        return None
    if not isinstance(branch, (ast.If, ast.IfExp)) or event.node is not branch.test:
        return None
    chosen = find_sized(branch, source.evaluation.list_following(event), function)
    place = source.node_at(event, cst.Comparison)
    if chosen is None or place is None:
        return None
    span = find_branch_span(branch, chosen.last, source.text, source.spans)
    where, first = source.reach("torch.where", place)
    tensor, second = source.reach("torch.tensor", place)
    if span is None or not where or not tensor:
        return None
    sides = f"{ast.unparse(chosen.yes)}, {ast.unparse(chosen.no)}"
    edit = Edit(*span, f"{chosen.head}{where}({tensor}({ast.unparse(chosen.test)}), {sides})")
    edits = (edit, *dict.fromkeys((*first, *second)))
    return Fix("compute both sides and choose", edits, Applicability.UNSAFE)


def reckon_pad(event: Decided, source: Source) -> Fix | None:
    """`-h % 8` for `8 - h % 8 if h % 8 != 0 else 0`."""
    function, branch = source.evaluation.find_function(event), event.branch
    if function is None or event.spot.path != source.path or not isinstance(branch, ast.IfExp):
        return None
    text = write_remainder(branch, function)
    node = next((n for n in source.nodes(cst.IfExp) if is_written(n, branch, source)), None)
    if text is None or node is None:
        return None
    edit = source.replace(node, source.fitted(text, node))
    return Fix(f"write {text}", (edit,), Applicability.UNSAFE)


def resize_always(event: Decided, source: Source) -> Fix | None:
    """`interpolate(x, size=(n, n))` for `interpolate(x, size=(n, n)) if h != n else x`."""
    branch = event.branch
    if event.spot.path != source.path or not isinstance(branch, ast.IfExp):
        return None
    side = find_resize(branch)
    node = next((n for n in source.nodes(cst.IfExp) if is_written(n, branch, source)), None)
    if not side or node is None or "#" in source.code(node):
        return None
    edit = source.replace(node, source.code(getattr(node, side)))
    return Fix("resize at every size", (edit,), Applicability.UNSAFE)


def is_written(node: cst.IfExp, branch: ast.IfExp, source: Source) -> bool:
    """Whether both are the same choice."""
    same = ast.unparse(ast.parse(source.code(node), mode="eval")) == ast.unparse(branch)
    return source.place(node).row == branch.lineno and same


def rank_harm(harm: dict[str, Harm]) -> int:
    return harm["onnx"] if harm else -1


def is_harmless(event: Decided) -> bool:
    """A check that only raises or warns, whether there is anything at all, or a choice of layout alone."""
    branch = event.branch
    if event.kind == "assert" or branch is None or asks_for_any(event.node):
        return True
    if is_of_export_or_half(event.node):
        return True
    if isinstance(branch, ast.If):
        if not branch.orelse and fills_table(branch.test, branch.body):
            return True
        if not branch.orelse and all(map(only_stretches, branch.body)):
            return True
        sides = (branch.body, branch.orelse)
        checks = all(only_checks_in(side, only_relays) for side in sides)
        return checks or refreshes(ast.unparse(branch.test), *map(ast.unparse, branch.body))
    return False


def fills_table(test: ast.AST, block: Sequence[ast.stmt]) -> bool:
    """`if key not in made: made[key] = make(key)`: what is taken out is the same on both sides."""
    match test, block:
        case (
            ast.Compare(left=key, ops=[ast.NotIn()], comparators=[ast.Name() as table]),
            [ast.Assign(targets=[ast.Subscript(value=filled, slice=place)])],
        ):
            return ast.dump(key) == ast.dump(place) and ast.unparse(filled) == table.id
    return False


def asks_for_any(test: ast.AST) -> bool:
    """`x.numel() > 0`, `x.shape[0] == 0`: no exporter is given an example without a sample."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=asked):
            return asks_for_any(asked)
        case ast.Compare(left=counted, ops=[_], comparators=[ast.Constant(value=0)]):
            return counts_samples(counted)
        case ast.Compare(
            left=counted, ops=[ast.Lt() | ast.GtE()], comparators=[ast.Constant(value=1)]
        ):
            return counts_samples(counted)
    return counts_samples(test)


def counts_samples(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="numel" | "nelement"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(attr="size")), slice=ast.Constant(value=0)
        ):
            return True
    return False


def only_stretches(line: ast.stmt) -> bool:
    """`x = x.expand(n, -1)`: what works on it would stretch it as well."""
    match line:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=held), attr="expand" | "expand_as")
            ),
        ):
            return name == held
    return False


def is_fallback(test: ast.AST, asked: tuple[Question, ...]) -> bool:
    """`if self.window >= h`: what a model does with inputs that are smaller than it was made for.

    A number that is written there, as in `h > 512`, is a limit of inputs that are meant to be used.
    """
    compared = [each for each in ast.walk(test) if isinstance(each, ast.Compare)]
    sides = [side for each in compared for side in (each.left, *each.comparators)]
    written = any(isinstance(side, ast.Constant) for side in sides)
    return bool(compared and asked) and not written and all(map(is_threshold, asked))


def cuts(event: Decided) -> bool:
    """`if n < self.most: table = table[:n]`: an example as long as the table leaves all of it, for good."""
    asked = {each.id for each in ast.walk(event.node) if isinstance(each, ast.Name)}
    lines = event.branch.body if isinstance(event.branch, ast.If) else ()
    ends = (e.upper for line in lines for e in ast.walk(line) if isinstance(e, ast.Slice))
    return any(isinstance(each, ast.Name) and each.id in asked for each in ends)


def is_threshold(asked: Question) -> bool:
    """Whether a length is held against a number that the model was made with; how many places there are is none."""
    sides = [size_in(each) for each in (asked.left, asked.right)]
    if any(size is not None and counts_places(size) for size in sides):
        return False  # `if h * w > self.most: scores = scores.topk(self.most)`: both happen
    varying = [isinstance(each, Number) and each.varies for each in (asked.left, asked.right)]
    return asked.operator in ("<", "<=", ">", ">=") and sorted(map(bool, varying)) == [False, True]


def counts_places(size: Dim) -> bool:
    """Whether it is worked out from two lengths that vary, as height times width is."""
    return len({each for each in list_symbols(size) if each.varies}) > 1


def refreshes(test: str, *block: str) -> bool:
    """`if self.grid.shape != x.shape: self.grid = ...`: a model that is new takes the branch, whatever the size."""
    asked = set(READ_OF_SELF.findall(test))
    return bool(asked) and not asked.isdisjoint(SET_OF_SELF.findall("\n".join(block)))


def list_blocks(around: Iterable[ast.AST], node: ast.AST) -> Iterator[list[ast.stmt]]:
    """The sides of the `if`s around a node on which it stands."""
    inner = node
    for each in around:
        if isinstance(each, ast.If) and inner is not each.test:
            yield each.body if inner in each.body else each.orelse
        inner = each


def weigh_question(asked: Question) -> dict[str, Harm]:
    """What happens for which exporter where sizes are compared so."""
    if asked.operator == "is_integer":
        return UNTRACED
    sides = size_in(asked.left), size_in(asked.right)
    direct = all(size is None or is_symbol(size) or isinstance(size, int) for size in sides)
    if direct and asks_for_none(asked, sides):
        return {}
    if direct and asks_for_single(asked, sides):
        return SINGLE
    return TIED if direct and asked.operator in ("==", "!=") else GUARDED


def asks_for_none(asked: Question, sides: tuple[Dim | None, Dim | None]) -> bool:
    """`h == 0`, `h < 1`: no exporter is given an example without elements."""
    written = next((size for size in sides if isinstance(size, int)), None)
    return any(map(is_symbol, sides)) and written == (1 if asked.operator in ("<", ">=") else 0)


def asks_for_single(asked: Question, sides: tuple[Dim | None, Dim | None]) -> bool:
    written = next((size for size in sides if isinstance(size, int)), None)
    return written == (2 if asked.operator in ("<", ">=") else 1)


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
