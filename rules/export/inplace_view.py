"""LT131: a write through a view or through `.data`, which an exporter loses or refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import dropwhile

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Harm, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    AttributeRead,
    AttributeSet,
    Called,
    Combined,
    Indexed,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.values import Items, Slice, Tensor, Unknown, Value
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
from lintorch.evidence.host_reads import (
    is_followed_whole,
    is_run_whole,
    is_whole_run,
    source_line,
    write_shapes,
)
from lintorch.evidence.size_changes import blame_event
from lintorch.facts.models.tensor_writes import find_written, list_views
from lintorch.facts.models.value_ways import Operation, list_operands
from lintorch.facts.models.view_returns import read_view, write_return
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT131",
    summary="a write through a view or through .data",
    why="""
        A view shares the memory of its base, so a write to it changes the base as well. The
        legacy ONNX exporter only keeps that for a write to an indexed name (`y[:, 0] = 0`,
        `y[:, 0].add_(1)`). Through view, flatten, transpose, chunk or a slice that was given a
        name first, it leaves the base as it was: wrong already at the size of the example, and
        without a warning; an index of a slice, `y[:, 1:][:, 0] = 0`, it refuses. The others follow views, but the new ONNX exporter cannot write into
        `diagonal()`.

        A write through `.data` is hidden from every tracer: torch.export and the new ONNX
        exporter stop, the legacy exporter and jit.trace leave it out, but where a module masks
        or clamps a tensor of its own: the run that they follow has done it already, and the
        file holds what came of it. An assignment
        (`y.data = z`) is left out by all four, and nothing says so; where z is worked out of
        `.data`, torch.export and the new ONNX exporter refuse that. Measured on torch 2.13.

        The fix drops `.data`, which autograd then sees as well, and writes to the base where a
        view of all of it is worked on item by item (`y.mul_(2)` for `y.flatten(1).mul_(2)`). Else
        the base takes back what was written, in a line behind the write: `y = v.view(y.shape)` of
        `v = y.flatten(1)`, `y[:, 1:] = v` of `v = y[:, 1:]`. Bits and gradients stay the same.
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
    remedy="write to the tensor itself (y[:, 0] = 0), or make a new one by torch.where or torch.cat",
    proof="""
        x = torch.ones(2, 3)
        exported = torch.export.export(Edge(), (x,)).module()
        assert torch.equal(exported(x), Edge()(x))
    """,
    fix=Applicability.UNSAFE,
)

