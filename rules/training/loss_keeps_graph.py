"""LT409: a running total of losses that keeps the graph of every step."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT409",
    summary="a sum of losses keeps their graphs",
    why="""
        A loss that has run backward is still a tensor with a history. `total += loss` makes the
        total part of a graph that grows by a few nodes at every step and is freed only with the
        total; a list of losses holds them the same way. Memory climbs slowly over an epoch.
        Measured on torch 2.13: the total requires grad. `loss.detach()` has the same value and
        no history; `loss.item()` is a number, and waits for the GPU.

        Only losses on which backward() is called in the same loop are reported, without
        retain_graph: their sum cannot be meant to run backward once more.
    """,
    bad="""
        def train(model, batches, optimizer):
            total = 0.0
            for batch in batches:
                optimizer.zero_grad()
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
                total += loss
            return total
    """,
    good="""
        def train(model, batches, optimizer):
            total = 0.0
            for batch in batches:
                optimizer.zero_grad()
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
                total += loss.detach()
            return total
    """,
    proof="""
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        assert not train(model, [torch.ones(1)] * 2, optimizer).requires_grad
    """,
    severity=Severity.NOTE,
    fix=Applicability.SAFE,
)

_AGAIN = ("retain_graph", "create_graph", "autograd.grad(")
_SCALING = (cst.Multiply, cst.Divide)
_QUIET = re.compile(r"no_grad|inference_mode|set_grad_enabled")


@rule.source(cst.AugAssign, cst.Assign, cst.Call, needs=("backward(",))
def in_source(node: cst.CSTNode, source: Source) -> Iterator[Hit]:
    total, value = _summed(node, source)
    losses = list(_names(value)) if value is not None else []
    if len(losses) != 1:
        return
    loss = losses[0]
    loop = source.enclosing(node, cst.For, cst.While, cst.FunctionDef)
    if not total or not isinstance(loop, (cst.For, cst.While)) or loss.value == total:
        return
    if _is_kept(total, node, loop, source) and _ran_backward(loss, node, loop, source):
        end = source.replace(loss, "").end
        fix = Fix("detach it", (Edit(end, end, ".detach()"),), Applicability.SAFE)
        message = f"{total} keeps the graph of every {loss.value} it is given"
        yield Hit(node, message, fix)


def _summed(node: cst.CSTNode, source: Source) -> tuple[str, cst.BaseExpression | None]:
    """What grows, and by what: of `total += loss`, `total = total + loss`, `losses.append(loss)`."""
    if isinstance(node, cst.AugAssign) and isinstance(node.operator, cst.AddAssign):
        return _plain(node.target, source), node.value
    if isinstance(node, cst.Assign) and isinstance(node.value, cst.BinaryOperation):
        total = _plain(node.targets[0].target, source)
        added = node.value if isinstance(node.value.operator, cst.Add) else None
        if added is not None and total and source.code(added.left) == total:
            return total, added.right
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        own = node.func.attr.value == "append" and len(node.args) == 1
        alone = isinstance(source.parent(node), cst.Expr)
        if own and alone and isinstance(node.args[0].value, cst.Name):
            return _plain(node.func.value, source), node.args[0].value
    return "", None


def _plain(node: cst.BaseExpression, source: Source) -> str:
    return source.code(node) if isinstance(node, (cst.Name, cst.Attribute)) else ""


def _names(value: cst.BaseExpression) -> Iterator[cst.Name]:
    """The name of the loss in `loss`, `loss * n` or `loss / n`."""
    if isinstance(value, cst.Name):
        yield value
    elif isinstance(value, cst.BinaryOperation):
        scaled = isinstance(value.operator, _SCALING) and _is_number(value.right)
        yield from _names(value.left) if scaled else ()


def _is_number(node: cst.BaseExpression) -> bool:
    """A name, a number, or a size: `x.size(0)`, `len(x)`, `x.shape[0]`."""
    if isinstance(node, cst.Call):
        last = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        return isinstance(last, cst.Name) and last.value in ("size", "len", "numel")
    return isinstance(node, (cst.Name, cst.Attribute, cst.Integer, cst.Float, cst.Subscript))


def _is_kept(total: str, node: cst.CSTNode, loop: cst.For | cst.While, source: Source) -> bool:
    """Whether the total was there before the loop, starts as a number or list, and stays a total."""
    function = source.enclosing(loop, cst.FunctionDef)
    scope = source.code(function) if function is not None else source.text
    if any(word in scope for word in _AGAIN) or _is_quiet(node, source):
        return False
    name = re.escape(total)
    body = source.code(loop.body)
    begins = rf"(?<![\w.]){name}\s*(?::[^=\n]+)?=\s*(0\.?0*|\[\]|torch\.(zeros|tensor)\([^\n]*)\s*(#.*)?$"
    again = rf"(?<![\w.]){name}\s*=(?!=)"
    reset = [m for m in re.finditer(again, body) if m[0] and not isinstance(node, cst.Assign)]
    cleared = re.search(rf"(?<![\w.]){name}\.(clear|pop)\(|del {name}\b", body)
    used = re.search(rf"backward\([^\n]*\b{name}\b|\b{name}\b[^\n]*\.backward\(", scope)
    return bool(re.search(begins, scope, re.M)) and not reset and not cleared and not used


def _is_quiet(node: cst.CSTNode, source: Source) -> bool:
    return any(
        isinstance(outer, cst.With) and any(_QUIET.search(source.code(i.item)) for i in outer.items)
        for outer in source.ancestors(node)
    )


def _ran_backward(
    loss: cst.Name, node: cst.CSTNode, loop: cst.For | cst.While, source: Source
) -> bool:
    """Whether backward runs from this very loss in the loop, and it is not bound anew afterwards."""
    name = re.escape(loss.value)
    body = source.code(loop.body)
    backward = re.search(
        rf"(?<![\w.]){name}\.backward\(|\.scale\({name}\)\.backward\(|(?<!def )backward\({name}[,)]",
        body,
    )
    if backward is None:
        return False
    text = source.code(node)
    place = body.find(text)
    between = body[min(backward.start(), place) : max(backward.start(), place)]
    return place >= 0 and not re.search(rf"(?<![\w.]){name}\s*(,[^=\n]*)?=(?!=)", between)
