"""LT401: a loss that changes the target it was given, which the caller goes on using."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Combined, Entered, ItemSet, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import Constant, Items, Number, Slice, Tensor, Value
from lintorch.evidence import InputWrite, OperatorCall, Trace
from lintorch.evidence.host_reads import converts_nearby
from lintorch.facts.models.node_parents import Definition
from lintorch.facts.models.tensor_writes import (
    find_base,
    find_changed,
    gives_view,
    is_write_method,
    list_views,
)
from lintorch.facts.models.value_ways import is_one
from lintorch.source import Source, literal
from lintorch.syntax.tree import parameters

rule = Rule(
    __name__,
    code="LT401",
    summary="a loss changes its target in place",
    why="""
        A tensor is passed by reference. `target[target == 255] = 0` inside a loss or a metric
        changes the caller's tensor, also through view, reshape, detach and `.data`. Whatever
        reads the target next (a second loss, a metric, the same loss again) silently computes
        with other labels: of twenty forms measured on torch 2.13, one raised. The same goes
        for a criterion that is handed over: setting its `reduction` changes it for everybody.

        Out of place, or on a clone, loss and gradient are the same.
    """,
    bad="""
        import torch.nn.functional as F
        from torch import nn


        class DiceLoss(nn.Module):
            def forward(self, logits, target):
                target[target == 255] = 0
                truth = F.one_hot(target, logits.size(1)).movedim(-1, 1)
                return 1 - (logits.softmax(1) * truth).mean()
    """,
    good="""
        import torch.nn.functional as F
        from torch import nn


        class DiceLoss(nn.Module):
            def forward(self, logits, target):
                target = target.masked_fill(target == 255, 0)
                truth = F.one_hot(target, logits.size(1)).movedim(-1, 1)
                return 1 - (logits.softmax(1) * truth).mean()
    """,
    proof="""
        target = torch.tensor([[[0, 1], [255, 2]]])
        DiceLoss()(torch.randn(1, 3, 2, 2), target)
        assert target.max() == 255
    """,
    fix=Applicability.UNSAFE,
)

_TARGET = re.compile(
    r"^(\w+_)?(targets?|labels?|gts?|truths?|ground_?truths?|tgts?)(_\w+)?$|^(y|ys|y_true|true_\w+)$"
)
_NOTED = re.compile(r"_(matched|used|taken|assigned)$")
"""Names of what a function keeps count in, as which targets have a prediction."""
_MASK = re.compile(r"^((gt|true|target|label)_)?masks?$")
_GUESS = re.compile(
    r"pred|output|logit|^out$|score|prob|^inputs?$|^x$|^y_?hat$|estimate|reconstr|model|^net|embedd|feat"
)
_STRICT_GUESS = re.compile(r"pred|logit|^outputs?$|score|prob|^y_?hat$")
_OWNER = re.compile(
    r"transform|augment|collate|prepare|preprocess|pad|flip|crop|mix|normali[sz]e|resize|"
    r"shift|encode|[^_]_$|remap|convert",
    re.I,
)
"""Names of functions whose purpose is to change what they are given."""
_SAME_TYPE = frozenset(
    {
        "masked_fill", "masked_scatter", "scatter", "scatter_add", "index_fill", "index_copy",
        "index_add", "squeeze", "unsqueeze", "transpose", "t", "abs", "neg", "floor", "ceil",
        "round", "trunc",
    }
)  # fmt: skip
"""Methods that give the type and numbers of their in-place twin whatever their arguments."""
_WITH_NUMBERS = frozenset(
    {"add", "sub", "mul", "pow", "remainder", "clamp", "clamp_min", "clamp_max"}
)
"""Methods that do so where their arguments are numbers."""
_METHODS = frozenset(
    {
        "float", "long", "to", "cuda", "cpu", "contiguous", "clone", "detach", "unsqueeze", "squeeze",
        "view_as", "expand", "expand_as", "reshape", "view", "argmax", "eq", "ne", "gt", "lt",
    }
)  # fmt: skip
"""Methods of tensors that numbers and lists have not."""
_JOINING = ("torch.stack", "torch.cat", "torch.concat", "torch.hstack", "torch.vstack")
Write = Called | UnknownCalled | ItemSet | Combined
_SO = "whoever reads it next gets other values"
_WRITES = (
    *(
        f"torch.Tensor.{name}_"
        for name in sorted(_SAME_TYPE | _WITH_NUMBERS | {"fill", "zero", "copy", "div", "relu"})
    ),
    *(f"torch.Tensor.__{name}__" for name in ("setitem", "iadd", "isub", "imul", "itruediv")),
)


@rule.event(Called, UnknownCalled, ItemSet, Combined)
def in_source(event: Write, source: Source) -> Iterator[Hit]:
    changed = find_changed(event)
    function = source.evaluation.find_function(event) if changed is not None else None
    if changed is None or not isinstance(function, Definition):
        return
    base = _find_origin(changed, function, source)
    name = source.evaluation.entered.name_parameter(function, base) if base is not None else ""
    if base is None or name not in _list_suspects(function) or _is_chained(event, source):
        return
    if _is_made_for_call(base, event, source) or _is_only_called(name, event, function, source):
        return
    if _is_tensor_write(event, changed, base, source) and not (
        _hands_back(base, event, source) or _hands_on(name, function)
    ):
        node = _find_node(event, source)
        fix = _fix(node, name, source) if node is not None else None
        yield Hit(node or event, f"changes the caller's {name}", fix, detail=_SO)


def _is_made_for_call(base: Value, event: Occurrence, source: Source) -> bool:
    """Whether the caller makes a value in the call itself, and so keeps nothing of it: `score(gt == 1)`."""
    ways, spots = source.evaluation.ways, event.way.spots
    maker = ways.find_maker(base) or ways.find_comparison(base)
    if maker is None or not spots or maker.spot.path != spots[-1].path:
        return False
    call, made = spots[-1], maker.spot
    starts = (call.row, call.column) < (made.row, made.column)
    return starts and (made.end_row, made.end_column) < (call.end_row, call.end_column)


def _is_only_called(name: str, event: Write, function: Definition, source: Source) -> bool:
    """Whether the function is followed by itself, and all calls of it make what it changes."""
    entered = [
        each
        for reached in source.evaluation.reached
        for each in reached.events
        if isinstance(each, Entered) and each.node is function and name in each.given
    ]
    alone = any(each.way == event.way and each.way.spots[-1:] == (each.spot,) for each in entered)
    called = [each for each in entered if each.way.spots[-1:] != (each.spot,)]
    made = (
        isinstance(each.given[name], Number) or _is_made_for_call(each.given[name], each, source)
        for each in called
    )
    return alone and bool(called) and all(made)


def _hands_on(name: str, function: Definition) -> bool:
    """Whether the function gives the target a new value further on and returns that: its callers take it over."""
    nodes = [*ast.walk(function)]
    stored = any(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
        for each in nodes
    )
    given = [
        part
        for each in nodes
        if isinstance(each, ast.Return) and each.value is not None
        for part in (each.value.elts if isinstance(each.value, ast.Tuple) else (each.value,))
    ]
    return stored and any(isinstance(each, ast.Name) and each.id == name for each in given)


@rule.event(AttributeSet)
def in_criterion(event: AttributeSet, source: Source) -> Iterator[Hit]:
    """The criterion given by a caller whose `reduction` is set."""
    if event.attribute != "reduction" or not isinstance(event.node, ast.Attribute):
        return
    function = source.evaluation.find_function(event)
    name = source.evaluation.entered.name_parameter(function, event.held)
    if not isinstance(function, Definition):
        return
    if name in _list_parameters(function)[1:] and not _is_taken_over(
        name, function, event.spot.row
    ):
        owner = ast.unparse(event.node.value)
        message = f"changes the reduction of {owner}, which the caller made and may share"
        yield Hit(source.node_at(event, cst.Assign) or event, message)


@rule.trace(*_WRITES)
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Hit | Refuted]:
    reached = any(write.site == event.site for write in trace.find_events(InputWrite))
    if reached:
        yield Hit(
            event,
            "changes the caller's tensor, as the run showed",
            confirms=True,
            detail=_SO,
        )
    elif event.layer == "" and not converts_nearby(event.site, trace):
        yield Refuted(event, "the tensor that is written to is not the caller's but a copy")


def _find_origin(changed: Value | None, function: Definition, source: Source) -> Value | None:
    """What a value that is written to is a view of, in a function that is given a target."""
    if changed is None or not _list_suspects(function):
        return None
    views = list_views(changed, source.evaluation.ways)
    return None if views is None else find_base(changed, views)


def _list_suspects(function: Definition) -> list[str]:
    """Parameters named as targets, in a function that is given something to compare them with."""
    names = [name for name in _list_parameters(function) if not _NOTED.search(name)]
    if names[:1] == ["ctx"] or _OWNER.search(function.name):
        return []
    others = [name for name in names if not _TARGET.match(name)]
    loose, strict = (any(p.search(name) for name in others) for p in (_GUESS, _STRICT_GUESS))
    return [
        name
        for name in names
        if (loose and _TARGET.match(name) and name not in ("y", "ys"))
        or (strict and (_MASK.match(name) or name in ("y", "ys")))
    ]


def _list_parameters(function: Definition) -> list[str]:
    spec = function.args
    return [each.arg for each in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]


def _hands_back(base: Value, event: Write, source: Source) -> bool:
    """Whether the function returns the target, so that changing it may be its purpose."""
    ways = source.evaluation.ways
    for returned in source.evaluation.entered.list_returns(event):
        several = isinstance(returned.value, Items) and returned.value.items
        for part in several or (returned.value,):
            views = list_views(part, ways, converted=True)
            if views is not None and is_one(find_base(part, views), base):
                return True
    return False


def _is_chained(event: Write, source: Source) -> bool:
    """Whether what a write gives is written to in one go: `target.clamp_(0).add_(1)`."""
    if not isinstance(event.node, ast.Call):
        return False
    attribute, call = [*source.evaluation.list_around(event), None, None][:2]
    chained = isinstance(attribute, ast.Attribute) and isinstance(call, ast.Call)
    return chained and is_write_method(getattr(attribute, "attr", ""))


def _is_tensor_write(event: Write, changed: Value, base: Value, source: Source) -> bool:
    """Whether what is written is a tensor: `t -= 1` and `t[0] = 1` may be of a number or a list."""
    if isinstance(event, (Called, UnknownCalled)):
        return True
    if isinstance(event, ItemSet) and _is_mask(event.index, source):
        return True
    sure = isinstance(changed, Tensor) and changed.data is not None
    return sure or _is_used_as_tensor(base, source)


def _is_mask(index: Value, source: Source) -> bool:
    """Whether an index is one that only tensors take: several, a slice, a comparison."""
    if isinstance(index, (Tensor, Slice)) or index == Constant(Ellipsis):
        return True
    if isinstance(index, Items):
        return index.kind == "tuple"
    return source.evaluation.ways.find_comparison(index) is not None


def _is_used_as_tensor(base: Value, source: Source) -> bool:
    """Whether the same is given to a function of torch, or has a tensor's methods called.

    What is joined to one tensor is a list of them.
    """
    ways = source.evaluation.ways
    given = [each for each in ways.find_users(base) if isinstance(each, Called)]
    if any(each.name in _JOINING for each in given):
        return False
    return any(each.name.startswith("torch.") for each in given) or any(
        each.method in _METHODS for each in ways.find_asked(base)
    )


def _is_taken_over(name: str, function: ast.AST, row: int) -> bool:
    """`self.reduction = criterion.reduction` above: a wrapper that reduces in its stead."""
    assigned = (each for each in ast.walk(function) if isinstance(each, ast.Assign))
    return any(
        each.lineno < row and ast.unparse(each.value) == f"{name}.reduction" for each in assigned
    )


# the fix


def _find_node(event: Write, source: Source) -> cst.CSTNode | None:
    """The call or statement that writes; None where it stands in another file."""
    if isinstance(event, ItemSet):
        place = source.node_at(event, cst.Subscript)
        return source.enclosing(place, cst.AugAssign, cst.Assign) if place is not None else None
    return source.node_at(event, cst.Call if isinstance(event.node, ast.Call) else cst.AugAssign)


def _fix(node: cst.CSTNode, name: str, source: Source) -> Fix | None:
    """Out of place where that is the same, else on a clone."""
    function = source.enclosing(node, cst.FunctionDef)
    if function is None:
        return None
    if _aliases(name, function, source):
        return _clone_first(name, function, source)
    edits = _rewritten(node, name, source)
    if edits:
        return Fix("work out of place", edits, Applicability.UNSAFE)
    if _root(_written(node)) != name or _earlier(node, name, function, source):
        return None
    statement = source.enclosing(node, cst.SimpleStatementLine)
    return _clone_before(name, statement, source) if statement is not None else None


def _written(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The expression whose memory a node writes to: of `t.view(-1)[i] = 0`, `t.view(-1)`."""
    if isinstance(node, cst.Call):
        func = node.func
        return func.value if isinstance(func, cst.Attribute) and _writes(func) else None
    target = node.target if isinstance(node, cst.AugAssign) else None
    if isinstance(node, cst.Assign):
        target = node.targets[0].target
    if isinstance(target, cst.Subscript):
        return target.value
    return target if isinstance(node, cst.AugAssign) else None


