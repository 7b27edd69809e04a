"""LT131: a write through a view or through `.data`, which an exporter loses or refuses."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import (
    AS_TRACED,
    GraphCapture,
    Outcome,
    SharedWrite,
    Trace,
    Tracer,
    Trial,
    ViewWrite,
)
from lintorch.evidence.host_reads import is_followed_whole, is_run_whole, is_whole_run, write_shapes
from lintorch.evidence.size_changes import blame_event
from lintorch.facts.dataflow.memory_writes import written_tensor
from lintorch.source import Kind, Source, literal

rule = Rule(
    __name__,
    code="LT131",
    summary="a write through a view or through .data",
    why="""
        A view shares the memory of its base, so a write to it changes the base as well. The
        legacy ONNX exporter only keeps that for a write to an indexed name (`y[:, 0] = 0`,
        `y[:, 0].add_(1)`). Through view, flatten, transpose, chunk or a slice that was given a
        name first, it leaves the base as it was: wrong already at the size of the example, and
        without a warning. The others follow views, but the new ONNX exporter cannot write into
        `diagonal()`.

        A write through `.data` is hidden from every tracer: torch.export and the new ONNX
        exporter stop, the legacy exporter and jit.trace leave it out. An assignment
        (`y.data = z`) is left out by all four, and nothing says so. Measured on torch 2.13.

        The fix drops `.data`, which autograd then sees as well.
    """,
    bad="""
        from torch import nn


        class Edge(nn.Module):
            def forward(self, x):
                y = x * 2
                y.data[:, 0] = 0
                return y
    """,
    good="""
        from torch import nn


        class Edge(nn.Module):
            def forward(self, x):
                y = x * 2
                y[:, 0] = 0
                return y
    """,
    proof="""
        x = torch.ones(2, 3)
        exported = torch.export.export(Edge(), (x,)).module()
        assert torch.equal(exported(x), Edge()(x))
    """,
    fix=Applicability.UNSAFE,
)

HIDDEN = {
    "torch.export": Harm.REFUSED,
    "onnx": Harm.REFUSED,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
}
SWAPPED = {
    "torch.export": Harm.SILENT,
    "onnx": Harm.SILENT,
    "onnx-legacy": Harm.SILENT,
    "torchscript-trace": Harm.SILENT,
    "torchscript-script": Harm.REFUSED,
}
LOST = {"onnx-legacy": Harm.SILENT}
DIAGONAL = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.SILENT}
VIEWS = frozenset(
    {
        "view", "view_as", "reshape", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze",
        "transpose", "permute", "swapaxes", "movedim", "t", "narrow", "select", "detach",
        "chunk", "split", "unbind", "diagonal",
    }
)  # fmt: skip
TURNED = ("T", "mT")
BASIC = (Kind.NUMBER, Kind.SIZE)


@rule.source(cst.Call, cst.Assign, cst.AugAssign, needs=(".data", *(f".{v}(" for v in VIEWS), "["))
def in_source(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    if isinstance(node, cst.Assign) and (owner := given_data(node, source)):
        yield Hit(node, f"gives {owner} other data, where no tracer sees it", harm=SWAPPED)
        return
    place = written_tensor(node, source)
    if place is None or not source.in_traced_forward(node) or not source.value(place).is_tensor:
        return
    if source.value(place).detached and not frees(node):
        yield Hit(
            node, "writes through .data, where no tracer sees it", visible(place, source), HIDDEN
        )
    elif diagonal(place, source):
        yield Hit(node, "writes into diagonal()", harm=DIAGONAL, severity=Severity.ERROR)
    elif source.profile.concerns(LOST) and (base := base_read_later(node, place, source)):
        message = (
            f"writes through a view of {base}, which is read later: {base} keeps its old values"
        )
        yield Hit(node, message, harm=LOST)


@rule.trace(ViewWrite)
def in_trace(event: ViewWrite, trace: Trace) -> Iterator[Hit]:
    harm = harm_of(event)
    through = " and ".join(dict.fromkeys(event.through))
    message = f"writes {write_shapes(event.inputs[:1])} through {through}, and what it is a view of is read later"
    severity = Severity.ERROR if harm is DIAGONAL else None
    yield Hit(event.site, message, harm=harm, severity=severity)


@rule.trace(Tracer.FX)
def in_run(capture: GraphCapture, trace: Trace) -> Iterator[Refuted]:
    """Lines whose writes nobody saw but by the name they were made under."""
    happened = [event for run in trace.runs for event in run.events]
    seen = {event.site for event in happened if isinstance(event, (ViewWrite, SharedWrite))}
    if all(map(is_whole_run, trace.runs)):
        for site in {call.site for call in trace.list_calls() if call.is_write} - seen:
            if is_run_whole(site) and is_followed_whole(site):
                yield Refuted(site, "no tensor that shares the memory is read after the write")


@rule.trial("wrong", "failed")
def in_trial(outcome: Outcome, trial: Trial) -> Iterator[Hit]:
    """A lost write is wrong at the traced sizes already."""
    wrong = outcome.wrong_at
    explains = wrong if AS_TRACED in wrong else ()
    for event in trial.trace.find_events(ViewWrite):
        if hit := blame_event(outcome, event, trial, harm_of(event), explains):
            yield hit


def harm_of(event: ViewWrite) -> dict[str, Harm]:
    """What becomes of a write through these views."""
    if "data" in event.through:
        return HIDDEN
    return DIAGONAL if "diagonal" in event.through else LOST


def frees(node: cst.CSTNode) -> bool:
    """`x.data.set_()`."""
    return (
        isinstance(node, cst.Call)
        and not node.args
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "set_"
    )


def given_data(node: cst.Assign, source: Source) -> str:
    """The tensor whose data is replaced: `y.data = ...`; or ""."""
    place = node.targets[0].target
    named = isinstance(place, cst.Attribute) and place.attr.value == "data"
    if not named or not isinstance(place, cst.Attribute) or not source.in_traced_forward(node):
        return ""
    return source.code(place.value) if source.value(place.value).is_tensor else ""


def visible(place: cst.BaseExpression, source: Source) -> Fix | None:
    """`y.data[:, 0] = 0` as `y[:, 0] = 0`."""
    while isinstance(place, (cst.Subscript, cst.Attribute, cst.Call)):
        if isinstance(place, cst.Attribute) and place.attr.value == "data":
            edit = source.replace(place, source.code(place.value))
            return Fix("write where it is seen", (edit,), Applicability.UNSAFE)
        place = place.func if isinstance(place, cst.Call) else place.value
    return None


def diagonal(place: cst.BaseExpression, source: Source) -> bool:
    """`y.diagonal(dim1=1, dim2=2)`, `torch.diagonal(y)`."""
    if not isinstance(place, cst.Call):
        return False
    method = isinstance(place.func, cst.Attribute) and place.func.attr.value == "diagonal"
    return method or source.name(place.func) == "torch.diagonal"


def base_read_later(node: cst.CSTNode, place: cst.BaseExpression, source: Source) -> str:
    """The name whose memory is written through another, and that is read afterwards; or ""."""
    if source.value(place).copied:
        return ""
    if not isinstance(place, cst.Name):
        base = base_of(place, source)
        through = not only_indexed(place)
        return base if through and base and read_next(base, node, source) else ""
    assign = last_assignment(place.value, node, source)
    base = base_of(assign.value, source) if assign is not None else ""
    if not base or base == place.value or assign is None:
        return ""
    changed = last_assignment(base, node, source)
    kept = changed is None or source.precedes(changed, assign)
    return base if kept and read_next(base, node, source) else ""


def base_of(view: cst.BaseExpression, source: Source) -> str:
    """`y` of `y`'s views: `y.view(-1)[:3]`, `torch.transpose(y, 1, 2)`, `y.mT`."""
    while not isinstance(view, cst.Name):
        if (isinstance(view, cst.Attribute) and view.attr.value in TURNED) or (
            isinstance(view, cst.Subscript) and is_basic(view, source)
        ):
            view = view.value
        elif isinstance(view, cst.Call) and (inner := receiver(view, source)) is not None:
            view = inner
        else:
            return ""
    return view.value if source.value(view).is_tensor else ""


