"""LT105: a Python loop over a tensor or over range(size), unrolled as often as the example has it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst
import libcst.matchers as m

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Repeated
from lintorch.evaluator.sizes import is_counted, is_symbol, varies
from lintorch.evaluator.values import Items, Tensor, Value
from lintorch.evidence import EventKey, Outcome, SizeLooped, TensorRead, TensorUse, Trace, Trial
from lintorch.evidence.size_changes import blame_event, clear_fixed_line, clear_lines, find_changes
from lintorch.evidence.treatment import name_sizes
from lintorch.facts.models.loops_around import uses_layers
from lintorch.facts.models.loops_at_once import compute_at_once
from lintorch.facts.models.scanned_loops import scan_steps_of
from lintorch.facts.models.step_loops import carries_state
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT105",
    summary="a Python loop over a tensor or over a size",
    why="""
        A tracer unrolls a loop: the exported model does as many iterations as the example input
        needed. Over `range(x.size(0))` the legacy exporter and jit.trace do so without a warning
        and are wrong at any other size; over the rows of a tensor the exported model raises
        there. `torch.export` refuses, and so does the new ONNX exporter unless sizes are left to
        `Dim.AUTO`. A loop over a size that never varies is harmless. Measured on torch 2.13.

        Write the loop as one tensor operation (broadcasting, `torch.vmap`, a batched matmul).
        Where each step needs what the one before it gave, the fix writes a `scan` above the loop,
        which is new in torch and may change: torch.export and the new ONNX exporter run that, at
        every length, and all else the loop. For the tracers, a function under
        `torch.jit.script_if_tracing` keeps a loop of operators alone.
    """,
    bad="""
        import torch
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return torch.stack([x[i] * 2 for i in range(x.size(0))])
    """,
    good="""
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x * 2
    """,
    remedy="compute on the whole axis at once (broadcasting, matmul, cumsum), or keep that size fixed",
    proof="""
        from torch.export import Dim, export

        export(Scale(), (torch.ones(2, 3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    """,
    fix=Applicability.UNSAFE,
)

COUNTED = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.AUTO,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
CHOSEN = {**COUNTED, "onnx": Harm.REFUSED}
COUNTED_WORKED_OUT = {**COUNTED, "onnx": Harm.SILENT}
ROWS = {**COUNTED, "onnx-legacy": Harm.FAILS, "torchscript-trace": Harm.FAILS}
ROWS_CHOSEN = {**ROWS, "onnx": Harm.REFUSED}
OF_WHOLE = ("torch.tensor", "torch.as_tensor", "torch.LongTensor")
"""What makes a tensor of int64 of whole numbers."""
MAKERS = (
    *OF_WHOLE, "torch.IntTensor", "torch.FloatTensor", "torch.Tensor", "torch.Tensor.new",
    "torch.Tensor.new_tensor", "numpy.array", "numpy.asarray",
)  # fmt: skip
ARANGE = "write torch.arange(n)"
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {SizeLooped: COUNTED, TensorUse.ITERATION: ROWS}


@rule.event(Repeated)
def in_model(event: Repeated, source: Source) -> Iterator[Hit]:
    """range(h), zip and enumerate of it, and the rows of a tensor whose number varies."""
    if not event.way.forward or not source.profile.dynamic or uses_layers(event.loop):
        return
    if fills_cache(event, source) or counts_channels(event):
        return
    remedy = name_remedy(event, source) if event.loop is not None else ARANGE
    over, text = event.over, source.evaluation.text(event.spot)
    if isinstance(over, Items) and over.items is None and over.length is not None:
        if over.length.varies and not over.length.data:
            fix, length = write_fix(event, source), over.length.size
            chosen = length is not None and is_counted(length)
            harm = COUNTED if is_symbol(length) else CHOSEN if chosen else COUNTED_WORKED_OUT
            who = "data decide" if chosen else "the example's sizes say"
            said = f"`{text}` has as many iterations as {who}"
            yield Hit(
                event,
                said,
                fix=fix,
                harm=harm,
                remedy=remedy,
                cause=name_nest(event, f"as many as {length}", source),
            )
            return
    elif isinstance(over, Tensor) and has_open_rows(over):
        first = over.rows if over.shape is None else over.shape[0]
        chosen = first is not None and is_counted(first)
        said = f"one iteration for each row that {text} has in the example"
        said = f"one iteration for each row of {text}, as many as data decide" if chosen else said
        fix, harm = write_fix(event, source), ROWS_CHOSEN if chosen else ROWS
        cause = name_outermost(event, source)
        yield Hit(event, said, fix, harm, remedy=remedy, cause=cause)
        return
    if fix := write_fix(event, source):
        yield Hit(event, "a loop over what may vary", fix=fix, confirms=True)


@rule.event(*MAKERS)
def in_maker(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.LongTensor(range(n))`."""
    over = next((each for each in event.positional if isinstance(each, Items)), None)
    if over is None or not is_open(over) or not event.way.forward or not source.profile.dynamic:
        return
    text = source.evaluation.text(event.spot)
    said = f"`{text}` has as many numbers as the example's sizes say"
    yield Hit(event, said, by_arange(event, source), harm=COUNTED, remedy=ARANGE)


def by_arange(event: Called, source: Source) -> Fix | None:
    """`torch.arange(n)` for `torch.LongTensor(range(n))`."""
    call = source.call_at(event)
    inner = call.args[0].value if call is not None and len(call.args) == 1 else None
    if call is None or not isinstance(inner, cst.Call) or event.name not in OF_WHOLE:
        return None
    arange, imports = source.reach("torch.arange", call)
    if not arange or not m.matches(inner.func, m.Name("range")) or "#" in source.code(call):
        return None
    written = f"{arange}({', '.join(source.code(each.value) for each in inner.args)})"
    return Fix(f"write {written}", (source.replace(call, written), *imports), Applicability.UNSAFE)


def write_fix(event: Repeated, source: Source) -> Fix | None:
    """All of it at once, or, where each step needs the one before, a scan for torch.export."""
    used = source.profile.exporters
    scans = used & {"torch.export", "onnx"} and source.profile.torch >= (2, 7)
    scans = scans and "torchscript-script" not in used and not is_within_open(event, source)
    return compute_at_once(event, source) or (scan_steps_of(event, source) if scans else None)


def is_within_open(event: Repeated, source: Source) -> bool:
    """Whether a loop around it has as many turns as the sizes say, too: a scan of the inner one mends no export."""
    around = [each for each in source.evaluation.list_around(event) if each is not event.loop]
    others = (each for _, each in source.evaluation.list_events({Repeated}))
    return any(
        isinstance(each, Repeated)
        and any(each.loop is outer for outer in around)
        and is_open(each.over)
        for each in others
    )


def is_open(over: Value) -> bool:
    """Whether there may be any number of steps or rows in what a loop goes over."""
    if isinstance(over, Items):
        length = over.length if over.items is None else None
        return length is not None and length.varies is True and not length.data
    return isinstance(over, Tensor) and has_open_rows(over)


SCRIPTED = "put the loop into a function of its own, with @torch.jit.script_if_tracing above it"


def name_remedy(event: Repeated, source: Source) -> str | None:
    """Of operators alone whose steps need the one before, where only tracers run it: they keep a scripted loop."""
    loop, others = event.loop, source.profile.exporters & {"torch.export", "onnx"}
    around = source.evaluation.list_around(event)
    tests = [ast.unparse(each.test) for each in around if isinstance(each, ast.If)]
    traced = not others or any("is_exporting()" in test for test in tests)
    inside = ast.walk(loop) if loop is not None else ()
    calls_layer = any(isinstance(n, ast.Name) and n.id == "self" for n in inside)
    return SCRIPTED if traced and not calls_layer and carries_state(loop) else None


def fills_cache(event: Repeated, source: Source) -> bool:
    """`if self.mask is None:` around it, which sets that: of what is kept for one size another rule tells."""
    return any(
        isinstance(each, ast.If)
        and (name := FIRST_TIME.fullmatch(ast.unparse(each.test))) is not None
        and any(ast.unparse(line).startswith(f"{name[1]} = ") for line in each.body)
        for each in source.evaluation.list_around(event)
    )


FIRST_TIME = re.compile(r"(self\.\w+) is None")


def counts_channels(event: Repeated) -> bool:
    """`for channel in range(x.size(-1)):`, of which there are as many at all sizes."""
    target = event.loop.target if isinstance(event.loop, ast.For) else None
    return isinstance(target, ast.Name) and bool(CHANNEL.fullmatch(target.id))


CHANNEL = re.compile(r"(in_|out_)?(channel|chan|ch|feat|feature)(_?(i|id|idx|index|num))?")


def name_nest(event: Repeated, alone: str, source: Source) -> str:
    """The same for `for y in range(h):` and the `for x in range(w):` that is all of its body."""
    inner = event.loop
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.For) and outer is not inner:
            if outer.body != [inner] or "range(" not in ast.unparse(outer.iter):
                break
            inner = outer
    return (
        f"nest of line {getattr(inner, 'lineno', 0)}"
        if isinstance(inner, ast.For) and (inner is not event.loop or holds_loop(inner))
        else alone
    )


def holds_loop(loop: ast.For) -> bool:
    """Whether all that it does is to loop on."""
    return len(loop.body) == 1 and isinstance(loop.body[0], ast.For)


def name_outermost(event: Repeated, source: Source) -> str:
    """The same for loops over rows that stand within each other."""
    around = source.evaluation.list_around(event)
    loops = [each.lineno for each in around if isinstance(each, (ast.For, ast.AsyncFor))]
    return f"rows of line {min(loops)}" if loops else ""


def has_open_rows(over: Tensor) -> bool:
    """Whether the first axis surely varies, or is that of an input, in what is worked out of it."""
    if over.shape is None:
        return over.rows is not None or (over.sure and bool(over.ranked_as) and over.data is True)
    return over.sure and bool(over.shape) and varies(over.shape[0]) is True


@rule.trace(*TRACE_HARM)
def in_trace(event: SizeLooped | TensorRead, trace: Trace) -> Iterator[Hit | Refuted]:
    yield from clear_fixed_line(event, trace, f"{event.value} iterations at every size tried")
    for key, other in list(find_changes(event, trace).items())[:1]:
        said = f"{event.value} iterations, and {other.value} when {key} changes"
        sizes = name_sizes(find_changes(event, trace))
        yield Hit(event.site, said, harm=TRACE_HARM[event.key], sizes=sizes)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    for event in trial.trace.find_events(*TRACE_HARM):
        if hit := blame_event(outcome, event, trial, TRACE_HARM[event.key]):
            yield hit


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    yield from clear_lines(outcome, trial.trace.find_events(*TRACE_HARM), trial)
