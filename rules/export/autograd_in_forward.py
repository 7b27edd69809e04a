"""LT115: what belongs to autograd in a forward pass that is exported: gradients, `.data`, checkpoints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, Called, DataRead, Indexed, Occurrence
from lintorch.evaluator.values import NONE, TRUE, External, Tensor, Value
from lintorch.evidence import (
    BakedKind,
    BakedValue,
    GraphCapture,
    OperatorCall,
    Trace,
    Tracer,
    host_reads,
)
from lintorch.facts.models.lenient_checkpoints import CHECKPOINTS, write_lenient
from lintorch.facts.models.tensor_writes import find_written
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT115",
    summary="autograd or .data in an exported forward",
    why="""
        `.data` takes a tensor out of what tracers see: torch.export and the new ONNX exporter
        refuse it ("a fake tensor in the constant's list"), the legacy exporter and jit.trace
        bake the numbers of the example input and say nothing. `detach()` is right under all.
        Reading `.data` of a weight is only refused.

        Gradients taken in forward (`autograd.grad`, `backward`) are exported by torch.export and
        the new exporter; the legacy exporter and jit.trace bake the gradient of the example.
        The compiler of TorchScript refuses them, as it does hooks with a lambda and checkpoint,
        which the others export. checkpoint with use_reentrant=True, its default, around layers
        with weights stops the legacy exporter and jit.trace as well ("unordered_map::at"); with
        use_reentrant=False they export it. A model whose constructor sets a backward hook on itself
        or a part is refused by jit.trace ("Modules that have backward hooks assigned can't be
        compiled"), and by no other exporter. Measured on torch 2.13.
    """,
    bad="""
        from torch import nn


        class Quantizer(nn.Module):
            def forward(self, x):
                error = x.round() - x
                return x + error.data
    """,
    good="""
        from torch import nn


        class Quantizer(nn.Module):
            def forward(self, x):
                error = x.round() - x
                return x + error.detach()
    """,
    remedy="write .detach() for .data",
    proof="""
        x = torch.randn(2, 3)
        exported = torch.export.export(Quantizer(), (x,)).module()
        assert torch.equal(exported(-x), Quantizer()(-x))
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

HIDDEN = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.REFUSED,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
HIDDEN_WEIGHT = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
BAKED = {
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
    "torchscript-script": Harm.REFUSED,
}
TRACED = {"torchscript-trace": Harm.REFUSED}
HOOKS = (".register_backward_hook", ".register_full_backward_hook")
HOOKED = "jit.trace takes no module that a backward hook is set on"
UNSCRIPTED = {"torchscript-script": Harm.REFUSED}
REENTRANT = {
    "onnx-legacy": Harm.REFUSED,
    "torchscript-trace": Harm.REFUSED,
    "torchscript-script": Harm.REFUSED,
}
GRADIENTS = ("torch.autograd.grad", "torch.autograd.backward")
DATA = "torch.Tensor.data.__get__"
OUTSIDE = "take the gradient outside of the model"
LENIENT = "pass use_reentrant=False"
UNLESS_SCRIPTED = "call it under `if not torch.jit.is_scripting():`, and the function itself else"
OTHER = re.compile(r"grad|backward|checkpoint")
"""What else of autograd a line may hold."""
SIZES = frozenset(
    {
        "size",
        "shape",
        "dim",
        "ndim",
        "dtype",
        "device",
        "ndimension",
        "numel",
        "type",
        "new",
        "isinstance",
    }
)
"""What is asked of `.data` and has no numbers in it; sizes read so are another rule's."""

COPIES = frozenset(
    {"max", "min", "sum", "mean", "std", "norm", "abs", "exp", "sqrt", "item", "clone", "argmax"}
)
"""Methods of a tensor whose result has memory of its own."""


@rule.event(AttributeRead)
def in_data(event: AttributeRead, source: Source) -> Iterator[Hit]:
    held = event.held
    if event.attribute != "data" or not event.way.forward or not isinstance(held, Tensor):
        return
    weight = held.origin in ("parameter", "buffer")
    if not (weight or held.data) or not is_read(event.result, source) or trains(event, source):
        return
    apart = (is_written_back, is_made_plain, is_asked, is_beside_write, is_of_packed)
    if any(holds(event, source) for holds in apart):
        return
    node = source.node_at(event, cst.Attribute)
    text = source.evaluation.text(event.spot)
    inner = text.removesuffix(".data")
    detached = ".detach()" in inner
    fix = None
    if node is not None:
        promise = Applicability.UNSAFE if is_kept(node, source) else Applicability.SAFE
        edit = source.replace(node, source.code(node.value))
        edit = edit if detached else source.replace(node.attr, "detach()")
        fix = Fix("leave .data out" if detached else "detach", (edit,), promise)
    remedy = "leave .data out" if detached else f"write {inner}.detach()"
    if becomes_plain(event, source):
        fix, remedy = None, "stay with functions of torch, or work it out in the constructor"
    harm = HIDDEN_WEIGHT if weight else HIDDEN
    told = f"{text}: no tracer sees what comes of it"
    yield Hit(event, told, fix, harm, remedy=remedy, cause="data")


@rule.event(*GRADIENTS, "torch.Tensor.backward")
def in_gradient(event: Called, source: Source) -> Iterator[Hit]:
    if event.way.forward and not trains(event, source):
        told = "a gradient taken in forward is that of the example"
        harm = {name: each for name, each in BAKED.items() if name not in UNSCRIPTED}
        yield Hit(event, told, harm=harm if takes_lists(event) else BAKED, remedy=OUTSIDE)


def takes_lists(event: Called) -> bool:
    """`torch.autograd.grad([y], [x])`, which is how jit.script takes it."""
    given = event.node.args[:2] if isinstance(event.node, ast.Call) else []
    listed = [isinstance(each, (ast.List, ast.ListComp)) for each in given]
    return event.name == "torch.autograd.grad" and len(listed) == 2 and all(listed)


@rule.event(*CHECKPOINTS)
def in_checkpoint(event: Called, source: Source) -> Iterator[Hit]:
    if event.way.forward:
        reentrant = is_reentrant(event)
        told = "with use_reentrant=True" if reentrant else "takes any number of arguments"
        harm, remedy = (REENTRANT, LENIENT) if reentrant else (UNSCRIPTED, UNLESS_SCRIPTED)
        severity = None if event.way.certain else Severity.WARNING
        call = source.call_at(event)
        fix = write_lenient(call, source) if reentrant and call is not None else None
        yield Hit(event, f"checkpoint {told}", fix, harm, severity=severity, remedy=remedy)


@rule.source(cst.Call, needs=HOOKS)
def in_constructor(node: cst.Call, source: Source) -> Iterator[Hit]:
    """`self.register_full_backward_hook(...)`, `self.conv.register_backward_hook(...)`."""
    path = source.code(node.func)
    home, around = source.enclosing(node, cst.FunctionDef), source.classes.around(node)
    built = home is not None and home.name.value == "__init__"
    if path.startswith("self.") and path.endswith(HOOKS) and built and around and around.is_module:
        yield Hit(node, HOOKED, harm=TRACED, remedy="register it where the model is trained")


@rule.trace(BakedKind.DATA, BakedKind.GRADIENT)
def in_trace(event: BakedValue, trace: Trace) -> Iterator[Hit]:
    what, harm = (".data", HIDDEN) if event.what is BakedKind.DATA else ("gradient", BAKED)
    message = f"on other values with the {what} of the example, {event.change}"
    remedy = None if event.what is BakedKind.DATA else OUTSIDE
    yield Hit(event, message, harm=harm, remedy=remedy)


@rule.trace(DATA, *GRADIENTS)
def in_reading(event: OperatorCall, trace: Trace) -> Iterator[Hit]:
    """Only of what the source saw: what is read of a weight, or only to look at its size."""
    yield Hit(event, host_reads.describe_call(event), severity=Severity.NOTE, confirms=True)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    read = {(e.site.path, e.site.row) for run in trace.runs for e in run.events if e.key == DATA}
    for site in host_reads.find_whole_lines(trace):
        text = host_reads.source_line(site)
        if ".data" in text and not OTHER.search(text) and (site.path, site.row) not in read:
            yield Refuted(site, "the line ran, and this .data was asked of no tensor")


def is_written_back(event: AttributeRead, source: Source) -> bool:
    """`y.data = y.data * mask`, of which another rule tells: with detach() it would be lost in silence."""
    around = source.evaluation.list_around(event)
    assigned = (each.targets for each in around if isinstance(each, ast.Assign))
    return any(
        isinstance(each, ast.Attribute) and each.attr == "data"
        for targets in assigned
        for each in targets
    )


def is_of_packed(event: AttributeRead, source: Source) -> bool:
    """Whether it may be the data of a PackedSequence, which is a field: a name of a function that packs."""
    function, node = source.evaluation.find_function(event), event.node
    held = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(function, ast.FunctionDef) or not isinstance(held, ast.Name):
        return False
    given = {each.arg for each in function.args.args}
    named = {getattr(each, "attr", getattr(each, "id", "")) for each in ast.walk(function)}
    read = (e for e in ast.walk(function) if isinstance(e, ast.Attribute) and e.attr in FIELDS)
    if any(isinstance(each.value, ast.Name) and each.value.id == held.id for each in read):
        return True
    return held.id not in given and not PACKING.isdisjoint(named)


FIELDS = ("batch_sizes", "sorted_indices", "unsorted_indices")
PACKING = frozenset({"pack_padded_sequence", "pack_sequence", "PackedSequence"})


def is_beside_write(event: AttributeRead, source: Source) -> bool:
    """`scores.data.masked_fill_(mask.data, 0)`, of which another rule tells: without the first it works out."""
    call = next((e for e in source.evaluation.list_around(event) if isinstance(e, ast.Call)), None)
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="data"), attr=name)):
            return name.endswith("_")
    return False