def _writes(method: cst.Attribute) -> bool:
    return is_write_method(method.attr.value)


def _rewritten(node: cst.CSTNode, name: str, source: Source) -> tuple[Edit, ...]:
    """`t -= 1`, `t[t == 255] = 0` and `t.clamp_(0, 1)` as assignments to `t`."""
    written = _written(node)
    if not (isinstance(written, cst.Name) and written.value == name):
        return ()
    if isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
        operator = source.code(node.operator).strip().removesuffix("=")
        if not _is_number(node.value, source):
            return ()
        return (source.replace(node, f"{name} = {name} {operator} {source.code(node.value)}"),)
    if isinstance(node, cst.Assign) and len(node.targets) == 1:
        return _masked(node, name, source)
    outer = source.parent(node)
    if isinstance(node, cst.Call) and isinstance(outer, cst.Expr):
        return _method(node, name, source)
    if isinstance(node, cst.Call) and isinstance(outer, cst.Assign) and _gives(outer, name):
        return _method(node, name, source)[1:]
    return ()


def _gives(assign: cst.Assign, name: str) -> bool:
    """`t = t.clamp_(0, 1)`."""
    targets = [t.target for t in assign.targets]
    return len(targets) == 1 and isinstance(targets[0], cst.Name) and targets[0].value == name


