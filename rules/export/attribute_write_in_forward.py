"""LT110: a module that remembers: what one forward writes to `self` the next one computes with."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Harm, Hit, Refuted, Severity
from lintorch.core.profile import WRITES_ONNX
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called
from lintorch.evaluator.values import NONE, Constant, Tensor
from lintorch.evidence import KeptWrite, ModuleWrite, Outcome, ResetWrite, Trace, Trial
from lintorch.evidence.host_reads import is_whole_run
from lintorch.evidence.size_changes import describe_outcome
from lintorch.evidence.treatment import report_refusal
from lintorch.facts.models.attribute_history import Rewrite
from lintorch.facts.models.value_ways import list_operands
from lintorch.source import Source, literal

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

        Take the state as an input and give the new one back as an output.
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
INPLACE = frozenset({"add_", "sub_", "mul_", "div_"})


@rule.event(AttributeSet)
def in_model(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`self.calls += 1`, `self.state = self.state + x`, wherever that is written."""
    kept = source.evaluation.rewrites.get(id(event)) or find_buffer(event, source)
    if kept is None or not event.way.forward or not is_worked_out(event, kept, source):
        return
    harm = weigh_kept(kept)
    if harm and is_computed_with(event, kept, source):
        yield Hit(event, f"self.{event.attribute} is kept from one forward to the next", harm=harm)


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
    return made is not None and any(each is kept.before for each in list_operands(made))


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


@rule.source(cst.Assign, needs=("self.",))
def in_part(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`self.keys[:, i] = k` of a buffer."""
    target = node.targets[0].target
    part = own(target.value) if isinstance(target, cst.Subscript) else ""
    of_buffer = len(node.targets) == 1 and part and part in buffers(node, source)
    if of_buffer and is_elsewhere(target) and source.in_traced_forward(node):
        yield from carried(part, node, source, PART)


@rule.source(cst.Call, needs=tuple(f".{name}(" for name in sorted(INPLACE)))
def in_method(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.total.add_(x)` of a buffer."""
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in INPLACE:
        return
    name = own(func.value)
    if name and source.in_traced_forward(call) and name in buffers(call, source):
        yield from carried(name, call, source)


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


def carried(
    name: str, write: cst.CSTNode, source: Source, buffer: dict[str, Harm] = BUFFER
) -> Iterator[Hit]:
    """Where the attribute existed before forward, and forward computes with it."""
    info = source.classes.around(write)
    if info is None or not info.is_module or not computes_with(name, write, source):
        return
    before = [value for value in info.attributes.get(name, ()) if in_init(value, source)]
    if name in buffers(write, source):
        harm = buffer
    elif before and all(isinstance(literal(value), (int, float)) for value in before):
        harm = NUMBER
    elif before and all(is_tensor_or_none(value, source) for value in before):
        harm = TENSOR
    else:
        return
    yield Hit(write, f"self.{name} is kept from one forward to the next", harm=harm)


def computes_with(name: str, write: cst.CSTNode, source: Source) -> bool:
    """Whether some other mention of the attribute in the forward pass reaches the graph."""
    info = source.classes.around(write)
    mentions = [
        node
        for node in source.nodes(cst.Attribute)
        if own(node) == name and source.classes.around(node) is info and not is_target(node, source)
    ]
    return any(
        write not in source.ancestors(node)
        and not isinstance(source.parent(node), (cst.Comparison, cst.ComparisonTarget))
        and source.in_traced_forward(node)
        and source.in_graph(node)
        for node in mentions
    )


def is_target(node: cst.Attribute, source: Source) -> bool:
    """`self.x = ...`, `self.x += ...`."""
    outer = source.parent(node)
    return isinstance(outer, cst.AssignTarget) or (
        isinstance(outer, cst.AugAssign) and outer.target is node
    )


def buffers(node: cst.CSTNode, source: Source) -> frozenset[str]:
    """Names of what the class around a node registers as buffers."""
    info = source.classes.around(node)
    registered = [
        literal(call.args[0].value)
        for call in source.nodes(cst.Call)
        if isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "register_buffer"
        and call.args
        and source.classes.around(call) is info
    ]
    return frozenset(name for name in registered if isinstance(name, str))


def in_init(node: cst.CSTNode, source: Source) -> bool:
    """Whether a node stands in `__init__`."""
    method = source.enclosing(node, cst.FunctionDef)
    return method is not None and method.name.value == "__init__"


def is_tensor_or_none(node: cst.BaseExpression, source: Source) -> bool:
    """`None`, `torch.zeros(3)`."""
    return literal(node) is None or source.value(node).is_tensor


def own(node: cst.CSTNode) -> str:
    """`x` of `self.x`."""
    if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name):
        return node.attr.value if node.value.value == "self" else ""
    return ""


def is_elsewhere(target: cst.BaseExpression) -> bool:
    """`x[:, i]`, `x[start:end]`: other places at other calls; not `x[:]`, `x[0]`."""
    parts = [part.slice for part in target.slice] if isinstance(target, cst.Subscript) else []
    bounds = [
        bound
        for part in parts
        for bound in (
            (part.value,)
            if isinstance(part, cst.Index)
            else (part.lower, part.upper)
            if isinstance(part, cst.Slice)
            else ()
        )
    ]
    return any(
        isinstance(bound, (cst.Name, cst.BinaryOperation, cst.Attribute)) for bound in bounds
    )