def receiver(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """What a call that gives a view is a view of."""
    if source.value(call).copied:
        return None
    space, _, last = source.name(call.func).rpartition(".")
    if space == "torch" and last in VIEWS and call.args and call.args[0].keyword is None:
        return call.args[0].value
    method = isinstance(call.func, cst.Attribute) and call.func.attr.value in VIEWS
    return call.func.value if method and isinstance(call.func, cst.Attribute) else None


def is_basic(view: cst.Subscript, source: Source) -> bool:
    """Whether indexing surely gives a view."""
    return all(
        not isinstance(part.slice, cst.Index)
        or isinstance(part.slice.value, (cst.Ellipsis, cst.Integer))
        or literal(part.slice.value) is None
        or source.value(part.slice.value).kind in BASIC
        for part in view.slice
    )


def only_indexed(place: cst.BaseExpression) -> bool:
    """`y`, `y[:, 0]`: what the legacy exporter follows."""
    while isinstance(place, cst.Subscript):
        place = place.value
    return isinstance(place, cst.Name)


def last_assignment(name: str, node: cst.CSTNode, source: Source) -> cst.Assign | None:
    """The last assignment to a name above a node, if it is one that surely ran."""
    function = source.enclosing(node, cst.FunctionDef)
    around = {node, *source.ancestors(node)}
    above = [
        assign
        for assign in source.nodes(cst.Assign)
        if assign not in around
        and any(name in names_in(target.target) for target in assign.targets)
        and source.precedes(assign, node)
        and source.enclosing(assign, cst.FunctionDef) is function
    ]
    last = above[-1] if above else None
    ran = last is not None and source.enclosing(last, cst.IndentedBlock) in around
    return last if ran else None


def names_in(target: cst.BaseExpression) -> list[str]:
    """The names that an assignment binds."""
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in names_in(element.value)]
    return [target.value] if isinstance(target, cst.Name) else []