def _masked(node: cst.Assign, name: str, source: Source) -> tuple[Edit, ...]:
    place = node.targets[0].target
    index = place.slice[0].slice if isinstance(place, cst.Subscript) else None
    mask = index.value if isinstance(index, cst.Index) else None
    if not isinstance(mask, cst.Comparison) or len(mask.comparisons) != 1:
        return ()
    compared = mask.comparisons[0].comparator
    own = isinstance(mask.left, cst.Name) and mask.left.value == name
    one = isinstance(place, cst.Subscript) and len(place.slice) == 1
    if not (own and one and _is_number(compared, source) and _is_number(node.value, source)):
        return ()
    filled = f"{name}.masked_fill({source.code(mask)}, {source.code(node.value)})"
    return (source.replace(node, f"{name} = {filled}"),)


def _method(call: cst.Call, name: str, source: Source) -> tuple[Edit, ...]:
    assert isinstance(call.func, cst.Attribute)
    method = call.func.attr.value.removesuffix("_")
    plain = all(_is_number(arg.value, source) for arg in call.args)
    if method not in _SAME_TYPE and not (method in _WITH_NUMBERS and plain):
        return ()
    start = source.replace(call, "").start
    return Edit(start, start, f"{name} = "), source.replace(call.func.attr, method)


