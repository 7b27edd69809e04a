"""LT401: a loss that changes the target it was given, which the caller goes on using."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Refuted
from lintorch.core.rule import Rule
from lintorch.evidence import InputWrite, OperatorCall, Trace
from lintorch.evidence.host_reads import converts_nearby
from lintorch.source import Source, literal

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
_WORDS = ("target", "label", "gt", "truth", "mask", "y_true", "reduction")
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
_NOT_WRITES = frozenset(("requires_grad_", "share_memory_", "retain_grad_", "record_stream_"))
_SO = "whoever reads it next gets other values"
_WRITES = (
    *(
        f"torch.Tensor.{name}_"
        for name in sorted(_SAME_TYPE | _WITH_NUMBERS | {"fill", "zero", "copy", "div", "relu"})
    ),
    *(f"torch.Tensor.__{name}__" for name in ("setitem", "iadd", "isub", "imul", "itruediv")),
)


@rule.source(cst.Call, cst.Assign, cst.AugAssign, needs=_WORDS)
def in_source(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    if isinstance(node, cst.Assign) and (criterion := _shared_criterion(node, source)):
        message = f"changes the reduction of {criterion}, which the caller made and may share"
        yield Hit(node, message)
        return
    written = _written(node)
    function = source.enclosing(node, cst.FunctionDef) if written is not None else None
    if written is None or function is None:
        return
    name = _target_of(written, function, source)
    if name and _is_tensor_write(node, written, source):
        message = f"changes the caller's {name}"
        yield Hit(node, message, _fix(node, name, function, source), detail=_SO)


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


def _written(node: cst.CSTNode) -> cst.BaseExpression | None:
    """The expression whose memory a node writes to: of `t.view(-1)[i] = 0`, `t.view(-1)`."""
    if isinstance(node, cst.Call):
        func = node.func
        named = isinstance(func, cst.Attribute) and _is_inplace(func.attr.value)
        return func.value if named and isinstance(func, cst.Attribute) else None
    if isinstance(node, cst.Assign):
        places = [t.target for t in node.targets if isinstance(t.target, cst.Subscript)]
        return places[0].value if places and not _by_key(places[0]) else None
    if isinstance(node, cst.AugAssign):
        target = node.target
        if isinstance(target, cst.Subscript):
            return None if _by_key(target) else target.value
        return target if isinstance(target, (cst.Name, cst.Attribute)) else None
    return None


def _is_inplace(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__") and method not in _NOT_WRITES


def _by_key(place: cst.Subscript) -> bool:
    """Whether a string is the index, as into a dictionary."""
    index = place.slice[0].slice
    return isinstance(index, cst.Index) and isinstance(literal(index.value), str)


def _target_of(written: cst.BaseExpression, function: cst.FunctionDef, source: Source) -> str:
    """The parameter that stands for a target and whose memory is written; "" if there is none."""
    suspects = _suspects(function)
    value = source.value(written) if suspects else None
    if value is None or not value.is_tensor or value.copied or len(value.roots) != 1:
        return ""
    (name,) = value.roots
    return name if name in suspects and not _hands_back(name, function, source) else ""


def _suspects(function: cst.FunctionDef) -> list[str]:
    """Parameters named as targets, in a function that is given something to compare them with."""
    names = [p.name.value for p in _params(function) if not _NOTED.search(p.name.value)]
    if names[:1] == ["ctx"] or _OWNER.search(function.name.value):
        return []
    others = [name for name in names if not _TARGET.match(name)]
    loose, strict = (any(p.search(name) for name in others) for p in (_GUESS, _STRICT_GUESS))
    return [
        name
        for name in names
        if (loose and _TARGET.match(name) and name not in ("y", "ys"))
        or (strict and (_MASK.match(name) or name in ("y", "ys")))
    ]


def _hands_back(name: str, function: cst.FunctionDef, source: Source) -> bool:
    """Whether the function returns the target, so that changing it may be its purpose."""
    for returned in source.nodes(cst.Return):
        if source.enclosing(returned, cst.FunctionDef) is function and returned.value is not None:
            value = returned.value
            parts = [e.value for e in value.elements] if isinstance(value, cst.Tuple) else [value]
            if any(name in source.value(part).roots for part in parts):
                return True
    return False


def _is_tensor_write(node: cst.CSTNode, written: cst.BaseExpression, source: Source) -> bool:
    """Whether what is written is a tensor: `t -= 1` and `t[0] = 1` may be of a number or a list."""
    if isinstance(node, cst.Call):
        chained = source.parent(node)
        outer = source.parent(chained) if isinstance(chained, cst.Attribute) else None
        return not (isinstance(outer, cst.Call) and _written(outer) is node)
    target = node.target if isinstance(node, cst.AugAssign) else None
    if isinstance(node, cst.Assign):
        target = node.targets[0].target
    if isinstance(target, cst.Subscript) and (
        len(target.slice) > 1 or any(_is_mask(part, source) for part in target.slice)
    ):
        return True
    function = source.enclosing(node, cst.FunctionDef)
    return source.value(written).sure or _used_as_tensor(written, function, source)


def _is_mask(part: cst.SubscriptElement, source: Source) -> bool:
    index = part.slice
    if not isinstance(index, cst.Index):
        return True
    return (
        isinstance(index.value, (cst.Comparison, cst.Ellipsis))
        or source.value(index.value).is_tensor
    )


def _used_as_tensor(
    written: cst.BaseExpression, function: cst.FunctionDef | None, source: Source
) -> bool:
    """Whether the same name is given to a function of torch, or has a tensor's methods called."""
    return isinstance(written, cst.Name) and any(
        written.value in _tensors(call, source)
        for call in source.nodes(cst.Call)
        if source.enclosing(call, cst.FunctionDef) is function
    )