Write = Called | Combined | ItemSet
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
SWAPPED_READ = {**SWAPPED, "torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
"""Of what was read off .data itself, which two refuse to read."""
SETTLED = {"torch.export": Harm.REFUSED, "onnx": Harm.REFUSED}
"""Of what a module does to a tensor of its own that changes nothing when it is done again."""
_SETTLES = re.compile(
    r"\bself\.(\w+\.)+data\b(\.(clamp|clip)_|\s*(\*=|\.mul_\(|=).*\bself\.\w*mask)"
)
LOST = {"onnx-legacy": Harm.SILENT}
LEGACY = {"onnx-legacy": Harm.REFUSED}
DIAGONAL = {"onnx": Harm.REFUSED, "onnx-legacy": Harm.SILENT}
WHOLE = frozenset({"view", "view_as", "flatten", "ravel", "unflatten", "unsqueeze", "squeeze", "transpose", "permute", "swapaxes", "swapdims", "movedim", "moveaxis", "t"})  # fmt: skip
"""Views of all items of a tensor."""
ITEMWISE = frozenset(
    {
        "abs_", "add_", "ceil_", "clamp_", "clamp_max_", "clamp_min_", "clip_", "cos_", "div_",
        "exp_", "fill_", "floor_", "log_", "mul_", "neg_", "pow_", "reciprocal_", "relu_", "round_",
        "rsqrt_", "sigmoid_", "sin_", "sqrt_", "square_", "sub_", "tanh_", "zero_",
    }
)  # fmt: skip
"""Methods that do the same to each item, where they are given numbers alone."""
LOOKS = frozenset(
    {
        "size", "dim", "numel", "ndimension", "stride", "is_contiguous", "type", "len", "isinstance",
        "hasattr", "callable", "id",
    }
)  # fmt: skip
"""What asks a tensor for no numbers."""


@rule.event(AttributeSet)
def in_assignment(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """`y.data = z`."""
    if event.way.forward and event.attribute == "data" and isinstance(event.held, Tensor):
        if isinstance(next(iter(source.evaluation.list_around(event)), None), ast.AugAssign):
            return  # `y.data *= z` writes to what it holds, which is told there
        owner = source.evaluation.text(event.spot).rpartition(".")[0]
        message = f"gives {owner} other data, where no tracer sees it"
        harm = SWAPPED_READ if is_made_of_data(event, source) else SWAPPED
        if _SETTLES.search(read_row(event, source)):
            harm = {**SETTLED, "torchscript-script": Harm.REFUSED}
        remedy = f"give the name another tensor: {owner} = ..."
        if event.held.origin == "parameter":
            remedy = (
                f"leave it as it is, and compute with what is made of it: masked = {owner} * ..."
            )
        yield Hit(event, message, harm=harm, remedy=remedy, cause="other data")


def read_row(event: Occurrence, source: Source) -> str:
    """The text of the statement that an event stands in."""
    lines = (each for each in source.evaluation.list_around(event) if isinstance(each, ast.stmt))
    return next(map(ast.unparse, lines), "")


def is_made_of_data(event: AttributeSet, source: Source) -> bool:
    """`y.data = y.data.clamp(0, 1)`."""
    around = source.evaluation.list_around(event)
    line = next((each for each in around if isinstance(each, (ast.Assign, ast.AugAssign))), None)
    read = () if line is None else ast.walk(line.value)
    return any(isinstance(each, ast.Attribute) and each.attr == "data" for each in read)


@rule.event(Called, Combined, ItemSet)
def in_model(event: Write, source: Source) -> Iterator[Hit]:
    if not event.way.forward or (written := find_written(event)) is None:
        return
    found = list_views(written, source.evaluation.ways)
    if found is None or is_freed(event):
        return
    views = [each for each in found if isinstance(each, Operation)]
    reads = [each for each in views if isinstance(each, AttributeRead) and each.attribute == "data"]
    if reads:
        message = "writes through .data, where no tracer sees it"
        fix, remedy = write_visibly(event, reads[0].held, source), remedy_of(reads[0].held)
        harm = SETTLED if _SETTLES.search(read_row(event, source)) else HIDDEN
        yield Hit(event, message, fix, harm, remedy=remedy)
    elif any(map(is_diagonal, views)):
        remedy = "choose by a mask: torch.where(i[:, None] == i, value, y) of i = torch.arange(n)"
        severity = Severity.ERROR
        yield Hit(event, "writes into diagonal()", harm=DIAGONAL, severity=severity, remedy=remedy)
    elif source.profile.concerns(LOST) and is_index_of_slice(event, views):
        severity, remedy = Severity.ERROR, "write one index: y[:, 2:] for y[:, 1:][:, 1:]"
        fix = give_back(event, views, source, copies=True)
        yield Hit(event, "writes to an index of a slice", fix, LEGACY, severity, remedy=remedy)
    elif source.profile.concerns(LOST) and (base := find_stale(event, views, source)):
        message = (
            f"writes through a view of {base}, which is read later: {base} keeps its old values"
        )
        fix = write_to_base(event, views, source) or give_back(event, views, source)
        yield Hit(event, message, fix, LOST)


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
        return SETTLED if _SETTLES.search(source_line(event.site)) else HIDDEN
    return DIAGONAL if "diagonal" in event.through else LOST


def is_freed(event: Write) -> bool:
    """`x.data.set_()`."""
    return (
        isinstance(event, Called)
        and event.name == "torch.Tensor.set_"
        and (len(event.positional) == 1 and not event.keyword)
    )


def is_index_of_slice(event: Write, views: list[Operation]) -> bool:
    """`y[:, 1:][:, 0] = 0`, also in two steps; `y[0][1:] = 0` and `y[:, 1:][mask] = 0` are none."""
    chosen = event.index if isinstance(event, ItemSet) else None
    if isinstance(chosen, Tensor) and chosen.dtype == "bool":
        return False
    indices = [each.index for each in views if isinstance(each, Indexed)]
    if len(indices) != len(views):
        return False
    earlier = indices if isinstance(event, ItemSet) else indices[1:]
    return any(
        isinstance(part, Slice)
        for index in earlier
        for part in ((index.items or ()) if isinstance(index, Items) else (index,))
    )


def is_diagonal(view: Operation) -> bool:
    """`y.diagonal(dim1=1, dim2=2)`, `torch.diagonal(y)`."""
    return isinstance(view, Called) and view.name.endswith(".diagonal")


def remedy_of(base: Value) -> str:
    """What is written instead of a write to `base.data`."""
    origin = base.origin if isinstance(base, Tensor) else ""
    if origin == "parameter":
        return "compute with what is made of it (w = self.w.clamp(0, 1)), or write after the step"
    return "drop .data, and write what is detached" if origin == "buffer" else "drop .data"


def write_visibly(event: Write, base: Value, source: Source) -> Fix | None:
    """`y.data[:, 0] = 0` as `y[:, 0] = 0`.

    Of a parameter there is none, to which autograd lets nobody write; what a buffer is given is
    detached: with a gradient it would hold what led to it until the next step.
    """
    origin = base.origin if isinstance(base, Tensor) else ""
    dropped = None if origin == "parameter" else drop_data(event, source)
    detached = detach_given(event, source) if origin == "buffer" else ()
    if dropped is None or detached is None:
        return None
    return Fix("write where it is seen", (dropped, *detached), Applicability.UNSAFE)


def detach_given(event: Write, source: Source) -> tuple[Edit, ...] | None:
    """What a write gives a tensor, detached; None where some of it may have a gradient or be no tensor."""
    written: list[tuple[Value, cst.BaseExpression]]
    line = None if isinstance(event, Called) else find_line(event, source)
    if isinstance(event, Called):
        call = source.call_at(event)
        if call is None or is_chained(call, source) or any(each.star for each in call.args):
            return None
        named = {each.keyword.value: each.value for each in call.args if each.keyword}
        plain = [each.value for each in call.args if not each.keyword]
        written = list(zip(event.positional[1:], plain, strict=False))
        written += [(value, named[name]) for name, value in event.keyword.items() if name in named]
    elif line is not None:
        written = [(event.value if isinstance(event, ItemSet) else event.right, line.value)]
    else:
        return None
    if any(isinstance(value, Unknown) for value, _ in written):
        return None
    return tuple(
        source.replace(node, f"{source.receiver(node)}.detach()")
        for value, node in written
        if isinstance(value, Tensor) and value.origin not in ("constant", "buffer")
    )


def find_line(event: Combined | ItemSet, source: Source) -> cst.AugAssign | cst.Assign | None:
    """`x[0] = y`, `x += y`."""
    if isinstance(event, Combined):
        return source.node_at(event, cst.AugAssign)
    place = source.node_at(event, cst.Subscript)
    target = source.parent(place) if place is not None else None
    line = source.parent(target) if isinstance(target, cst.AssignTarget) else None
    return line if isinstance(line, cst.Assign) else None


def is_chained(call: cst.Call, source: Source) -> bool:
    """`x.mul_(a).add_(b)`: two writes of one line, of which each would have to be detached."""
    inner = call.func.value if isinstance(call.func, cst.Attribute) else None
    return isinstance(inner, cst.Call) or isinstance(source.parent(call), cst.Attribute)


def drop_data(event: Write, source: Source) -> Edit | None:
    """`y` for the `y.data` that is written to."""
    place: cst.CSTNode | None
    if isinstance(event, Called):
        place = source.call_at(event)
    elif isinstance(event, ItemSet):
        place = source.node_at(event, cst.Subscript)
    else:
        line = source.node_at(event, cst.AugAssign)
        place = line.target if line is not None else None
    while isinstance(place, (cst.Subscript, cst.Attribute, cst.Call)):
        if isinstance(place, cst.Attribute) and place.attr.value == "data":
            return source.replace(place, source.code(place.value))
        place = place.func if isinstance(place, cst.Call) else place.value
    return None


def write_to_base(event: Write, views: list[Operation], source: Source) -> Fix | None:
    """`y.mul_(2)` for `y.flatten(1).mul_(2)`: the same of each item, wherever it stands.

    Only where nobody reads the view afterwards, which is not written to any more for an exporter.
    """
    call = source.call_at(event) if isinstance(event, Called) else None
    if call is None or len(views) != 1 or not source.evaluation.is_dropped(event):
        return None
    view, method = views[0], call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
    if not isinstance(view, Called) or view.name.rpartition(".")[2] not in WHOLE:
        return None
    written, base = find_written(event), next(list_operands(view))
    plain = all(isinstance(literal(each.value), (int, float)) for each in call.args)
    if method not in ITEMWISE or not plain or written is None or not isinstance(base, Tensor):
        return None
    name = name_base(view)
    node = view.node
    still = isinstance(node, ast.Call) and name.isidentifier() and view.spot.path == event.spot.path
    if (
        not still
        or is_read_after(written, event, source)
        or is_given_anew(name, view, event, source)
    ):
        return None
    assert isinstance(call.func, cst.Attribute)
    edit = source.replace(call.func.value, name)
    return Fix(f"write to {name} itself", (edit,), Applicability.UNSAFE)


def give_back(
    event: Write, views: list[Operation], source: Source, copies: bool = False
) -> Fix | None:
    """`y = v.view(y.shape)` behind a write to `v = y.view(...)`, which gets its name first where it has none.

    `copies`: what is written to is a copy then.
    """
    inside = {id(each) for each in ast.walk(event.node)}
    known = [each for each in views if not is_inplace(each)]
    outer = [each for each in known if not (isinstance(each, Indexed) and id(each.node) in inside)]
    outer = outer or known[-1:]
    view = outer[0] if len(outer) == 1 and outer[0].spot.path == event.spot.path else None
    made = read_view(view.node) if view is not None else None
    function = source.evaluation.find_function(event)
    part = find_statement(event, source)
    if view is None or made is None or part is None or function is None:
        return None
    within = id(view.node) in inside
    names = [f"{made.base}_view"] if within else list_names(view, function)
    cat, edits = source.reach("torch.cat", part)
    text = write_return(made, names, cat) if names and cat else None
    if text is None or is_given_next(part, made.base, source):
        return None
    read = {each.id for node in made.given for each in ast.walk(node) if isinstance(each, ast.Name)}
    if any(is_given_anew(name, view, event, source) for name in (made.base, *read)):
        return None
    own = (source.below(part, text), *(edits if "cat(" in text else ()))
    if within:
        found = source.node_at(view, CST_OF.get(type(view.node), cst.Call))
        if found is None or names[0] in {
            n.id for n in ast.walk(function) if isinstance(n, ast.Name)
        }:
            return None
        named = f"{names[0]} = {source.code(found)}{'.clone()' if copies else ''}"
        own = (source.above(part, named), source.replace(found, names[0]), *own)
    elif copies or not writes_to_name(event, names):
        return None
    return Fix(f"write {text}", own, Applicability.UNSAFE)


CST_OF: dict[type[ast.AST], type[cst.BaseExpression]] = {
    ast.Subscript: cst.Subscript,
    ast.Attribute: cst.Attribute,
}


def find_statement(event: Write, source: Source) -> cst.BaseSmallStatement | None:
    """The statement that does nothing but write: `v[0] = 1`, `v += 1`, `v.mul_(2)`."""
    if isinstance(event, Called):
        call = source.call_at(event)
        outer = source.parent(call) if call is not None else None
        return outer if isinstance(outer, cst.Expr) else None
    found = source.node_at(event, cst.AugAssign) or source.node_at(event, cst.Assign)
    held = source.node_at(event, cst.Subscript)
    if found is None and held is not None:
        return source.enclosing(held, cst.AugAssign) or source.enclosing(held, cst.Assign)
    return found


def list_names(view: Operation, function: ast.AST) -> list[str]:
    """The names that a view, or each part of it, is given where it is made."""
    for each in ast.walk(function):
        match each:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is view.node:
                return [name]
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value) if value is view.node:
                names = [part.id for part in parts if isinstance(part, ast.Name)]
                return names if len(names) == len(parts) else []
    return []


def writes_to_name(event: Write, names: list[str]) -> bool:
    """Whether it is one of these names, or an index of it, that is written to."""
    node = event.node
    if isinstance(node, (ast.Assign, ast.AugAssign)):
        node = node.targets[0] if isinstance(node, ast.Assign) else node.target
    if isinstance(node, ast.Call):
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


def is_given_next(part: cst.BaseSmallStatement, name: str, source: Source) -> bool:
    """Whether the next line gives a name another value already."""
    return read_next(part, source).startswith((f"{name} =", f"{name}["))


def read_next(part: cst.BaseSmallStatement, source: Source) -> str:
    """The statement below another in its block; "" where there is none."""
    line = source.parent(part)
    block = source.parent(line) if line is not None else None
    body: list[cst.CSTNode] = [*block.body] if isinstance(block, cst.IndentedBlock) else []
    after = body[body.index(line) + 1 :] if line is not None and line in body else []
    return source.code(after[0]).strip() if after else ""


def is_given_anew(name: str, view: Operation, event: Write, source: Source) -> bool:
    """Whether a name may stand for another tensor at a write than where the view was made."""
    function = source.evaluation.find_function(event)
    if function is None or function is not source.evaluation.find_function(view):
        return True
    return any(
        isinstance(each, ast.Name)
        and each.id == name
        and isinstance(each.ctx, (ast.Store, ast.Del))
        and view.spot.row <= each.lineno <= event.spot.row
        for each in ast.walk(function)
    ) or any(source.evaluation.list_loops(event))


def find_stale(event: Write, views: list[Operation], source: Source) -> str:
    """The tensor whose memory is written through another, and that is read afterwards; or "".

    The legacy exporter keeps `y[:, 0].add_(1)`: an index that is given no name.
    """
    within = {id(each) for each in ast.walk(event.node)}
    named = dropwhile(lambda each: isinstance(each, Indexed) and id(each.node) in within, views)
    for view in named:
        base = next(list_operands(view))
        if not is_inplace(view) and is_read_after(base, event, source):
            return "" if is_given_back(event, view, source) else name_base(view)
    return ""


def is_given_back(event: Write, view: Operation, source: Source) -> bool:
    """Whether the next line is `y[:, 1] = v` of `v = y[:, 1]`."""
    made, function = read_view(view.node), source.evaluation.find_function(event)
    part = find_statement(event, source)
    names = list_names(view, function) if function is not None else []
    text = write_return(made, names, "torch.cat") if made is not None and names else None
    return part is not None and text is not None and read_next(part, source).startswith(text)


def is_inplace(view: Operation) -> bool:
    """An operation in place, whose result is no view."""
    return isinstance(view, Combined) or (
        isinstance(view, Called) and find_written(view) is not None
    )


def is_read_after(base: Value, event: Write, source: Source) -> bool:
    """Whether the numbers of a tensor are read after a write, on the same way."""
    at = source.evaluation.find_position(event)
    users: list[Occurrence] = [*source.evaluation.ways.find_users(base)]
    users += source.evaluation.find_returns(base)
    return any(
        source.evaluation.find_position(each) > at
        and is_reading(each)
        and not is_other_branch(event, each, source)
        for each in users
    )


def is_reading(event: Occurrence) -> bool:
    if isinstance(event, Called):
        return event.name.rpartition(".")[2] not in LOOKS
    return not isinstance(event, AttributeRead) or event.attribute in ("T", "mT", "data")


def is_other_branch(one: Occurrence, other: Occurrence, source: Source) -> bool:
    """Whether only one of two events happens, standing in both branches of an `if`."""
    mine = [one.node, *source.evaluation.list_around(one)]
    yours = [other.node, *source.evaluation.list_around(other)]
    for outer in mine:
        if isinstance(outer, ast.If) and outer in yours:
            sides = [any(node in outer.orelse for node in nodes) for nodes in (mine, yours)]
            if sides[0] is not sides[1]:
                return True
    return False


def name_base(view: Operation) -> str:
    """What a view is one of, as it is written: `y` of `y.view(-1)`."""
    node = view.node
    if isinstance(node, ast.Call):
        method = isinstance(view, Called) and view.name.startswith("torch.Tensor.")
        held = node.func.value if method and isinstance(node.func, ast.Attribute) else None
        return ast.unparse(held or (node.args[0] if node.args else node))
    return ast.unparse(node.value) if isinstance(node, (ast.Subscript, ast.Attribute)) else "it"