def _is_number(node: cst.BaseExpression, source: Source) -> bool:
    """A number, or a name that this file gives one and no other value."""
    if isinstance(literal(node), (int, float)):
        return True
    values = source.classes.assigned(node) if isinstance(node, cst.Name) else []
    return bool(values) and all(isinstance(literal(v), (int, float)) for v in values)


def _clone_first(name: str, function: cst.FunctionDef, source: Source) -> Fix | None:
    """A clone at the head of the function, before other names share its memory."""
    param = next(p for p in parameters(function) if p.name.value == name)
    optional = param.annotation is not None and "None" in source.code(param.annotation.annotation)
    lines = [s for s in function.body.body if not _is_docstring(s)]
    if optional or param.default is not None or not lines:
        return None
    first = lines[0]
    return (
        _clone_before(name, first, source) if isinstance(first, cst.SimpleStatementLine) else None
    )


def _clone_before(name: str, statement: cst.SimpleStatementLine, source: Source) -> Fix | None:
    if not isinstance(source.parent(statement), cst.IndentedBlock):
        return None
    edit = source.above(statement, f"{name} = {name}.clone()")
    return Fix("work on a copy", (edit,), Applicability.UNSAFE)


def _is_docstring(statement: cst.CSTNode) -> bool:
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.BaseString)


def _aliases(name: str, function: cst.FunctionDef, source: Source) -> bool:
    """Whether another name of the function may share the memory of a parameter."""
    return any(
        source.enclosing(assign, cst.FunctionDef) is function
        and _is_view(assign.value, name)
        and any(
            not isinstance(t.target, cst.Name) or t.target.value != name for t in assign.targets
        )
        for assign in source.nodes(cst.Assign)
    )


def _is_view(node: cst.BaseExpression, name: str) -> bool:
    """Whether an expression is a parameter, or what views of it give."""
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript)):
        if isinstance(node, cst.Call):
            if not isinstance(node.func, cst.Attribute) or not gives_view(node.func.attr.value):
                return False
            node = node.func
        node = node.value
    return isinstance(node, cst.Name) and node.value == name


def _earlier(node: cst.CSTNode, name: str, function: cst.FunctionDef, source: Source) -> bool:
    """Whether a write further up gets the clone; this one is looked at again after that."""
    kinds = (cst.Call, cst.Assign, cst.AugAssign)
    others = (other for kind in kinds for other in source.nodes(kind) if other is not node)
    return any(
        _root(_written(other)) == name
        and source.enclosing(other, cst.FunctionDef) is function
        and source.precedes(other, node)
        for other in others
    )


def _root(node: cst.BaseExpression | None) -> str:
    """The name at the head of a chain of attributes, calls and indices."""
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""
