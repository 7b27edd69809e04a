"""LT103: the data of a tensor read into Python, and used to compute."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    Called,
    Combined,
    DataRead,
    Decided,
    GivenBack,
    Indexed,
    Occurrence,
    Repeated,
)
from lintorch.evaluator.find_baked import is_sequence
from lintorch.evaluator.sizes import varies
from lintorch.evaluator.values import Items, Slice, Spot, Tensor
from lintorch.evidence import (
    GraphCapture,
    Outcome,
    SizeUse,
    TensorRead,
    TensorUse,
    Trace,
    Tracer,
    Trial,
    Variation,
    host_reads,
)
from lintorch.evidence.size_changes import blame_event, find_changes, only_looks
from lintorch.source import Source

AS_A_NUMBER = "which multiplies, compares and indexes as a number does"

rule = Rule(
    __name__,
    code="LT103",
    summary="the data of a tensor read into Python",
    why="""
        What Python reads with `item()`, `tolist()`, `int()`, `float()` or `numpy()` is a plain
        number of the example for the legacy exporter and jit.trace: they warn, and compute with
        that number for ever, which is right of a weight or a buffer alone. `torch.export` follows `item()` and `tolist()`, but refuses `int()`,
        `float()`, `bool()`, the functions of `math` and `numpy()` of a tensor; the new ONNX
        exporter then tries again with dynamo, which follows all of these but `math` and a
        `range()`. A `range()` over such a number is refused by both, and so is a list that is indexed by a tensor (`joints[self.parents[i]]`), whatever that holds; over the tensor itself (`range(n[0])`) too,
        and there the tracers do not even warn. jit.script takes all but
        `tolist()` and `numpy()`. Measured on torch 2.13.

        Stay with the tensor: a tensor of one item multiplies, compares and indexes as well as a
        number does. Where the number itself is needed, as for a size, the fix writes `n.item()` for
        `int(n)` and `x.max().long().item()` for `int(x.max())`, which torch.export follows; no
        `torch._check` is needed for a slice, `zeros` or `arange` of it, and tracers refuse that.
    """,
    bad="""
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x / float(x.max())
    """,
    good="""
        from torch import nn


        class Scale(nn.Module):
            def forward(self, x):
                return x / x.max().detach()
    """,
    remedy=f"compute with the tensor itself, {AS_A_NUMBER}",
    proof="""
        import torch

        program = torch.export.export(Scale(), (torch.ones(2, 3),)).module()
        assert torch.equal(program(torch.full((2, 3), 4.0)), torch.ones(2, 3))
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
CONVERTED = {"torch.export": Harm.REFUSED, **TRACED}
FUNCTION = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED, **TRACED}
UNSCRIPTED = {"torchscript-script": Harm.REFUSED}
METHODS = {"item": TRACED, "tolist": {**TRACED, **UNSCRIPTED}, "numpy": {**CONVERTED, **UNSCRIPTED}}
CONVERSIONS = {
    **{f"torch.Tensor.{name}": harm for name, harm in METHODS.items()},
    "int": CONVERTED,
    "float": CONVERTED,
    "bool": {**dict.fromkeys(CONVERTED, Harm.REFUSED), "torchscript-trace": Harm.FAILS},
}
SET = (
    "compute with the tensor itself, or keep a Python number beside it, which the constructor sets"
)
SAME_IN_TORCH = frozenset(
    [
        "acos",
        "asin",
        "atan",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "exp",
        "expm1",
        "floor",
        "log",
        "log10",
        "log1p",
        "log2",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "trunc",
    ]
)
CONVERTED_THERE = {"torch.export": Harm.REFUSED}
READ_ONE = ("int", "float", "torch.Tensor.item")
HELD = (cst.Call, cst.Name, cst.Attribute, cst.Subscript)
"""Expressions that a method can be called on as they stand."""
IN_RANGE = {**FUNCTION, **UNSCRIPTED}
COUNTED = {
    **FUNCTION,
    **UNSCRIPTED,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
"""`range(n)` of a tensor asks it for an index, of which no tracer warns."""
TRACE_HARM = {
    TensorUse.ITEM: METHODS["item"],
    TensorUse.LIST: METHODS["tolist"],
    TensorUse.NUMPY: METHODS["numpy"],
    TensorUse.INT: CONVERTED,
    TensorUse.FLOAT: CONVERTED,
}


@rule.event(DataRead)
def in_model(event: DataRead, source: Source) -> Iterator[Hit]:
    if not event.way.forward or not is_in_forward(event, source):
        return
    harm = CONVERSIONS.get(event.name, FUNCTION if event.name.startswith("math.") else {})
    if isinstance(event.by, Repeated):
        harm = COUNTED if event.name == "range" else IN_RANGE
    elif is_within_counted(event, source) or gives_back(event, source):
        return
    elif isinstance(event.by, Indexed) and picks_by(event.name, event.by, event.own):
        harm = FUNCTION
    if event.own:
        harm = spare_tracers(harm)
    if event.name == "torch.Tensor.tolist" and not event.own and is_of_open_length(event, source):
        harm = {**harm, "torch.export": Harm.REFUSED, "onnx": Harm.AUTO}
    kind = "array" if event.name == "torch.Tensor.numpy" else "number"
    if harm:
        text = source.evaluation.text(event.spot)
        said = f"{text} is a Python {kind}, read from the data of a tensor"
        if event.name == "range":
            said = f"{text} has as many iterations as the data of a tensor say"
        remedy = name_remedy(event) or (SET if event.own else None)
        typed = remedy or (name_held(event, source) if kind == "number" else None)
        fix = keep_tensor(event, source) or read_by_item(event, source)
        yield Hit(event, said, fix=fix, harm=harm, remedy=typed, cause=remedy or "number")


@rule.event("torch.Tensor.numpy")
def in_looking(event: Called, source: Source) -> Iterator[Hit]:
    """`self.kept = y.detach().cpu().numpy()`, of which nothing is worked out."""
    if not event.way.forward or event.spot in list_read(source):
        return
    held = event.positional[0] if event.positional else None
    if not isinstance(held, Tensor) or not held.data or not is_in_forward(event, source):
        return
    if gives_back(event, source):
        return
    text = source.evaluation.text(event.spot)
    said = f"{text} is a Python array, read from the data of a tensor"
    yield Hit(event, said, harm=CONVERTED_THERE, remedy="keep the tensor itself", cause="number")


@lru_cache(maxsize=1)
def list_read(source: Source) -> frozenset[Spot]:
    """Where numbers and arrays are read that something is worked out of."""
    reads = source.evaluation.list_events({DataRead})
    return frozenset(each.spot for _, each in reads if isinstance(each, Occurrence))


def gives_back(event: Occurrence, source: Source) -> bool:
    """`x.numpy() if is_array else x`: an array for who gave one, which no exporter does."""
    read = source.evaluation.find_written(event.spot, event)
    for each in source.evaluation.list_around(event if read is None else read):
        match each:
            case ast.IfExp(
                test=ast.Name(),
                body=ast.Call(func=ast.Attribute(value=held, attr="numpy")),
                orelse=no,
            ):
                return ast.dump(held) == ast.dump(no)
    return False


def is_in_forward(event: Occurrence, source: Source) -> bool:
    """Whether it stands in a function that forwards run, and not where a script has made the model's settings."""
    read = source.evaluation.find_written(event.spot, event)
    if read is None:
        return True
    named = getattr(source.evaluation.find_function(read), "name", None)
    around = source.evaluation.list_around(read)
    outer = [each for each in around if isinstance(each, (ast.FunctionDef, ast.Lambda))]
    return len(outer) > 1 or (bool(outer) and (named is None or named in list_run(source)))


@lru_cache(maxsize=1)
def list_run(source: Source) -> frozenset[str]:
    """The names of the functions that forwards run."""
    runs = (
        each.way for _, each in source.evaluation.list_events(RUN) if isinstance(each, Occurrence)
    )
    return frozenset(n.rpartition(".")[2] for way in runs if way.forward for n in way.names)


RUN = {Called, Combined, Indexed, Decided, Repeated, GivenBack}


def is_within_counted(event: DataRead, source: Source) -> bool:
    """Whether it is read in a loop as long as data say, where exporters come to an end before."""
    loops = list_counted(source)
    around = source.evaluation.list_around(event) if loops else ()
    return any((event.spot.path, getattr(each, "lineno", 0)) in loops for each in around)


@lru_cache(maxsize=1)
def list_counted(source: Source) -> frozenset[tuple[str, int]]:
    """The files and lines of loops that are told for how often they go round."""
    reads = (each for _, each in source.evaluation.list_events({DataRead}))
    return frozenset(
        (each.by.spot.path, getattr(each.by.loop, "lineno", 0))
        for each in reads
        if isinstance(each, DataRead) and isinstance(each.by, Repeated) and each.way.forward
    )


def picks_by(name: str, by: Indexed, own: bool) -> bool:
    """Whether a number is an index, of which torch.export has to know which: `x[int(i)]`, `self.layers[i.item()]`."""
    if is_sequence(by.held):
        return name in ("int", "torch.Tensor.item")
    return name == "int" and not own


def is_of_open_length(event: DataRead, source: Source) -> bool:
    """Whether a list is as long as an axis that varies: torch.export fixes it to the example's."""
    read = next(source.evaluation.list_calls_at(event.spot), None)
    held = read.positional[0] if read is not None and read.positional else None
    shape = held.shape if isinstance(held, Tensor) else None
    return (
        source.profile.dynamic and bool(shape) and any(varies(each) is True for each in shape or ())
    )


def spare_tracers(harm: Mapping[str, Harm]) -> dict[str, Harm]:
    """Of a weight or a buffer: a number that tracers keep is the right one."""
    left = {name: kind for name, kind in harm.items() if name not in TRACED}
    return {**left, **dict.fromkeys(TRACED, Harm.NOISY)} if "torch.export" in left else {}


def keep_tensor(event: DataRead, source: Source) -> Fix | None:
    """`x.max().detach()` for `float(x.max())` and `x.max().item()`, where tensors are computed with it.

    `x.max().long()` for `int(x.max())`.
    """
    call, read = source.call_at(event), next(source.evaluation.list_calls_at(event.spot), None)
    if call is None or read is None or event.name not in READ_ONE:
        return None
    given = read.positional[0] if read.positional else None
    if not isinstance(given, Tensor) or given.shape != ():
        return None
    users = [e for _, e in source.evaluation.list_events({DataRead}) if e.spot == event.spot]  # type: ignore[union-attr]
    kept = (isinstance(u, DataRead) and (is_with_tensor(u.by) or bounds(u.by)) for u in users)
    if not all(kept):
        return None
    held = call.args[0].value if call.args else None
    if event.name == "torch.Tensor.item" and isinstance(call.func, cst.Attribute):
        held = call.func.value
    if not isinstance(held, HELD):
        return None
    if all(isinstance(each, DataRead) and bounds(each.by) for each in users):
        whole = (given.dtype or "").startswith(("int", "uint")) or event.name != "int"
        text = source.code(held) if whole else f"{source.code(held)}.long()"
    else:
        text = f"{source.code(held)}.{'long' if event.name == 'int' else 'detach'}()"
    return Fix("compute with the tensor", (source.replace(call, text),), Applicability.UNSAFE)


def read_by_item(event: DataRead, source: Source) -> Fix | None:
    """`n.item()` for `int(n)`, `x.max().long().item()` for `int(x.max())`: torch.export follows that."""
    call, read = source.call_at(event), next(source.evaluation.list_calls_at(event.spot), None)
    given = read.positional[0] if read is not None and read.positional else None
    if event.name != "int" or call is None or not isinstance(given, Tensor) or not given.sure:
        return None
    if len(call.args) != 1 or call.args[0].star or not source.profile.concerns(CONVERTED_THERE):
        return None
    held = call.args[0].value
    whole = (given.dtype or "").startswith(("int", "uint"))
    text = source.code(held) if isinstance(held, HELD) or held.lpar else f"({source.code(held)})"
    text = f"{text}.{'item' if whole else 'long().item'}()"
    return Fix(f"write {text}", (source.replace(call, text),), Applicability.UNSAFE)


def is_with_tensor(by: Occurrence) -> bool:
    """Whether a number is computed with in an operation whose other side is a tensor of floats."""
    sides = (by.left, by.right) if isinstance(by, Combined) else ()
    tensors = [each for each in sides if isinstance(each, Tensor)]
    return any(each.dtype is None or "float" in each.dtype for each in tensors)


def bounds(by: Occurrence) -> bool:
    """Whether a number is where a slice ends, or how far an arange counts: tracers follow a tensor there."""
    if isinstance(by, Indexed):
        parts = by.index.items or () if isinstance(by.index, Items) else (by.index,)
        return any(isinstance(each, Slice) for each in parts)
    return isinstance(by, Called) and by.name == "torch.arange" and len(by.positional) == 1


def name_remedy(event: DataRead) -> str | None:
    """What does the same with a tensor; None where nothing more is to be said than of all."""
    if isinstance(event.by, Repeated):
        return "loop a fixed number of times, or compute on the whole axis and mask the rest"
    if event.name == "torch.Tensor.numpy":
        return "stay with functions of torch"
    if event.name.startswith("math.") and event.name.removeprefix("math.") in SAME_IN_TORCH:
        return f"write {event.name.replace('math.', 'torch.')}() of the tensor"
    return None


def name_held(event: DataRead, source: Source) -> str | None:
    """`compute with x.max() itself` for `float(x.max())` and `x.max().item()`."""
    call = source.call_at(event)
    held: cst.BaseExpression | None = None
    if call is not None and isinstance(call.func, cst.Attribute) and not call.args:
        held = call.func.value
    elif call is not None and event.name in ("int", "float") and len(call.args) == 1:
        read = next(source.evaluation.list_calls_at(event.spot), None)
        given = read.positional[0] if read is not None and read.positional else None
        held = call.args[0].value if isinstance(given, Tensor) else None
    text = source.code(held) if held is not None else ""
    fits = 0 < len(text) < 40 and "\n" not in text
    return f"compute with {text} itself, {AS_A_NUMBER}" if fits else None


@rule.trace(*host_reads.READS, TensorUse.BOOL)
def in_trace(event: TensorRead, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: what is read to be looked at, or to raise, is not meant."""
    yield Hit(event, host_reads.describe_read(event), severity=Severity.NOTE, confirms=True)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """Not of sizes that were made a tensor: dynamic-size tells of these."""
    sizes = {event.site for event in trial.trace.find_events(SizeUse.TENSOR)}
    for event in trial.trace.find_events(*host_reads.READS):
        hit = blame_event(outcome, event, trial, TRACE_HARM[event.how], explained_by(event, trial))
        if hit and event.site not in sizes and not only_looks(event):
            yield hit


def explained_by(event: TensorRead, trial: Trial) -> Collection[Variation] | None:
    """Of an array, whose numbers are not kept: the sizes at which it has another shape."""
    if event.value is not None or event.how not in (TensorUse.NUMPY, TensorUse.LIST):
        return None
    return find_changes(event, trial.trace, lambda read: read.inputs)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    reason = "the line ran, and the model read the data of no tensor at any size tried"
    yield from (Refuted(site, reason) for site in host_reads.find_unread_lines(trace))
