"""LT101: a size read from a tensor that becomes a Python constant in the exported model."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Baked, Called
from lintorch.evaluator.sizes import Dim, Size, is_symbol
from lintorch.evaluator.values import Items, Number, Value
from lintorch.evidence import (
    EventKey,
    OperatorCall,
    Outcome,
    SizeChosen,
    SizeRead,
    SizeUse,
    TensorUse,
    Trace,
    Trial,
)
from lintorch.evidence.size_changes import (
    blame_event,
    clear_fixed_line,
    clear_lines,
    find_changes,
    is_function_of,
    only_looks,
)
from lintorch.evidence.treatment import name_sizes, report_limits
from lintorch.facts.exporting.scripted import without_tracer_harm
from lintorch.source import (
    Kind,
    Source,
    goes_by_fixed_name,
    is_ratio,
    is_read,
    is_scaled,
    literal,
    may_vary,
)

rule = Rule(
    __name__,
    code="LT101",
    summary="a size read from a tensor that becomes a constant",
    why="""
        `x.size(0)`, `x.shape[2] // 2`, `tuple(x.shape)` and `math.prod(x.shape[1:])` stay
        symbolic: every exporter writes a model that is right at every size. A size that goes
        through `int()`, `float()`, `len()`, `max()`, NumPy or `torch.tensor(...)`, or is read
        from `x.data`, becomes the number it was for the example input. The legacy exporter and
        jit.trace then compute wrongly at any other size, for `x.data` without any warning;
        `torch.export` refuses, and so does the new ONNX exporter unless sizes are left to
        `Dim.AUTO`. A number that was worked out first (`int(h // 2)`) is exported by both: the
        program of `torch.export` raises at other sizes, and the ONNX file is silently wrong.
        The window of `avg_pool2d(x, x.shape[2:])` and the steps of `linspace(0, 1, h)` are plain
        numbers to an exporter too: pool to one cell, and divide an `arange(h)`.
        Measured on torch 2.13.

        The often-copied advice to write `torch.tensor(x.size(0)).item()` is what bakes the size;
        the plain form needs no help.
    """,
    bad="""
        from torch import nn


        class Head(nn.Module):
            def forward(self, x):
                return x.view(int(x.size(0)), -1)
    """,
    good="""
        from torch import nn


        class Head(nn.Module):
            def forward(self, x):
                return x.view(x.size(0), -1)
    """,
    proof="""
        from torch.export import Dim, export

        export(Head(), (torch.ones(2, 3),), dynamic_shapes=({0: Dim.DYNAMIC},))
    """,
    fix=Applicability.SAFE,
)

TRACED = {"onnx-legacy": Harm.WARNED, "torchscript-trace": Harm.WARNED}
UNSEEN = {"onnx-legacy": Harm.SILENT, "torchscript-trace": Harm.SILENT}
REFUSED = {"torch.export": Harm.REFUSED}
READ = {**REFUSED, "onnx": Harm.AUTO, **TRACED}
"""int(), float() of a size as it was read; len() of a tensor."""
WORKED_OUT = {"torch.export": Harm.FAILS, "onnx": Harm.SILENT, **TRACED}
"""The same of a size that was halved or multiplied first."""
REPEATED = {**REFUSED, "onnx": Harm.AUTO, **UNSEEN}
WINDOW = {**REFUSED, "onnx": Harm.AUTO, "onnx-legacy": Harm.REFUSED}
"""A window of several sizes; jit.trace keeps these."""
WINDOW_1D = {**REFUSED, "onnx": Harm.AUTO, **UNSEEN}
"""A window of one size."""
NOISY = {"onnx-legacy": Harm.NOISY, "torchscript-trace": Harm.NOISY}
COPIED = {**REFUSED, "onnx": Harm.AUTO, **NOISY}

MAKERS: dict[str, tuple[dict[str, Harm], dict[str, Harm]]] = {
    "torch.tensor": (TRACED, {}),
    "torch.as_tensor": (READ, COPIED),
    "torch.LongTensor": (REPEATED, REPEATED),
    "torch.IntTensor": (REPEATED, REPEATED),
}
"""What becomes of several sizes, and of a single one that stays a tensor: torch.tensor keeps it."""
STEPS = {**REFUSED, "onnx": Harm.AUTO}
ARGUMENTS = {
    "torch.linspace": ("steps", 2, STEPS),
    "torch.nn.functional.one_hot": ("num_classes", 1, STEPS),
    "torch.nn.functional.avg_pool1d": ("kernel_size", 1, WINDOW_1D),
    "torch.nn.functional.avg_pool2d": ("kernel_size", 1, WINDOW),
    "torch.nn.functional.max_pool2d": ("kernel_size", 1, WINDOW),
}
"""Arguments that an operator takes as plain numbers, and where they stand."""
POOLS = tuple(f"{kind}{n}d" for kind in ("avg_pool", "max_pool", "lp_pool") for n in (1, 2, 3))
WINDOWS = {
    **{f"torch.nn.functional.{pool}": pool for pool in POOLS},
    **{f"torch.nn.{kind}Pool{n}d.forward": f"{kind}Pool{n}d"
       for kind in ("Avg", "Max", "LP") for n in (1, 2, 3)},
}  # fmt: skip
"""Pools whose window is a plain number."""
SIZE_READS = frozenset({"size", "shape", "numel", "nelement"})
Question = SizeRead | SizeChosen
TRACE_HARM: dict[EventKey, dict[str, Harm]] = {
    SizeUse.INT: WORKED_OUT,
    SizeUse.FLOAT: READ,
    SizeUse.LEN: READ,
    SizeUse.TENSOR: TRACED,
    SizeUse.DATA: UNSEEN,
    SizeUse.REPEAT: REPEATED,
    SizeChosen: TRACED,
    SizeUse.NUMPY: READ,
}


@rule.source(cst.Call)
def in_call(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.profile.dynamic or not call.args:
        return
    name = source.name(call.func)
    find = FORMS.get(name) or (numpy if is_numpy(name) else None)
    if find is None or not source.in_traced_forward(call):
        return
    short, row = name.rpartition(".")[2], source.place(call).row
    if row in source.evaluation.weighed_rows:
        return  # what is known there decides
    if short in POOLS and (row, short) in source.evaluation.called:
        return  # said of what it is given
    if source.in_graph(call):
        yield from without_tracer_harm(find(call, source), source)


@rule.source(cst.Attribute, needs=(".data",))
def in_data(node: cst.Attribute, source: Source) -> Iterator[Hit]:
    """`x.data.size(0)`, also through a name that was given `x.data`."""
    if node.attr.value not in SIZE_READS or not source.profile.dynamic:
        return
    if not (source.in_traced_forward(node) and source.value(node.value).detached):
        return
    read = whole_read(node, source)
    if may_vary(source.value(read)) and source.in_graph(read):
        message = "a size read through `.data` is the example's for good"
        hit = Hit(read, message, fix=without_data(node, source), harm=UNSEEN)
        yield from without_tracer_harm([hit], source)


@rule.source(cst.BinaryOperation, needs=("] *", "]*"))
def in_repeat(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`[token] * x.size(0)`."""
    if not isinstance(node.operator, cst.Multiply) or not isinstance(node.left, cst.List):
        return
    if isinstance(node.right, cst.Call) and source.name(node.right.func) in FORMS:
        return  # said of that call
    if not source.profile.dynamic or not source.in_traced_forward(node):
        return
    size = source.value(node.right)
    if size.kind is Kind.SIZE and may_vary(size) and source.in_graph(node):
        message = f"the list has as many items as {source.code(node.right)} was for the example"
        yield from without_tracer_harm([Hit(node, message, harm=REPEATED)], source)


