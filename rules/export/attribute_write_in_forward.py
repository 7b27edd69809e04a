"""LT110: a module that remembers: what one forward writes to `self` the next one computes with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.profile import WRITES_ONNX
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, ItemSet, Occurrence
from lintorch.evaluator.values import NONE, Constant, Items, Number, Slice, Tensor, Value
from lintorch.evidence import KeptWrite, ModuleWrite, Outcome, ResetWrite, Trace, Trial
from lintorch.evidence.host_reads import is_whole_run
from lintorch.evidence.size_changes import describe_outcome
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.exporting.cache_edits import fill_each_time
from lintorch.facts.models.attribute_history import Rewrite
from lintorch.facts.models.value_ways import is_one, list_operands
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT110",
    summary="a value kept on self from one forward to the next",
    why="""
        A graph has no attributes. A counter that forward raises and computes with stays at the
        example's value under every exporter that traces, and nothing says so. A tensor kept in a
        plain attribute does too; torch.export and the new ONNX exporter at least warn that it
        was assigned. A buffer that forward changes is carried by torch.export, but starts afresh
        at each call of an ONNX model, without a word; the legacy exporter and jit.trace are wrong
        too. jit.script keeps all of them. Attributes that are written anew in each forward, or
        that nothing computes with, are not meant. Measured on torch 2.13.

        A cache (`if self.grid is None: self.grid = ...`) takes its own branch out of what is
        exported after a run: the graph holds the grid of that run's sizes, under every exporter
        but jit.script. A trial of a model that keeps what a later run reads exports it once more
        after a run.

        Take the state as an input and give the new one back as an output. Where a run or a trial
        shows that a cache is kept, the fix fills it at each call: then no size of an earlier call
        is left in it, and exports follow.
    """,
    bad="""
        import torch
        from torch import nn


        class Sum(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = 0

            def forward(self, x):
                self.calls += 1
                return x * self.calls
    """,
    good="""
        import torch
        from torch import nn


        class Sum(nn.Module):
            def forward(self, x, calls=torch.tensor(0)):
                calls = calls + 1
                return x * calls, calls
    """,
    remedy="take it as an argument of forward and return the new value",
    proof="""
        x = torch.ones(2)
        calls = (torch.tensor(1),) if Sum.forward.__defaults__ else ()
        program = torch.export.export(Sum(), (x, *calls)).module()
        program(x, *calls)
        again = program(x, *(c + 1 for c in calls))
        assert torch.equal(again[0] if calls else again, 3 * x if calls else 2 * x)
    """,
)

_TRACERS = ("onnx-legacy", "torchscript-trace")
NUMBER = dict.fromkeys(("torch.export", "onnx", *_TRACERS), Harm.SILENT)
TENSOR = {**NUMBER, "torch.export": Harm.WARNED, "onnx": Harm.WARNED}
BUFFER = dict.fromkeys(("onnx", *_TRACERS), Harm.SILENT)
PART = dict.fromkeys(WRITES_ONNX, Harm.SILENT)
"""A part of a buffer: jit.trace carries it."""
INPLACE = ("add_", "sub_", "mul_", "div_", "lerp_")
RESETS = (".zero_", ".fill_", ".copy_")


@rule.event(AttributeSet)
def in_model(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.calls += 1`, `self.state = self.state + x`, wherever that is written."""
    kept = source.evaluation.rewrites.get(id(event)) or find_buffer(event, source)
    if kept is None or not event.way.forward or not is_worked_out(event, kept, source):
        return
    harm = weigh_kept(kept)
    if harm and is_computed_with(event, kept, source):
        written = source.evaluation.text(event.spot)
        name = written if written.endswith(f".{event.attribute}") else f"self.{event.attribute}"
        yield Hit(event, f"{name} is kept from one forward to the next", harm=harm, cause="kept")


def find_buffer(event: AttributeSet, source: Source) -> Rewrite | None:
    """The buffer of that name, which registering it has made an attribute."""
    made = source.evaluation.ways.find_maker(event.value)
    for each in list_operands(made) if made is not None else ():
        if isinstance(each, Tensor) and (each.origin, each.name) == ("buffer", event.attribute):
            return Rewrite((each,), each)
    return None


def is_worked_out(event: AttributeSet, kept: Rewrite, source: Source) -> bool:
    """Whether an operation made the new value of the old; `self.x.to(y.device)` changes nothing."""
    made = source.evaluation.ways.find_maker(event.value)
    if isinstance(made, Called) and made.name.startswith("torch.Tensor."):
        return False
    return made is not None and any(is_one(each, kept.before) for each in list_operands(made))


def weigh_kept(kept: Rewrite) -> dict[str, Harm]:
    """What exporters make of it, by what the attribute was before."""
    if all(isinstance(each, Tensor) and each.origin == "buffer" for each in kept.initial):
        return BUFFER
    if all(isinstance(each, Constant) and is_plain_number(each.value) for each in kept.initial):
        return NUMBER
    tensors = all(isinstance(each, Tensor) or each == NONE for each in kept.initial)
    return TENSOR if tensors else {}


def is_plain_number(value: object) -> bool:
    return isinstance(value, (int, float))


def is_computed_with(event: AttributeSet, kept: Rewrite, source: Source) -> bool:
    """Whether a tensor is worked out of the old value or the new one, other than the new one itself."""
    ways = source.evaluation.ways
    made = ways.find_maker(event.value)
    users = [*ways.find_users(event.value), *ways.find_users(kept.before)]
    return any(each is not made and isinstance(each.result, Tensor) for each in users)


@rule.source(cst.If, needs=("is None", "!="))
def in_cache(node: cst.If, source: Source) -> Iterator[Hit]:
    """`if self.grid is None: self.grid = ...`, which a run or a trial may show to be kept."""
    fix = fill_each_time(node, source) if source.in_traced_forward(node) else None
    for line in node.body.body if fix is not None else ():
        yield Hit(line, "kept from one forward to the next", fix, confirms=True)


@rule.event(ItemSet)
def in_part(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`self.keys[:, i] = k` of a buffer."""
    held = event.held
    if not is_buffer(held) or not is_sure(event) or not is_elsewhere(event.index):
        return
    if is_read_on(held, None, source):
        yield Hit(event, describe_kept(held), harm=PART)


@rule.event(*(f"torch.Tensor.{name}" for name in INPLACE))
def in_method(event: Called, source: Source) -> Iterator[Hit]:
    """`self.total.add_(x)` of a buffer."""
    held = event.positional[0] if event.positional else None
    if is_buffer(held) and is_sure(event) and is_read_on(held, event, source):
        yield Hit(event, describe_kept(held), harm=BUFFER)


def describe_kept(held: Tensor) -> str:
    return f"self.{held.name} is kept from one forward to the next"


def is_sure(event: Occurrence) -> bool:
    """Whether each forward does so: no branch that only training takes lies before it."""
    return event.way.forward and event.way.certain


def is_buffer(value: Value | None) -> TypeGuard[Tensor]:
    return isinstance(value, Tensor) and value.origin == "buffer"


def is_read_on(held: Tensor, write: Called | None, source: Source) -> bool:
    """Whether a tensor is worked out of a buffer that nothing sets anew."""
    users = [each for each in source.evaluation.ways.find_users(held) if each is not write]
    named = [each.name for each in users if isinstance(each, Called)]
    reset = any(name.endswith(RESETS) for name in named)
    changing = tuple(f".{name}" for name in INPLACE)
    reads = (
        each
        for each in users
        if isinstance(each.result, Tensor)
        and not (isinstance(each, Called) and each.name.endswith(changing))
    )
    return not reset and any(each.way.forward for each in reads)


def is_elsewhere(index: Value) -> bool:
    """`x[:, i]`, `x[start:end]`: other places at other calls; not `x[:]`, `x[0]`."""
    if isinstance(index, Items):
        return any(map(is_elsewhere, index.items or ()))
    if isinstance(index, Slice):
        return any(map(is_elsewhere, (index.start, index.stop, index.step)))
    return isinstance(index, (Number, Tensor))


@rule.trace(KeptWrite)
def in_trace(event: KeptWrite, trace: Trace) -> Iterator[Hit]:
    name, then, now = event.attribute, event.then, event.now
    finds = f"another self.{name}" if then == now else f"self.{name} as {now}, not {then}"
    message = f"the next call with the same input finds {finds}: {event.change}"
    kinds = {"number": NUMBER, "tensor": TENSOR, "buffer": BUFFER}
    harm = PART if event.operator == "__setitem__" else kinds[event.kind]
    yield Hit(event, message, harm=harm)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Where what a run leaves, a cache say, takes a branch out of what is exported after it."""
    for write in trial.trace.find_events(ModuleWrite) if outcome.kept else ():
        if (
            not write.same
            and ".".join(filter(None, (write.layer, write.attribute))) in outcome.kept
        ):
            if outcome.status == "failed":
                yield report_refusal(write, outcome, outcome.message)
            else:
                message = describe_outcome(outcome, silently=True)
                yield Hit(write, message, severity=Severity.ERROR)


@rule.trace(ResetWrite)
def in_run(event: ResetWrite, trace: Trace) -> Iterator[Refuted]:
    """Where it is so of all that the line writes, in whichever module."""
    if all(map(is_whole_run, trace.runs)) and written(trace, event) <= reset(trace, event):
        yield Refuted(event, f"each call writes self.{event.attribute} anew before it reads it")


def written(trace: Trace, event: ResetWrite) -> set[tuple[str, str]]:
    """Modules and attributes that the line of an event writes."""
    writes = (e for run in trace.runs for e in run.events if isinstance(e, ModuleWrite))
    return {(e.layer, e.attribute) for e in writes if e.site == event.site}


def reset(trace: Trace, event: ResetWrite) -> set[tuple[str, str]]:
    """Those of them that each call writes before it reads them."""
    found = (e for e in trace.find_events(ResetWrite) if e.site == event.site)
    return {(e.layer, e.attribute) for e in found}
