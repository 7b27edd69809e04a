"""LT801: an expression that overflows, loses its digits or has a NaN gradient where another form does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.source import Source, literal
from lintorch.syntax.tree import offspring

rule = Rule(
    __name__,
    code="LT801",
    summary="an expression that overflows or loses its digits",
    why="""
        Each of these has a form that stays right where it goes wrong. log(softmax(x)) and
        log(sigmoid(x)) are -inf where a probability rounds to 0, and their gradient is NaN.
        log(sum(exp(x))) and log(1 + exp(x)) are inf from x of about 89 in float32. exp(x) - 1
        and log(1 + x) are 0 for x below 1e-8, as the 1 takes up all the digits; they are
        reported where x is often that small: the former of a difference, the latter of a
        probability, a square or the like.

        torch.where computes both arms, and the gradient of the arm that was not chosen is
        multiplied by 0: inf times 0 is NaN. A log, square root or quotient that where() is to
        keep from a zero still makes the gradient NaN there. Put the safe value in before the
        function: `x = torch.where(x > 0, x, 1.0)`. Measured on torch 2.13.

        A logarithm or root without any bound is not reported, as its argument is often known
        to be positive.
    """,
    bad="""
        import torch
        from torch import nn


        class Loss(nn.Module):
            def forward(self, logits, target):
                scores = torch.log(torch.softmax(logits, dim=1))
                return -(target * scores).sum(1).mean()
    """,
    good="""
        import torch
        from torch import nn


        class Loss(nn.Module):
            def forward(self, logits, target):
                scores = torch.log_softmax(logits, dim=1)
                return -(target * scores).sum(1).mean()
    """,
    proof="""
        logits = torch.tensor([[200.0, 0.0]])
        assert Loss()(logits, torch.tensor([[0.0, 1.0]])) == 200
    """,
    fix=Applicability.UNSAFE,
)

ONE = 1
TINY = ("sigmoid", "softmax", "pow", "square", "var", "neg", "rand", "mse_loss")
"""Steps whose result is often close to zero."""
SHARP = ("log", "log2", "log10", "sqrt", "rsqrt", "acos", "asin", "arccos", "arcsin", "reciprocal")
"""Functions with an infinite slope, or none, at a bound of where they are defined."""


WHOLE = ("long", "int", "bool", "bincount", "argmax", "detach", "arange", "gt", "lt", "eq", "ne")
"""Steps that no gradient comes back through."""


@dataclass(frozen=True)
class Operation:
    """A function of torch, or a method of a tensor, and what it is given."""

    name: str
    given: cst.BaseExpression
    call: cst.Call
    is_method: bool


@rule.source(cst.Call, needs=("log(",))
def in_log(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
    named = isinstance(func, cst.Name) and func.value == "log"
    log = operation(call, source) if named else None
    if log is None or log.name != "log":
        return
    within = log.given
    if isinstance(within, cst.BinaryOperation) and isinstance(within.operator, cst.Add):
        yield from log_of_sum(log, within, source)
        return
    inner = operation(written(within, source), source)
    if inner is not None and inner.name == "sum":
        exp = operation(written(inner.given, source), source)
        if exp is not None and exp.name == "exp" and not is_shifted(exp.given):
            message = "log of a sum of exp is inf where exp overflows: logsumexp is not"
            yield Hit(call, message)


@rule.event("torch.log", "torch.Tensor.log", "torch.special.log")
def in_log_of_share(event: Called, source: Source) -> Iterator[Hit]:
    """`log(softmax(x))`, by whatever way one comes to the other."""
    given = (*event.positional, *event.keyword.values())
    made = source.evaluation.ways.find_maker(given[0]) if given else None
    name = (
        made.name.removesuffix(".forward").rpartition(".")[2].lower()
        if isinstance(made, Called)
        else ""
    )
    if name not in BETTER:
        return
    message = f"log of {name} is -inf where {name} rounds to 0: {BETTER[name]} is not"
    call = source.call_at(event)
    log = None if call is None else operation(call, source)
    inner = None if log is None else operation(log.given, source)
    yield Hit(event, message, as_one(log, inner, source) if log and inner else None)


BETTER = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}


@rule.source(cst.BinaryOperation, needs=("exp(",))
def in_difference(node: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    if not isinstance(node.operator, cst.Subtract) or literal(node.right) != ONE:
        return
    exp = operation(node.left, source)
    if exp is not None and exp.name == "exp" and is_difference(exp.given, source):
        message = "exp(x) - 1 loses the digits of a small x: expm1(x) keeps them"
        yield Hit(node, message, renamed(exp, "expm1", node, source), severity=Severity.NOTE)


@rule.source(cst.Call, needs=("where(",))
def in_where(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.where" or not source.in_forward(call):
        return
    given = source.arguments(call, "condition", "input", "other")
    condition = given.get("condition")
    if not isinstance(condition, cst.Comparison):
        return
    tested = compared_with_number(condition)
    if not tested or has_no_gradient(condition.left, source):
        return
    for arm in (given.get("input"), given.get("other")):
        name = sharp(arm, tested, source)
        if name:
            message = f"the gradient of {name} is NaN at a zero, though where() takes the other arm"
            yield Hit(call, message)
            return


def log_of_sum(log: Operation, within: cst.BinaryOperation, source: Source) -> Iterator[Hit]:
    """`log(1 + x)` and `log(1 + exp(x))`."""
    sides = (within.left, within.right)
    if literal(sides[1]) == ONE:
        sides = sides[::-1]
    if literal(sides[0]) != ONE or not source.value(sides[1]).is_tensor:
        return
    exp = operation(sides[1], source)
    if exp is not None and exp.name == "exp":
        yield Hit(log.call, "log(1 + exp(x)) is inf where exp overflows: softplus(x) is not")
    elif any(step.name in TINY for step in source.steps(sides[1])[:2]):
        message = "log(1 + x) loses the digits of a small x: log1p(x) keeps them"
        fix = with_log1p(log, sides[1], source)
        yield Hit(log.call, message, fix, severity=Severity.NOTE)


def operation(node: cst.CSTNode | None, source: Source) -> Operation | None:
    """The function of torch or method of a tensor that an expression calls."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    name = source.name(node.func)
    if name.startswith("torch."):
        given = source.arguments(node, "input").get("input")
        return Operation(name.rpartition(".")[2], given, node, False) if given else None
    if name or not isinstance(node.func, cst.Attribute):
        return None
    tensor = node.func.value
    known = source.value(tensor).is_tensor or operation(tensor, source) is not None
    return Operation(node.func.attr.value, tensor, node, True) if known else None