def is_asked(event: AttributeRead, source: Source) -> bool:
    """`if x.data.sum() > 0:`, of whose branch another rule tells: detach() would not help there."""
    inner: ast.AST = event.node
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.While, ast.IfExp, ast.Assert)):
            return outer.test is inner
        if not isinstance(outer, ast.expr):
            return False
        inner = outer
    return False


def is_made_plain(event: AttributeRead, source: Source) -> bool:
    """`y.data.numpy()`, of which another rule tells, there or at a line of the same function."""
    spot = event.spot
    events = (each for _, each in source.evaluation.list_events({DataRead}))
    told = [each for each in events if isinstance(each, DataRead)]
    read = [each.spot for each in told]
    function = source.evaluation.find_function(event)
    near = any(source.evaluation.find_function(each) is function for each in told)
    if near and function is not None and becomes_plain(event, source):
        return True
    return any(
        (each.path, each.row, each.column) == (spot.path, spot.row, spot.column)
        and (each.end_row, each.end_column) > (spot.end_row, spot.end_column)
        for each in read
    )


def becomes_plain(event: AttributeRead, source: Source) -> bool:
    """`y.data.cpu().numpy()`, `y.data.tolist()`."""
    inner: ast.AST = event.node
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, ast.Attribute):
            if outer.attr in ("numpy", "tolist", "item"):
                return True
        elif not isinstance(outer, ast.Call) or outer.func is not inner:
            return False
        inner = outer
    return False