def converted(call: cst.Call, source: Source) -> Iterator[Hit]:
    """int(x.size(0)), float(x.size(2)), int(torch.tensor(x.size(0)))."""
    given = call.args[0].value
    size, name = source.value(given), source.name(call.func)
    if size.kind is not Kind.SIZE or not may_vary(size) or is_scaled(given, source):
        return
    if within(call, source, "range") or goes_by_fixed_name(call, source) or is_ratio(given, source):
        return
    if isinstance(given, cst.Call) and source.name(given.func):
        return  # what the inner call does to it is said there
    fix = without_int(call, source) if name == "int" and size.whole else None
    message = f"{name}() turns the size {source.code(given)} into a constant"
    yield Hit(call, message, fix=fix, harm=READ if is_plain(given) else WORKED_OUT)


@rule.event(Baked)
def in_model(event: Baked, source: Source) -> Iterator[Hit]:
    """A size that went through int(), len() or max() on its way into an operator."""
    if not source.profile.dynamic or not event.varies:
        return
    text = source.evaluation.text(event.spot)
    if event.via.name in ("int", "float") and event.via.whole:
        harm = READ if tells_size(event.via.size) else WORKED_OUT
        call = source.call_at(event)
        fix = without_int(call, source) if call and event.via.name == "int" else None
        yield Hit(event, f"`{text}` turns a size into a constant", fix=fix, harm=harm)
    elif event.via.name == "len":
        call = source.call_at(event)
        fix = as_size(call, source) if call else None
        yield Hit(event, f"`{text}` is the example's batch size for good", fix=fix, harm=READ)
    elif event.via.name == "torch.tensor" and "int" in event.also:
        said = f"`{text}` is made a tensor and read back: it becomes a constant"
        yield Hit(event, said, harm=TRACED)
    elif event.via.name in ("max", "min"):
        yield Hit(event, f"`{text}` keeps the side that the example chose", harm=TRACED)


