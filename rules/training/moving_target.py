"""LT461: a target of Q-learning that gradients flow into."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.facts.classes.written_once import find_written
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT461",
    summary="a target of Q-learning that is trained too",
    why="""
        The target of temporal-difference learning, `reward + gamma * Q(next state)`, is to be a number. With the
        graph of its Q left on, backward() also moves the value of the next state toward that of this one: another
        objective, which learns slower and may not learn at all, and nothing raises. A target network does not
        need it either. Take it under torch.no_grad(), or detach it. Measured on torch 2.13.

        Reported where target and estimate come from the same network.
    """,
    bad="""
        import torch
        from torch import nn


        def compute_loss(net, state, action, reward, following, done):
            value = net(state).gather(1, action)
            best = net(following).max(1, keepdim=True)[0]
            target = reward + 0.99 * best * (1 - done)
            return nn.functional.mse_loss(value, target)
    """,
    good="""
        import torch
        from torch import nn


        def compute_loss(net, state, action, reward, following, done):
            value = net(state).gather(1, action)
            best = net(following).max(1, keepdim=True)[0]
            target = (reward + 0.99 * best * (1 - done)).detach()
            return nn.functional.mse_loss(value, target)
    """,
    remedy="detach the target, or work it out under torch.no_grad()",
    proof="""
        net = nn.Linear(2, 2, bias=False)
        state, following = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]])
        zero = torch.zeros(1, 1)
        compute_loss(net, state, zero.long(), zero, following, zero).backward()
        assert (net.weight.grad[:, 1] == 0).all(), "the value of the next state is trained"
    """,
    fix=Applicability.UNSAFE,
)

_PLAIN = (cst.Name, cst.Attribute, cst.Subscript, cst.Call)
"""What a reward may be written as; a blend of two pictures adds two products."""
_CUT = re.compile(r"\.detach\(|\.data\b|\.item\(|numpy\(|no_grad|inference_mode")
_LOSSES = re.compile(r"loss|criterion|mse|huber|smooth_l1", re.I)
_DEEPEST = 8


@rule.source(cst.Assign)
def in_source(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`target = reward + gamma * best * (1 - done)`, given to a loss beside what the same network gave."""
    target, value = node.targets[0].target, node.value
    added = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add)
    function = source.enclosing(node, cst.FunctionDef) if added else None
    if not isinstance(target, cst.Name) or not isinstance(value, cst.BinaryOperation):
        return
    sides = ((value.left, value.right), (value.right, value.left))
    earned = any(ends(one, source) and isinstance(other, _PLAIN) for one, other in sides)
    if function is None or not earned:
        return
    written = source.classes.assigned(target)  # `target = target.detach()` behind it
    if any(_CUT.search(source.code(each)) for each in written) or is_quiet(node, source):
        return
    nets = set(list_networks(value, source, 0))
    for call in source.nodes(cst.Call) if nets else ():
        if source.enclosing(call, cst.FunctionDef) is not function:
            continue
        given = [each.value for each in call.args[:2]]
        texts = [source.code(each) for each in given]
        if not _LOSSES.search(source.code(call.func)) or target.value not in texts:
            continue
        others = [each for each in given if source.code(each) != target.value]
        if any(nets & {*list_networks(each, source, 0)} for each in others):
            message = (
                f"{target.value} keeps the graph of {min(nets)}: the next value is trained too"
            )
            end = source.replace(value, "").end
            start = source.replace(value, "").start
            edits = (Edit(start, start, "("), Edit(end, end, ").detach()"))
            yield Hit(value, message, Fix("detach the target", edits, Applicability.UNSAFE))
            return


def ends(term: cst.BaseExpression, source: Source, depth: int = 0) -> bool:
    """`gamma * best * (1 - done)`: nothing follows where an episode ends."""
    if depth == _DEEPEST:  # `zoom = zoom * 2`
        return False
    term = find_written(term, source)
    if not isinstance(term, cst.BinaryOperation):
        return isinstance(term, cst.UnaryOperation) and isinstance(term.operator, cst.BitInvert)
    if isinstance(term.operator, cst.Subtract):
        return literal(find_written(term.left, source)) in (1, 1.0)
    return isinstance(term.operator, cst.Multiply) and any(
        ends(each, source, depth + 1) for each in (term.left, term.right)
    )


def list_networks(value: cst.BaseExpression, source: Source, depth: int) -> Iterator[str]:
    """The networks whose outputs an expression is worked out from, with their graphs."""
    calls = [e for e in source.nodes(cst.Call) if e is value or source.is_within(e, value)]
    for call in calls:
        if is_network(call, source):
            yield source.code(call.func)
    if depth == 4:
        return
    names = [e for e in source.nodes(cst.Name) if e is value or source.is_within(e, value)]
    for name in names:
        outer = source.parent(name)
        if picks_place(name, value, source):
            continue
        if isinstance(outer, cst.Attribute) and outer.attr is name:
            continue
        given = source.classes.assigned(name)
        cut = len(given) != 1 or _CUT.search(source.code(given[0])) or is_quiet(given[0], source)
        if not cut:
            yield from list_networks(given[0], source, depth + 1)


def picks_place(name: cst.Name, value: cst.BaseExpression, source: Source) -> bool:
    """Whether it is asked for a place alone, which has no graph: `q.argmax(1)`, `torch.max(q, 1)[1]`."""
    for outer in source.ancestors(name):
        if outer is value or outer is source.parent(value):
            return False
        if _PLACES.search(source.code(outer)) and isinstance(outer, (cst.Call, cst.Subscript)):
            return True
    return False


_PLACES = re.compile(r"\.argmax\([^()]*\)$|\bmax\([^()]*\)\[1\]$")


def is_network(call: cst.Call, source: Source) -> bool:
    """`self.net(state)`, `net(state)`: something that is called, and no function of torch or of Python."""
    func = call.func
    if isinstance(func, cst.Name):
        return any(
            each.kind in ("param", "assign") for each in source.bound(func)
        ) and not source.name(func)
    own = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name)
    return own and isinstance(func, cst.Attribute) and source.code(func.value) == "self"


def is_quiet(node: cst.CSTNode, source: Source) -> bool:
    """Whether it stands where no gradients are kept."""
    for outer in source.ancestors(node):
        if isinstance(outer, cst.With) and _CUT.search(source.code(outer.items[0].item)):
            return True
        if isinstance(outer, cst.FunctionDef):
            return any(_CUT.search(source.code(each.decorator)) for each in outer.decorators)
    return False
