"""LT402: a tensor changed in place that backward, or another name, still needs as it was."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.dataflow.memory_writes import written_tensor
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.facts.training.pending_backward import is_pending
from lintorch.source import Source, literal
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT402",
    summary="a tensor changed in place that is still needed as it was",
    why="""
        Autograd keeps tensors for backward: the output of sigmoid, tanh, softmax, exp, sqrt and
        relu, the input and target of a loss. Changed in place, backward raises. A parameter
        changed outside `torch.no_grad()` raises at once. Other forms say nothing: an in-place
        activation at the head of a residual branch changes the shortcut too (ReLU makes it
        relu(x)); a write to `x.detach()` changes x; a write to one place of an expanded tensor
        changes all places that share its memory. Measured on torch 2.13.

        With `.clone()`, or out of place, each value stays what it was.
    """,
    bad="""
        import torch


        def rows(first):
            table = first.expand(3, 4)
            table[0, 0] = 1
            return table
    """,
    good="""
        import torch


        def rows(first):
            table = first.expand(3, 4).clone()
            table[0, 0] = 1
            return table
    """,
    proof="""
        assert rows(torch.zeros(3, 1)).sum() == 1
    """,
    severity=Severity.ERROR,
    fix=Applicability.UNSAFE,
)

SAVED = ("Sigmoid", "Tanh", "ReLU", "Softmax", "LogSoftmax")
"""Layers whose backward reads their output."""
_ACTIVATIONS = ("ReLU", "LeakyReLU", "ELU", "SiLU", "Hardswish", "ReLU6", "Mish", "SELU", "CELU")
_SAVING = frozenset({"sigmoid", "tanh", "softmax", "log_softmax", "exp", "sqrt", "rsqrt"})
_LOSSES = ("_loss", "cross_entropy", "binary_cross_entropy_with_logits", "kl_div")
_EXPANDING = frozenset({"expand", "expand_as", "broadcast_to"})
_FREE = ("no_grad", "inference_mode", "set_grad_enabled")
_WRITES = (cst.Assign, cst.AugAssign, cst.Call)


@rule.source(cst.Call, needs=("inplace=True",))
def in_rows(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`nn.Sequential(nn.Sigmoid(), nn.Dropout(0.1, inplace=True))`."""
    if source.name(call.func) != "torch.nn.Sequential":
        return
    layers = [arg.value for arg in call.args if not arg.star]
    for before, after in pairwise(layers):
        short = _short(before, source)
        if short in SAVED and _is_inplace(after, source):
            name = _short(after, source)
            fix = _out_of_place(after, source)
            yield Hit(after, f"{name} in place changes what backward of {short} needs", fix)