def _tensors(call: cst.Call, source: Source) -> Iterator[str]:
    """Names that a call shows to be tensors."""
    if source.name(call.func).startswith("torch."):
        yield from (arg.value.value for arg in call.args if isinstance(arg.value, cst.Name))
    func = call.func
    if isinstance(func, cst.Attribute) and func.attr.value in _METHODS:
        yield _root(func.value) if isinstance(func.value, cst.Name) else ""


def _shared_criterion(node: cst.Assign, source: Source) -> str:
    """The criterion given by a caller whose `reduction` is set; "" for anything else."""
    place = node.targets[0].target
    if not isinstance(place, cst.Attribute) or place.attr.value != "reduction":
        return ""
    owner = place.value
    given = source.classes.assigned(owner) if isinstance(owner, cst.Attribute) else [owner]
    function = source.enclosing(node, cst.FunctionDef)
    names = {p.name.value for p in _params(function)[1:]} if function is not None else set()
    named = bool(given) and all(isinstance(g, cst.Name) and g.value in names for g in given)
    return source.code(owner) if named and not _is_taken_over(given, node, source) else ""


def _is_taken_over(given: list[cst.BaseExpression], node: cst.Assign, source: Source) -> bool:
    """`self.reduction = criterion.reduction` above: a wrapper that reduces in its stead."""
    return any(
        isinstance(a.value, cst.Attribute)
        and a.value.attr.value == "reduction"
        and any(source.code(a.value.value) == source.code(g) for g in given)
        for a in source.nodes(cst.Assign)
        if source.precedes(a, node)
    )


# the fix


def _fix(node: cst.CSTNode, name: str, function: cst.FunctionDef, source: Source) -> Fix | None:
    """Out of place where that is the same, else on a clone."""
    if _aliases(name, function, source):
        return _clone_first(name, function, source)
    edits = _rewritten(node, name, source)
    if edits:
        return Fix("work out of place", edits, Applicability.UNSAFE)
    if _root(_written(node)) != name or _earlier(node, name, function, source):
        return None
    statement = source.enclosing(node, cst.SimpleStatementLine)
    return _clone_before(name, statement, source) if statement is not None else None


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
    param = next(p for p in _params(function) if p.name.value == name)
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
    """Whether another name of the function shares the memory of a parameter."""
    return any(
        source.enclosing(assign, cst.FunctionDef) is function
        and name in source.value(assign.value).roots
        and any(
            not isinstance(t.target, cst.Name) or t.target.value != name for t in assign.targets
        )
        for assign in source.nodes(cst.Assign)
    )


def _earlier(node: cst.CSTNode, name: str, function: cst.FunctionDef, source: Source) -> bool:
    """Whether a write further up gets the clone; this one is looked at again after that."""
    kinds = (cst.Call, cst.Assign, cst.AugAssign)
    others = (other for kind in kinds for other in source.nodes(kind) if other is not node)
    return any(
        (written := _written(other)) is not None
        and source.enclosing(other, cst.FunctionDef) is function
        and _target_of(written, function, source) == name
        and source.precedes(other, node)
        for other in others
    )


def _root(node: cst.BaseExpression | None) -> str:
    """The name at the head of a chain of attributes, calls and indices."""
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node.value if isinstance(node, cst.Name) else ""


def _params(function: cst.FunctionDef) -> list[cst.Param]:
    given = function.params
    return [*given.posonly_params, *given.params, *given.kwonly_params]