def read_next(name: str, node: cst.CSTNode, source: Source) -> bool:
    """Whether a name is read below a node before it is given another value."""
    function = source.enclosing(node, cst.FunctionDef)
    for mention in source.mentions_of(name):
        if not source.precedes(node, mention) or node in source.ancestors(mention):
            continue
        if source.enclosing(mention, cst.FunctionDef) is not function:
            continue
        if stands_for_value(mention, source) and not other_branch(mention, node, source):
            assign = source.enclosing(mention, cst.Assign)
            stored = assign is not None and any(
                name in names_in(target.target) for target in assign.targets
            )
            return not stored or assign is None or mentions(assign.value, name, source)
    return False


def mentions(value: cst.BaseExpression, name: str, source: Source) -> bool:
    """Whether an expression reads a name."""
    return any(
        value in (mention, *source.ancestors(mention)) for mention in source.mentions_of(name)
    )


def stands_for_value(name: cst.Name, source: Source) -> bool:
    """Whether a name is not an attribute or keyword of the same spelling."""
    outer = source.parent(name)
    if isinstance(outer, cst.Attribute):
        return name is outer.value
    return not isinstance(outer, cst.Arg) or name is outer.value


def other_branch(one: cst.CSTNode, other: cst.CSTNode, source: Source) -> bool:
    """Whether only one of two nodes runs, standing in both branches of an `if`."""
    mine, yours = {*source.ancestors(one)}, {*source.ancestors(other)}
    return any(
        isinstance(outer, cst.If)
        and outer.orelse is not None
        and outer.orelse in mine | {one}
        and outer.body in yours
        for outer in mine & yours
    )