@rule.source(cst.Call, needs=("inplace=True", "relu_("))
def in_branches(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`return self.branch(x) + x`, where the branch begins with an activation in place."""
    function = source.enclosing(call, cst.FunctionDef)
    given = call.args[0].value if call.args and not call.args[0].star else None
    if function is None or not isinstance(given, cst.Name) or not _begins_in_place(call, source):
        return
    shortcut = _shortcut(call, given, function, source)
    if shortcut:
        message = f"changes {given.value} in place, and {shortcut} is added later as the shortcut"
        yield Hit(call, message, severity=Severity.WARNING)


@rule.source(
    *_WRITES, needs=("weight.", "weight[", "bias.", "bias[", "requires_grad=True", "Parameter(")
)
def in_leaves(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    """`self.fc.weight.normal_()` and `w += 1` where gradients are recorded."""
    place = _written(node, source)
    while isinstance(place, cst.Subscript):
        place = place.value
    if place is None or not _is_own(place, source):
        return
    if not _is_leaf(place, source) or _is_free(node, source):
        return
    text = source.code(place)
    yield Hit(node, f"changes {text} in place, which needs a gradient: raises outside no_grad")


@rule.source(*_WRITES, needs=(".expand(", "expand_as(", "broadcast_to("))
def in_expanded(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    place = _written(node, source)
    made = _made(place, source)
    if not isinstance(made, cst.Call) or _method(made, source) not in _EXPANDING:
        return
    assert isinstance(place, cst.Name)
    index = node.targets[0].target if isinstance(node, cst.Assign) else None
    if isinstance(index, cst.Subscript) and not _is_one_place(index):
        return
    edit = source.replace(made, f"{source.code(made)}.clone()")
    fix = Fix("expand into memory of its own", (edit,), Applicability.UNSAFE)
    message = f"writes to {place.value}, whose expanded places share their memory"
    yield Hit(node, message, fix)


@rule.source(*_WRITES, needs=("backward()", "detach()"))
def in_training(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    """Writes between a loss and its backward, and through `detach()`."""
    place = _written(node, source)
    while isinstance(place, cst.Subscript):
        place = place.value
    if not isinstance(place, cst.Name) or _is_free(node, source):
        return
    if loss := _loss_before(place, source):
        message = f"changes {place.value}, which backward of {loss} needs as it was"
        yield Hit(node, message)
    elif (origin := _detached(place, source)) and _is_needed(origin, node, source):
        made = reaching_definitions(place, source)[0].value
        assert made is not None
        edit = source.replace(made, f"{source.code(made)}.clone()")
        fix = Fix("work on a copy", (edit,), Applicability.UNSAFE)
        yield Hit(node, f"changes {origin.value} too: detach() shares its memory", fix)


def _written(node: cst.CSTNode, source: Source) -> cst.BaseExpression | None:
    """The tensor written to by a method or an assignment."""
    func = node.func if isinstance(node, cst.Call) else None
    if isinstance(node, cst.Call):
        named = isinstance(func, cst.Attribute) and func.attr.value.endswith("_")
        return written_tensor(node, source) if named else None
    return written_tensor(node, source)


# layers in place


def _short(layer: cst.BaseExpression, source: Source) -> str:
    name = source.name(layer.func) if isinstance(layer, cst.Call) else ""
    return name.rpartition(".")[2] if name.startswith("torch.nn.") else ""


def _is_inplace(layer: cst.BaseExpression, source: Source) -> bool:
    if not isinstance(layer, cst.Call) or not _short(layer, source):
        return False
    return source.arguments(layer).value("inplace", False) is True


def _out_of_place(layer: cst.BaseExpression, source: Source) -> Fix | None:
    assert isinstance(layer, cst.Call)
    flag = source.arguments(layer).get("inplace")
    edits = (source.replace(flag, "False"),) if flag is not None else ()
    return Fix("work out of place", edits, Applicability.UNSAFE) if edits else None


def _begins_in_place(call: cst.Call, source: Source) -> bool:
    """Whether what is called changes its argument before anything else happens."""
    name = source.name(call.func)
    if name in ("torch.relu_", "torch.nn.functional.relu_"):
        return True
    if name.startswith("torch.nn.functional.") and written_tensor(call, source) is not None:
        return "dropout" not in name
    made = source.origins(call.func) if not name else ()
    return bool(made) and all(_is_head_in_place(one, source) for one in made)


def _is_head_in_place(made: cst.Call, source: Source) -> bool:
    head: cst.BaseExpression = made
    if source.name(made.func) == "torch.nn.Sequential" and made.args and not made.args[0].star:
        head = made.args[0].value
    return _short(head, source) in _ACTIVATIONS and _is_inplace(head, source)


def _shortcut(call: cst.Call, given: cst.Name, function: cst.FunctionDef, source: Source) -> str:
    """The name under which the changed tensor is added later; "" where it is not."""
    mine = {id(d.value) for d in reaching_definitions(given, source)}
    kept = _rebinds(call, given.value, source)
    for name in _added(function, source):
        after = source.precedes(given, name)
        if name is given or not (after or _around(name, call, source)):
            continue
        found = reaching_definitions(name, source)
        if name.value == given.value and not kept and {id(d.value) for d in found} == mine:
            return name.value
        value = found[0].value if len(found) == 1 else None
        if isinstance(value, cst.Name) and _stands_for(value, given, mine, source):
            return name.value
    return ""


def _stands_for(alias: cst.Name, given: cst.Name, mine: set[int], source: Source) -> bool:
    """`identity = x`, before x changes."""
    same = (
        alias.value == given.value
        and {id(d.value) for d in reaching_definitions(alias, source)} == mine
    )
    return same and source.precedes(alias, given)


def _around(name: cst.Name, call: cst.Call, source: Source) -> bool:
    """Whether both stand in one sum, as in `x + self.branch(x)`."""
    outer = source.parent(name)
    return isinstance(outer, cst.BinaryOperation) and outer in source.ancestors(call)


def _rebinds(call: cst.Call, name: str, source: Source) -> bool:
    """`x = self.relu(x)`."""
    outer = source.parent(call)
    targets = outer.targets if isinstance(outer, cst.Assign) else ()
    return any(isinstance(t.target, cst.Name) and t.target.value == name for t in targets)


def _added(function: cst.FunctionDef, source: Source) -> Iterator[cst.Name]:
    """The names that are added to something in a function, in order."""
    sums: list[cst.BinaryOperation | cst.AugAssign]
    sums = [*source.nodes(cst.BinaryOperation), *source.nodes(cst.AugAssign)]
    sides = [
        side
        for node in sums
        if isinstance(node.operator, (cst.Add, cst.AddAssign))
        and source.enclosing(node, cst.FunctionDef) is function
        for side in _sides(node)
    ]
    yield from sorted(
        (s for s in sides if isinstance(s, cst.Name)), key=source.tree.order.__getitem__
    )


def _sides(node: cst.BinaryOperation | cst.AugAssign) -> tuple[cst.BaseExpression, ...]:
    if isinstance(node, cst.BinaryOperation):
        return node.left, node.right
    return node.target, node.value


# leaves


def _is_own(place: cst.BaseExpression, source: Source) -> bool:
    """Whether what is written to was made here; helpers are often called under no_grad."""
    function = source.enclosing(place, cst.FunctionDef)
    made_here = function is None or isinstance(place, cst.Name)
    return made_here or (function is not None and function.name.value == "__init__")


def _is_leaf(place: cst.BaseExpression, source: Source) -> bool:
    if isinstance(place, cst.Attribute) and place.attr.value in ("weight", "bias"):
        made = () if _is_frozen(place.value, source) else source.origins(place.value)
        layers = [source.name(one.func) for one in made]
        return bool(layers) and all(n.startswith("torch.nn.") and n[9:10].isupper() for n in layers)
    if isinstance(place, cst.Name):
        found = reaching_definitions(place, source)
        calls = [d.value for d in found if d.index is None]
        return (
            bool(calls) and len(calls) == len(found) and all(_makes_leaf(c, source) for c in calls)
        )
    made = source.built(place) if isinstance(place, cst.Attribute) else ()
    return bool(made) and all(_makes_leaf(one, source) for one in made)


def _is_frozen(layer: cst.BaseExpression, source: Source) -> bool:
    """Whether anything says that the parameters of a layer need no gradient."""
    given = source.classes.assigned(layer)
    told = any("requires_grad" in source.code(value) for value in given)
    return told or f"{source.code(layer)}.requires_grad_" in source.text


def _makes_leaf(made: cst.BaseExpression | None, source: Source) -> bool:
    if not isinstance(made, cst.Call):
        return False
    name = source.name(made.func)
    told = source.arguments(made, "data", "requires_grad").value("requires_grad", None)
    if name == "torch.nn.Parameter":
        return told is None or told is True
    creates = name.startswith("torch.") and name.count(".") == 1
    return creates and source.arguments(made).value("requires_grad", None) is True


def _is_free(node: cst.CSTNode, source: Source) -> bool:
    """Whether gradients are switched off here, or may be."""
    for outer in source.ancestors(node):
        if isinstance(outer, cst.With) and any(_frees(i.item, source) for i in outer.items):
            return True
        decorators = outer.decorators if isinstance(outer, cst.FunctionDef) else ()
        if any(_frees(d.decorator, source) for d in decorators):
            return True
    return False


def _frees(node: cst.BaseExpression, source: Source) -> bool:
    return any(word in source.code(node) for word in _FREE)


# other names of the same memory


def _made(place: cst.BaseExpression | None, source: Source) -> cst.BaseExpression | None:
    found = reaching_definitions(place, source) if isinstance(place, cst.Name) else []
    return found[0].value if len(found) == 1 and found[0].index is None else None


def _method(made: cst.Call, source: Source) -> str:
    name = source.name(made.func)
    if name:
        return name.rpartition(".")[2] if name.startswith("torch.") else ""
    return made.func.attr.value if isinstance(made.func, cst.Attribute) else ""


def _is_one_place(place: cst.Subscript) -> bool:
    """`table[0, 0]`: a write to it is not one to the whole of an axis."""
    indices = [e.slice for e in place.slice]
    return all(
        isinstance(i, cst.Index) and literal(i.value) not in (Ellipsis, None) for i in indices
    )


def _loss_before(place: cst.Name, source: Source) -> str:
    """The loss that was worked out of a name before it changes, where its backward comes after."""
    statement = source.enclosing(place, cst.SimpleStatementLine)
    block = source.parent(statement) if statement is not None else None
    if not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return ""
    mine = {id(d.value) for d in reaching_definitions(place, source)}
    lines = list(block.body)
    spot = next(i for i, line in enumerate(lines) if line is statement)
    for call in (call for line in lines[:spot] for call in _calls(line)):
        names = [a.value for a in call.args if isinstance(a.value, cst.Name)]
        same = next((n for n in names if n.value == place.value), None)
        if same is None or not _is_loss(call, source) or not is_pending(call, place, block, source):
            continue
        if {id(d.value) for d in reaching_definitions(same, source)} == mine:
            return source.code(call.func)
    return ""


def _calls(node: cst.CSTNode) -> Iterator[cst.Call]:
    if isinstance(node, cst.Call):
        yield node
    for child in offspring(node):
        if not isinstance(child, (cst.FunctionDef, cst.ClassDef)):
            yield from _calls(child)


def _is_loss(call: cst.Call, source: Source) -> bool:
    name = source.name(call.func)
    if name.startswith("torch.nn.functional."):
        return name.endswith(_LOSSES)
    made = [source.name(one.func) for one in source.origins(call.func)] if not name else []
    return bool(made) and all(n.startswith("torch.nn.") and n.endswith("Loss") for n in made)


def _detached(place: cst.Name, source: Source) -> cst.Name | None:
    """`out` of `copy = out.detach()`."""
    made = _made(place, source)
    func = made.func if isinstance(made, cst.Call) else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "detach":
        return None
    origin = func.value
    return origin if isinstance(origin, cst.Name) and origin.value != place.value else None


def _is_needed(origin: cst.Name, node: cst.CSTNode, source: Source) -> bool:
    """Whether the tensor is read again after the write."""
    function = source.enclosing(node, cst.FunctionDef)
    mine = {id(d.value) for d in reaching_definitions(origin, source)}
    return any(
        source.enclosing(name, cst.FunctionDef) is function
        and source.precedes(node, name)
        and not isinstance(source.parent(name), (cst.AssignTarget, cst.Param, cst.Arg))
        and {id(d.value) for d in reaching_definitions(name, source)} == mine
        for name in source.mentions_of(origin.value)
    )