def is_kept(node: cst.Attribute, source: Source) -> bool:
    """Whether a name is given the memory itself: what is written to it, detach() would tell of."""
    inner: cst.CSTNode = node
    while isinstance(outer := source.parent(inner), (cst.Subscript, cst.Attribute, cst.Call)):
        if isinstance(outer, cst.Attribute) and outer.attr.value in COPIES:
            return False
        if isinstance(outer, cst.Call) and outer.func is not inner:
            return False
        inner = outer
    return isinstance(outer, (cst.Assign, cst.AnnAssign, cst.NamedExpr, cst.Return))


def trains(event: Occurrence, source: Source) -> bool:
    """Whether the function around it steps an optimizer: it is no forward pass then."""
    function = source.evaluation.find_function(event)
    return function is not None and any(
        isinstance(each, ast.Attribute) and each.attr == "zero_grad" for each in ast.walk(function)
    )


def is_reentrant(event: Called) -> bool:
    """Whether a checkpoint is surely of the older kind, around more than a function of torch."""
    function = event.positional[0] if event.positional else event.keyword.get("function")
    flag = event.keyword.get("use_reentrant", NONE if event.open else TRUE)
    return flag == TRUE and not isinstance(function, External)


def is_read(value: Value, source: Source) -> bool:
    """Whether the numbers are read: nothing is written to, and not only a size is asked for."""
    waiting, seen = [value], {id(value)}
    while waiting:
        held = waiting.pop()
        users = [*source.evaluation.ways.find_users(held)]
        if source.evaluation.find_returns(held) or any(reads(user, held) for user in users):
            return True
        parts = [part for user in users for part in list_parts(user)]
        waiting += [each for each in parts if id(each) not in seen]  # a loop leads back to itself
        seen.update(map(id, parts))
    return False


def list_parts(user: Operation) -> list[Value]:
    """What is taken out of a value, of which it is asked in turn what becomes of it."""
    named = isinstance(user, AttributeRead) and user.attribute not in SIZES
    return [user.result] if isinstance(user, Indexed) or named else []


def reads(user: Operation, value: Value) -> bool:
    if isinstance(user, Indexed):
        return user.index is value
    if isinstance(user, AttributeRead):
        return False
    if isinstance(user, Called) and user.name.rpartition(".")[2] in SIZES:
        return False
    return find_written(user) is not value