@rule.event(*WINDOWS)
def in_window(event: Called, source: Source) -> Iterator[Hit]:
    """`F.max_pool1d(x, x.size(2))`, `nn.AvgPool2d(x.shape[2:])(x)`."""
    size = event.arguments.get("kernel_size")
    if not source.profile.dynamic or not event.way.forward or size is None:
        return
    several = isinstance(size, Items)
    sizes = (size.items or (size.each,)) if isinstance(size, Items) else (size,)
    numbers = [each for each in sizes if is_open_number(each)]
    if any(n.varies for n in numbers) or (numbers and is_whole_window(event.node)):
        message = f"the window of {WINDOWS[event.name]} is the size of the example"
        yield Hit(event, message, harm=WINDOW if several else WINDOW_1D)


def is_open_number(value: Value) -> TypeGuard[Number]:
    """Whether it is a number that is not known to be the same at every size."""
    return isinstance(value, Number) and value.varies is not False and not value.data


def is_whole_window(node: ast.AST) -> bool:
    """`F.max_pool1d(x, x.size(2))`: nobody asks for a size that is always the same to pool all of it."""
    match node:
        case ast.Call(args=[ast.Name(id=name), *rest], keywords=named):
            asked = [*rest[:1], *(each.value for each in named if each.arg == "kernel_size")]
            return any(reads_shape_of(each, name) for each in asked)
    return False