def written(node: cst.BaseExpression, source: Source) -> cst.BaseExpression:
    """What a local name was last given; else the expression itself."""
    found = reaching_definitions(node, source) if isinstance(node, cst.Name) else []
    if len(found) == 1 and found[0].index is None and found[0].value is not None:
        return found[0].value
    return node


def is_difference(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is one number less another, which may be as good as equal."""
    if isinstance(node, cst.UnaryOperation):
        return is_difference(node.expression, source)
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Multiply):
        return any(is_difference(side, source) for side in (node.left, node.right))
    found = written(node, source)
    return is_shifted(found) or (found is not node and is_difference(found, source))


def is_shifted(node: cst.BaseExpression) -> bool:
    """Whether something, as the maximum, is subtracted before exp."""
    return isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Subtract)


def compared_with_number(condition: cst.BaseExpression) -> str:
    """The name in `x > 0`, `x != 0`, `x.abs() > 1e-6`, compared with a small number."""
    if not isinstance(condition, cst.Comparison) or len(condition.comparisons) != 1:
        return ""
    number = literal(condition.comparisons[0].comparator)
    small = isinstance(number, (int, float)) and abs(number) < ONE
    return condition.left.value if small and isinstance(condition.left, cst.Name) else ""


def has_no_gradient(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a tensor was counted or compared, so that no gradient flows through it."""
    steps = source.steps(node)
    if not steps:
        found = reaching_definitions(node, source) if isinstance(node, cst.Name) else []
        return any(d.value is not None for d in found)
    if any(step.name in WHOLE for step in steps):
        return True
    last = operation(steps[-1].node, source)
    return last is not None and isinstance(last.given, (cst.Comparison, cst.UnaryOperation))


def sharp(arm: cst.BaseExpression | None, name: str, source: Source) -> str:
    """The function in an arm that is given the tested tensor as it is; "" if there is none."""
    if arm is None or isinstance(arm, cst.Lambda):
        return ""
    if (
        isinstance(arm, cst.BinaryOperation)
        and isinstance(arm.operator, cst.Divide)
        and is_name(arm.right, name)
        and source.value(arm.right).is_tensor
    ):
        return "a quotient"
    done = operation(arm, source)
    if done is not None and done.name in SHARP and is_name(done.given, name):
        return done.name
    if done is not None and done.name in ("nan_to_num", "detach", "where"):
        return ""
    found = (sharp(part, name, source) for part in parts_of(arm))
    return next((f for f in found if f), "")


def parts_of(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The expressions directly in an expression."""
    for part in offspring(node):
        if isinstance(part, cst.BaseExpression):
            yield part
        elif isinstance(part, cst.Arg):
            yield part.value


def is_name(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def as_one(log: Operation, inner: Operation, source: Source) -> Fix | None:
    """`torch.log(torch.softmax(x, dim=1))` as `torch.log_softmax(x, dim=1)`."""
    if inner.call is not log.given or inner.name != "softmax":
        return None
    func = inner.call.func
    if not isinstance(func, cst.Attribute):
        return None
    start = source.replace(log.call, "").start
    end = source.replace(log.call, "").end
    whole = source.replace(func.attr, "log_softmax")
    inside = source.replace(inner.call, "")
    text = source.text
    content = text[inside.start : whole.start] + whole.content + text[whole.end : inside.end]
    return Fix("use log_softmax", (Edit(start, end, content),), Applicability.UNSAFE)


def renamed(done: Operation, name: str, whole: cst.CSTNode, source: Source) -> Fix | None:
    """`torch.exp(x) - 1` as `torch.expm1(x)`."""
    func = done.call.func
    if not isinstance(func, cst.Attribute):
        return None
    call = source.code(done.call.with_changes(func=func.with_changes(attr=cst.Name(name))))
    return Fix(f"use {name}", (source.replace(whole, call),), Applicability.UNSAFE)


def with_log1p(log: Operation, added: cst.BaseExpression, source: Source) -> Fix | None:
    """`torch.log(1 + x)` as `torch.log1p(x)`."""
    func = log.call.func
    if log.is_method or not isinstance(func, cst.Attribute) or len(log.call.args) != 1:
        return None
    edits = (source.replace(func.attr, "log1p"), source.replace(log.given, source.code(added)))
    return Fix("use log1p", edits, Applicability.UNSAFE)