def reads_shape_of(node: ast.expr, name: str) -> bool:
    """`x.size(2)`, `x.shape[-1]`, `x.size()[2:]`, `(x.shape[2], x.shape[3])`."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return bool(parts) and all(reads_shape_of(part, name) for part in parts)
        case ast.Subscript(value=inner) | ast.Call(func=ast.Attribute(attr="size") as inner):
            return reads_shape_of(inner, name)
        case ast.Attribute(value=ast.Name(id=read), attr="shape" | "size"):
            return read == name
    return False


def tells_size(size: Dim | None) -> bool:
    """Whether a number is the size of an input, or that and a constant."""
    return isinstance(size, Size) and is_symbol(size - dict(size.terms).get((), 0))


def without_int(call: cst.Call, source: Source) -> Fix | None:
    """`x.size(0)` for `int(x.size(0))`."""
    if len(call.args) != 1 or call.args[0].star:
        return None
    edit = source.replace(call, operand(call.args[0].value, source, call))
    return Fix("drop int(): a size is an int", (edit,))


def as_size(call: cst.Call, source: Source) -> Fix | None:
    """`x.size(0)` for `len(x)`."""
    if len(call.args) != 1 or call.args[0].star:
        return None
    given = call.args[0].value
    text = source.code(given)
    tensor = text if is_read(given) or given.lpar else f"({text})"
    edit = source.replace(call, f"{tensor}.size(0)")
    return Fix(f"write {edit.content}", (edit,))


def is_plain(node: cst.BaseExpression) -> bool:
    """A size as it was read, or with a number added to it, which tells the size as well."""
    match node:
        case cst.BinaryOperation(
            operator=cst.Add() | cst.Subtract(), left=left, right=cst.Integer()
        ):
            return is_read(left)
    return is_read(node)


def counted(call: cst.Call, source: Source) -> Iterator[Hit]:
    """len(x) of a tensor."""
    given = call.args[0].value
    value = source.value(given)
    if value.is_tensor and value.sure and not within(call, source, "range"):
        message = f"len({source.code(given)}) is the example's batch size for good"
        yield Hit(call, message, fix=as_size(call, source), harm=READ)


def bounded(call: cst.Call, source: Source) -> Iterator[Hit]:
    """max(h, w), max(h - 20, 0), min(h, 512); max(h, 1) and min(h, 2) never decide."""
    values = [source.value(arg.value) for arg in call.args if not arg.star and not arg.keyword]
    sizes = [v for v in values if v.kind is Kind.SIZE and may_vary(v)]
    counts = all(read.axis is None for v in sizes for read in v.reads)
    if len(values) < 2 or counts or within(call, source, "max", "min"):
        return
    name = source.name(call.func)
    least = 1 if name == "max" else 2
    if any(is_small(arg.value, least, source) for arg in call.args) and not any(
        v.negative is not False for v in sizes
    ):
        return
    yield Hit(call, f"{name}() of sizes keeps the side that the example chose", harm=TRACED)


def is_small(node: cst.BaseExpression, least: int, source: Source) -> bool:
    """Whether a number, or what a name was given, is one that no size in use falls below."""
    given = source.classes.assigned(node) or [node]
    numbers = [literal(value) for value in given]
    return all(isinstance(n, int) and n <= least for n in numbers)


def made(call: cst.Call, source: Source) -> Iterator[Hit]:
    """torch.tensor(x.shape), torch.tensor([h, w]), torch.tensor(x.size(0)).item()."""
    several, single = MAKERS[source.name(call.func)]
    given = call.args[0].value
    value = source.value(given)
    text = source.code(given)
    if not (may_vary(value) or any(may_vary(item) for item in value.items)):
        return
    read = item_call(call, source)
    if read is not None and value.kind is Kind.SIZE:
        edit = source.replace(read, operand(given, source, read))
        exact = value.whole and len(call.args) == 1
        fix = Fix(f"write {text}", (edit,)) if exact else None
        message = f"{text} is made a tensor and read back: it becomes a constant"
        yield Hit(read, message, fix=fix, harm=several)
    else:
        harm = single if value.kind is Kind.SIZE else several
        made_of = f"{source.code(call.func)}({text}) holds the sizes of the example"
        yield Hit(call, made_of, harm=harm)


def is_numpy(name: str) -> bool:
    """A function of NumPy; its random numbers are another matter."""
    return name.startswith("numpy.") and not name.startswith("numpy.random.")


def numpy(call: cst.Call, source: Source) -> Iterator[Hit]:
    """np.prod(x.shape[1:]), np.array(x.shape), np.sqrt(x.size(2))."""
    values = [(arg.value, source.value(arg.value)) for arg in call.args]
    sizes = [
        (node, v)
        for node, v in values
        if v.kind in (Kind.SIZE, Kind.SHAPE) and v.given and may_vary(v)
    ]
    listed = [(node, v) for node, v in values if any(may_vary(item) for item in v.items)]
    for node, _ in [*sizes, *listed][:1]:
        name = source.code(call.func)
        message = f"{name}() takes {source.code(node)} as plain numbers"
        yield Hit(call, message, harm=READ if is_plain(node) else WORKED_OUT)


def plain_argument(call: cst.Call, source: Source) -> Iterator[Hit]:
    """avg_pool2d(x, x.shape[2:]), linspace(0, 1, h)."""
    name, position, harm = ARGUMENTS[source.name(call.func)]
    parameters = tuple(name if at == position else f"_{at}" for at in range(position + 1))
    node = source.arguments(call, *parameters).get(name)
    value = source.value(node) if node is not None else None
    if node is None or value is None or not may_vary(value):
        return
    if value.kind in (Kind.SIZE, Kind.SHAPE) or value.items:
        short = source.name(call.func).rpartition(".")[2]
        yield Hit(call, f"{name}={source.code(node)} of {short} is the example's", harm=harm)


FORMS = {
    "int": converted,
    "float": converted,
    "len": counted,
    "max": bounded,
    "min": bounded,
    **dict.fromkeys(MAKERS, made),
    **dict.fromkeys(ARGUMENTS, plain_argument),
}


@rule.trace(*TRACE_HARM)
def in_trace(event: Question, trace: Trace) -> Iterator[Hit | Refuted]:
    reason = f"{WORDS[event.key]} is {shown(event.value)} at every size tried"
    yield from clear_fixed_line(event, trace, reason)
    if bakes(event, trace):
        for key, other in list(find_changes(event, trace).items())[:1]:
            was = f"was {shown(event.value)} and is {shown(other.value)} when {key} changes"
            message, whole = f"{WORDS[event.key]} {was}", is_whole_shape(event)
            harm, sizes = harm_of(event, trace), name_sizes(find_changes(event, trace))
            yield Hit(event.site, message, harm=harm, confirms=whole, sizes=sizes)


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    explained = False
    for event in sorted(trial.trace.find_events(*TRACE_HARM), key=is_whole_shape):
        hit = blame_event(outcome, event, trial, harm_of(event, trial.trace))
        if hit and bakes(event, trial.trace) and not (explained and is_whole_shape(event)):
            explained = True
            yield hit
    for event in trial.trace.find_events(*ARGUMENTS):
        varied = find_changes(event, trial.trace, plain_number)
        if varied and (hit := blame_event(outcome, event, trial, ARGUMENTS[event.name][2], varied)):
            yield hit


@rule.trial("wrong", "ok")
def in_limited_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """What the export takes for given because a size was made a number or compared in max()."""
    asked = (e for e in trial.trace.find_events(*TRACE_HARM) if not is_rounded(e))
    yield from report_limits(outcome, (event.site for event in asked))


@rule.trial("ok")
def in_right_trial(outcome: Outcome, trial: Trial) -> Iterator[Refuted]:
    events = (e for e in trial.trace.find_events(*TRACE_HARM) if bakes(e, trial.trace))
    yield from clear_lines(outcome, events, trial)


def plain_number(event: OperatorCall) -> object:
    """The argument that is a plain number to an exporter, where it was recorded by name or place."""
    name, position, _ = ARGUMENTS[event.name]
    return event.args.get(name, event.args.get(f"argument{position}"))


WORDS = {
    SizeUse.INT: "int() of a size",
    SizeUse.FLOAT: "float() of a size",
    SizeUse.LEN: "len() of a tensor",
    SizeUse.TENSOR: "a tensor made of sizes",
    SizeUse.DATA: "the size read through `.data`",
    SizeUse.REPEAT: "the length of a list",
    SizeChosen: "a comparison in max() or min()",
    SizeUse.NUMPY: "what NumPy makes of sizes",
}


def harm_of(event: Question, trace: Trace) -> dict[str, Harm]:
    """An int of a size of the input itself is refused where that of a worked-out one is not."""
    if event.key is SizeUse.INT and event.value in trace.runs[0].sizes.values():
        return READ
    if is_copied(event, trace):
        return READ if isinstance(event.value, tuple) else COPIED
    return TRACE_HARM[event.key]


def is_copied(event: Question, trace: Trace) -> bool:
    """Whether a tensor was made of sizes by `torch.as_tensor`."""
    made = event.key is SizeUse.TENSOR
    return made and any(maker.site == event.site for maker in trace.find_events("torch.as_tensor"))


def is_whole_shape(event: Question) -> bool:
    """A shape read through `.data`, of which maybe only the channels are used."""
    return event.key is SizeUse.DATA and isinstance(event.value, tuple)


def is_rounded(event: Question) -> bool:
    """Whether a float was made whole: scaled-size tells of that."""
    return isinstance(event, SizeRead) and isinstance(event.operand, float)


def bakes(event: Question, trace: Trace) -> bool:
    """Not a float that was rounded, nor one size in a tensor: that may stay a tensor."""
    if is_rounded(event) or only_looks(event) or is_function_of(event):
        return False
    if event.key is not SizeUse.TENSOR or isinstance(event.value, tuple) or is_copied(event, trace):
        return True
    reads = trace.find_events(TensorUse.ITEM, TensorUse.INT, TensorUse.LIST)
    return any(read.site == event.site for read in reads)


def shown(value: object) -> str:
    """A value as a reader writes it."""
    return str(list(value)) if isinstance(value, tuple) else str(value)


# what becomes of a size


def item_call(call: cst.Call, source: Source) -> cst.Call | None:
    """The `.item()`, `.tolist()` or int() that a call's result is asked for right away."""
    asked = source.parent(call)
    read = source.parent(asked) if asked is not None else None
    if not isinstance(read, cst.Call):
        return None
    if isinstance(asked, cst.Attribute) and read.func is asked:
        return read if asked.attr.value in ("item", "tolist") else None
    return read if isinstance(asked, cst.Arg) and source.name(read.func) == "int" else None


def whole_read(node: cst.Attribute, source: Source) -> cst.BaseExpression:
    """`x.shape[0]` around `x.shape`, `x.size(0)` or `x.size()[0]` around `x.size`."""
    read: cst.BaseExpression = node
    outer = source.parent(node)
    if isinstance(outer, cst.Call) and outer.func is node:
        read, outer = outer, source.parent(outer)
    if isinstance(outer, cst.Subscript) and outer.value is read:
        read = outer
    return read


def without_data(node: cst.Attribute, source: Source) -> Fix | None:
    """`x.size` for `x.data.size`."""
    inner = node.value
    if not (isinstance(inner, cst.Attribute) and inner.attr.value == "data"):
        return None
    return Fix("drop .data", (source.replace(inner, source.code(inner.value)),))


def within(call: cst.Call, source: Source, *names: str) -> bool:
    """Whether the call next around is one of these: tensor-iteration tells of range()."""
    outer = source.enclosing(call, cst.Call)
    return outer is not None and source.name(outer.func) in names


def operand(node: cst.BaseExpression, source: Source, place: cst.CSTNode) -> str:
    """An expression as it may stand in the place of another."""
    text = source.code(node)
    return text if is_read(node) or node.lpar else source.fitted(text, place)
