"""LT801: an expression that overflows, loses its digits or has a NaN gradient where another form does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Indexed
from lintorch.evaluator.values import UNKNOWN, Constant, Number, Tensor, Value
from lintorch.facts.models.operation_steps import find_operand, name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source, literal

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
                logp = torch.log(torch.softmax(logits, dim=1))
                return -(target * logp).sum(1).mean()
    """,
    good="""
        import torch
        from torch import nn


        class Loss(nn.Module):
            def forward(self, logits, target):
                logp = torch.log_softmax(logits, dim=1)
                return -(target * logp).sum(1).mean()
    """,
    proof="""
        logits = torch.tensor([[200.0, 0.0]])
        assert Loss()(logits, torch.tensor([[0.0, 1.0]])) == 200
    """,
    fix=Applicability.UNSAFE,
    in_tests=False,
)

ONE = Constant(1), Constant(1.0)
TINY = frozenset({"sigmoid", "softmax", "pow", "Pow", "square", "var", "neg", "rand", "mse_loss"})
"""Steps whose result is often close to zero."""
SHARP = frozenset(
    {
        "log", "log2", "log10", "sqrt", "rsqrt", "acos", "asin", "arccos", "arcsin", "reciprocal",
    }
)  # fmt: skip
"""Functions with an infinite slope, or none, at a bound of where they are defined."""
WHOLE = frozenset(
    {"long", "int", "bool", "bincount", "argmax", "detach", "arange", "gt", "lt", "eq", "ne"}
)
"""Steps that no gradient comes back through."""
SAFE = frozenset({"nan_to_num", "detach", "where"})
"""Steps behind which a gradient is no NaN any more, or none."""
COMPARISONS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<=", "ne": "!=", "eq": "=="}
LOGS = ("torch.log", "torch.Tensor.log", "torch.special.log")
DEEPEST = 6


@dataclass(frozen=True)
class WrittenCall:
    """A function of torch, or a method of a tensor, and what it is given."""

    name: str
    given: cst.BaseExpression
    call: cst.Call
    is_method: bool


@rule.event(*LOGS)
def in_log(event: Called, source: Source) -> Iterator[Hit]:
    """`log(1 + x)`, `log(sum(exp(x)))`."""
    ways = source.evaluation.ways
    made = ways.find_maker(find_operand(event))
    if isinstance(made, Combined) and made.operator == "Add":
        yield from judge_sum(event, made, source)
    elif isinstance(made, Called) and name_operation(made) == "sum":
        exp = ways.find_maker(find_operand(made))
        given = find_operand(exp) if is_exp(exp) else UNKNOWN
        if given != UNKNOWN and not is_lowered(given, source) and not is_of_units(given, source):
            yield Hit(
                event,
                "log of a sum of exp is inf where exp overflows",
                remedy="write torch.logsumexp(x, dim)",
            )


@rule.event(*LOGS)
def in_log_of_rest(event: Called, source: Source) -> Iterator[Hit]:
    """`log(1 - sigmoid(x))`, `log(1 / (1 + exp(-x)))`."""
    ways = source.evaluation.ways
    made = ways.find_maker(find_operand(event))
    if not isinstance(made, Combined) or made.left not in ONE:
        return
    inner = ways.find_maker(made.right)
    if made.operator == "Sub" and inner is not None and name_operation(inner) == "sigmoid":
        said = "log of 1 - sigmoid is -inf where sigmoid rounds to 1"
        yield Hit(event, said, remedy="write F.logsigmoid(-x)")
    elif made.operator == "Div" and isinstance(inner, Combined) and inner.operator == "Add":
        other = inner.right if inner.left in ONE else inner.left
        if {inner.left, inner.right} & {*ONE} and is_exp(ways.find_maker(other)):
            said = "log of 1 / (1 + exp(-x)) is -inf where exp overflows"
            yield Hit(event, said, remedy="write F.logsigmoid(x)")


@rule.event(*LOGS)
def in_log_of_share(event: Called, source: Source) -> Iterator[Hit]:
    """`log(softmax(x))`, by whatever way one comes to the other."""
    made = find_picked(find_operand(event), source)
    name = (
        made.name.removesuffix(".forward").rpartition(".")[2].lower()
        if isinstance(made, Called)
        else ""
    )
    if name == "relu":
        remedy = "clamp it first: x.clamp(min=1e-6)"
        yield Hit(event, "log of relu is -inf where relu gives 0", remedy=remedy)
    if name not in BETTER or not isinstance(made, Called):
        return
    if name == "sigmoid" and is_ranged(find_operand(made), source):
        return
    if is_drawn_from(event, made, source):
        return
    message = f"log of {name} is -inf where {name} rounds to 0"
    remedy = f"write F.{BETTER[name]}"
    if made is not None and source.evaluation.find_function(
        made
    ) is not source.evaluation.find_function(event):
        remedy = f"leave the {name} out there, and write F.{BETTER[name]} of what it was given"
    log, inner = find_call(event, source), find_call(made, source)
    yield Hit(event, message, as_one(log, inner, source) if log and inner else None, remedy=remedy)


def is_drawn_from(log: Called, made: Called, source: Source) -> bool:
    """`probs.gather(1, torch.multinomial(probs, n)).log()`: what has no chance is not drawn."""
    ways = source.evaluation.ways
    picked = ways.find_maker(find_operand(log))
    given = (*picked.positional, *picked.keyword.values()) if isinstance(picked, Called) else ()
    drawn = (made_by for each in given if (made_by := ways.find_maker(each)) is not None)
    return any(
        isinstance(each, Called)
        and name_operation(each) == "multinomial"
        and ways.find_maker(find_operand(each)) is made
        for each in drawn
    )


BETTER = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}
PICKS = frozenset(
    {
        "gather", "index_select", "take_along_dim", "select", "squeeze", "unsqueeze", "view", "reshape",
        "flatten", "transpose", "permute", "t", "contiguous", "float", "diag", "diagonal",
    }
)  # fmt: skip


def find_picked(value: Value | None, source: Source) -> Operation | None:
    """What made a tensor, seen through what only picks or arranges its numbers: `p.gather(1, y)`, `p[i, y]`."""
    made = source.evaluation.ways.find_maker(value)
    for _ in range(DEEPEST):
        if not isinstance(made, Indexed) and not (made and name_operation(made) in PICKS):
            break
        made = source.evaluation.ways.find_maker(find_operand(made)) if made else None
    return made


@rule.event(Combined)
def in_difference(event: Combined, source: Source) -> Iterator[Hit]:
    """`exp(x - y) - 1`."""
    if event.operator != "Sub" or event.right not in ONE or not isinstance(event.left, Tensor):
        return
    exp = source.evaluation.ways.find_maker(event.left)
    if is_compared(event, source):
        return
    if is_exp(exp) and is_difference(find_operand(exp), source):
        written, whole = find_call(exp, source), source.node_at(event, cst.BinaryOperation)
        message = "exp(x) - 1 loses the digits of a small x"
        direct = written is not None and whole is not None and whole.left is written.call
        fix = renamed(written, "expm1", whole, source) if direct and written and whole else None
        yield Hit(event, message, fix, severity=Severity.NOTE, remedy="write expm1(x)")


def is_compared(event: Combined, source: Source) -> bool:
    """Whether it is only held against something, for which few digits do: `(ratio - 1).abs() > 0.2`."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.Compare, ast.stmt)):
            return isinstance(outer, ast.Compare)
    return False


@rule.event(Combined)
def in_share(event: Combined, source: Source) -> Iterator[Hit]:
    """`e / e.sum(-1, keepdim=True)` of `e = exp(x)`."""
    ways = source.evaluation.ways
    exp, total = find_picked(event.left, source), ways.find_maker(event.right)
    if event.operator != "Div" or not is_exp(exp) or not isinstance(total, Called):
        return
    given = find_operand(exp)
    added = find_operand(total)
    again = ways.find_maker(added)
    same = added is event.left or (is_exp(again) and (again is exp or find_operand(again) is given))
    summed = name_operation(total) == "sum" and same
    limited = is_lowered(given, source) or is_bounded(given, source) or is_of_units(given, source)
    limited = limited or is_written_negative(exp, source)
    if summed and (given != UNKNOWN or is_of_product(exp)) and not limited:
        message = "exp divided by its sum is NaN where exp overflows"
        yield Hit(event, message, remedy="write softmax(x, dim)")


@rule.event("torch.where", "torch.Tensor.where")
def in_where(event: Called, source: Source) -> Iterator[Hit]:
    """`where(x > 0, x.log(), y)`."""
    given = event.arguments
    tested = find_tested(given.get("condition"), source)
    if tested is None or not (
        takes_gradient(tested, source) if event.way.forward else is_of_loss(event, tested, source)
    ):
        return
    arms = (given.get(name) for name in ("input", "self", "other"))
    name = next((found for arm in arms if (found := find_sharp(arm, tested, source))), "")
    if name:
        message = f"the gradient of {name} is NaN at a zero, though where() takes the other branch"
        yield Hit(event, message, remedy=f"put a safe value in before {name}")


def judge_sum(event: Called, added: Combined, source: Source) -> Iterator[Hit]:
    """`log(1 + x)` and `log(1 + exp(x))`."""
    other = added.right if added.left in ONE else added.left
    if not isinstance(other, Tensor) or not {added.left, added.right} & {*ONE}:
        return
    exp = source.evaluation.ways.find_maker(other)
    if is_exp(exp):
        given = find_operand(exp)
        written = is_written_negative(exp, source)
        if not written and not is_bounded(given, source) and not is_ranged(given, source):
            yield Hit(
                event, "log(1 + exp(x)) is inf where exp overflows", remedy="write F.softplus(x)"
            )
    elif is_shifted(event, source):
        return
    elif any(step.name in TINY for step in source.evaluation.steps.list_steps(other)[:2]):
        message = "log(1 + x) loses the digits of a small x"
        fix = with_log1p(find_call(event, source), source)
        yield Hit(event, message, fix, severity=Severity.NOTE, remedy="write log1p(x)")


def is_shifted(event: Called, source: Source) -> bool:
    """Whether a number is added to it at once, which loses the same digits: `-log(pi) - log(1 + x ** 2)`."""
    users = source.evaluation.ways.find_users(event.result)
    return bool(users) and all(
        isinstance(each, Combined)
        and each.operator in ("Add", "Sub")
        and any(is_number(side) for side in (each.left, each.right))
        for each in users
    )


def is_number(value: Value) -> bool:
    """One that is not 0."""
    return isinstance(value, Number) or (isinstance(value, Constant) and bool(value.value))


def is_exp(made: Operation | None) -> TypeGuard[Called]:
    return isinstance(made, Called) and name_operation(made) == "exp"


def is_of_product(exp: Called) -> bool:
    """`torch.exp(q @ k.transpose(-1, -2))`, of whatever these are."""
    given = exp.node.args[0] if isinstance(exp.node, ast.Call) and exp.node.args else None
    return isinstance(given, ast.BinOp) and isinstance(given.op, ast.MatMult)


def is_of_units(value: Value | None, source: Source) -> bool:
    """Whether it is worked out of vectors of length 1, as a cosine is."""
    for each in source.evaluation.ways.list_sources(value) if value is not None else ():
        made = source.evaluation.ways.find_maker(each)
        if made is not None and name_operation(made) in UNITS:
            return True
        if isinstance(made, Combined) and made.operator == "Div" and is_length(made.right, source):
            return True
    return False


def is_length(value: Value, source: Source) -> bool:
    """`x.norm(dim=1)`, or a product of such."""
    ways = source.evaluation.ways
    made = (ways.find_maker(each) for each in ways.list_sources(value))
    return any(each is not None and name_operation(each) in LENGTHS for each in made)


LENGTHS = frozenset({"norm", "vector_norm"})
UNITS = frozenset({"normalize", "cosine_similarity", "cosinesimilarity"})


def is_ranged(value: Value | None, source: Source) -> bool:
    """Whether it is a cosine, a share or the like, times a scale: `32 * cosine_similarity(x, y)`."""
    made = source.evaluation.ways.find_maker(value)
    if made is None:
        return False
    name = name_operation(made)
    if name in RANGED or name in UNITS:
        return True
    if name in CLAMPS:
        return isinstance(made, Called) and "max" in made.arguments
    if name == "where" and isinstance(made, Called):
        arms = [
            made.arguments[each] for each in ("input", "self", "other") if each in made.arguments
        ]
        return len(arms) == 2 and all(is_ranged(arm, source) for arm in arms)
    if isinstance(made, Combined) and name != "MatMult":
        sides = (made.left, made.right), (made.right, made.left)
        return any(is_ranged(x, source) and not is_computed(y, source) for x, y in sides) or all(
            is_ranged(each, source) for each in sides[0]
        )
    return name in SCALES and is_ranged(find_operand(made), source)


def is_computed(value: Value, source: Source) -> bool:
    """Whether it is a tensor of any size, and no scale, margin or label, nor an item of one."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Indexed):
        return is_computed(made.held, source)
    return isinstance(value, Tensor) and not value.origin


RANGED = frozenset({"tanh", "sigmoid", "softmax", "cos", "sin", "hardtanh", "erf", "logsigmoid"})
CLAMPS = frozenset({"clamp", "clip", "clamp_max"})
SCALES = frozenset(
    {
        "neg", "matmul", "MatMult", "mm", "linear", "t", "transpose", "getitem", "squeeze", "unsqueeze",
        "view", "reshape", "pow",
    }
)  # fmt: skip
"""What leaves the numbers of a small range in one."""


def is_less(value: Value | None, source: Source) -> bool:
    """Whether something, as the maximum, was subtracted."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Called):
        return name_operation(made) == "sub"
    return isinstance(made, Combined) and made.operator == "Sub"


def is_lowered(value: Value | None, source: Source) -> bool:
    """Whether something was subtracted ahead of a scale: `temperature * (x - x.max())`."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Combined) and made.operator in ("Mult", "Div"):
        sides = (made.left, made.right) if made.operator == "Mult" else (made.left,)
        return any(is_lowered(side, source) for side in sides)
    return is_less(value, source)


def is_bounded(value: Value | None, source: Source) -> bool:
    """Whether it is no number above zero: `-x.abs()`, `-(x ** 2) / (2 * s ** 2)`, `-distance(x, y)`."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Called) and name_operation(made) in KEEPING_SIGN:
        return is_bounded(find_operand(made), source)
    if isinstance(made, Combined) and made.operator == "Div":
        node = made.node if isinstance(made.node, ast.BinOp) else None
        if node is None or not is_square(node.right):
            return False
        return is_negated_square(node.left) or is_bounded(made.left, source)
    if not isinstance(made, Combined) or made.operator != "Mult":
        return False
    if isinstance(made.node, ast.UnaryOp) and _DISTANCE.search(_name_negated(made.node)):
        return True
    sides = ((made.left, made.right), (made.right, made.left))
    return any(is_negative(one) and is_positive(other, source) for one, other in sides)


def is_written_negative(exp: Called, source: Source) -> bool:
    """`(-x.abs()).exp()`, also by a name, of what is not known."""
    node = exp.node if isinstance(exp.node, ast.Call) else None
    given = next(iter(node.args), getattr(node.func, "value", None)) if node is not None else None
    if isinstance(given, ast.Name):
        function, name = source.evaluation.find_function(exp), given.id
        lines = (e for e in ast.walk(function) if isinstance(e, ast.Assign)) if function else ()
        bound = [e.value for e in lines if name in {getattr(t, "id", "") for t in e.targets}]
        given = bound[0] if len(bound) == 1 else None
    match given:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Call(func=func)):
            return getattr(func, "attr", getattr(func, "id", "")) == "abs"
        case ast.UnaryOp(op=ast.USub()) if _DISTANCE.search(_name_negated(given)):
            return True
    return given is not None and is_negated_square(given)


def is_negated_square(written: ast.expr) -> bool:
    """`-(x * x + y * y)`, `-np.power(x, 2) / (2 * s * s)`, of arrays too."""
    match written:
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return is_negated_square(left) and (is_square(right) or is_width(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return not isinstance(operand, ast.Constant) and is_above(operand)
    return False


def is_above(written: ast.expr) -> bool:
    """`x * x`, `(x ** 2 + y ** 2) / (2 * s ** 2)`: no number below zero."""
    match written:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return is_above(left) and is_above(right)
        case ast.BinOp(op=ast.Div(), left=left, right=right):
            return is_above(left) and (is_above(right) or is_width(right))
    return is_square(written)


def is_width(written: ast.expr) -> bool:
    """Whether it is called what is above zero: `kernel_size`, `self.sigma`."""
    name = written.attr if isinstance(written, ast.Attribute) else getattr(written, "id", "")
    return bool(_WIDTH.search(name))


_WIDTH = re.compile(r"(^|_)(size|(band)?width|sigma|std|variance)(_|$)")


def is_negative(value: Value) -> bool:
    number = value.value if isinstance(value, Constant) else None
    return isinstance(number, (int, float)) and number < 0


def is_positive(value: Value | None, source: Source) -> bool:
    """Whether it is no number below zero, by what it was made with last."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Combined) and made.operator == "Mult" and made.left is made.right:
        return True
    if isinstance(made, Combined) and made.operator == "Add":
        return is_positive(made.left, source) and is_positive(made.right, source)
    return made is not None and name_operation(made) in POSITIVE


def _name_negated(node: ast.UnaryOp) -> str:
    """`distance` of `-distance(x, y)`, `dist` of `-dist`, `sq_dist` of `-self.sq_dist[0]`."""
    inner: ast.AST = node.operand
    while isinstance(inner, (ast.Call, ast.Subscript)):
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    return str(getattr(inner, "attr", getattr(inner, "id", "")))


_DISTANCE = re.compile(r"dist(s|ances?)?(_\w*)?$|squared?$|norm$", re.I)
"""What is called so is no number below zero."""
KEEPING_SIGN = frozenset({"float", "double", "half", "to", "contiguous", "view", "reshape"})
POSITIVE = frozenset(
    {"abs", "square", "pow", "Pow", "norm", "cdist", "exp", "sqrt", "relu", "softplus", "sigmoid"}
)


def is_square(written: ast.expr) -> bool:
    """Whether it is written as no number below zero: `2`, `s ** 2`, `2 * s.pow(2)`, `2 * s * s`."""
    factors = [*list_factors(written)]
    texts = [ast.unparse(each) for each in factors]
    return all(
        texts.count(text) % 2 == 0 or is_square_factor(f)
        for text, f in zip(texts, factors, strict=True)
    )


def list_factors(written: ast.expr) -> Iterator[ast.expr]:
    """`2`, `s` and `s` of `2 * s * s`."""
    if isinstance(written, ast.BinOp) and isinstance(written.op, ast.Mult):
        yield from (*list_factors(written.left), *list_factors(written.right))
    else:
        yield written


def is_square_factor(written: ast.expr) -> bool:
    match written:
        case ast.Constant(value=int() | float() as number):
            return number > 0
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=2)):
            return True
        case ast.Call(func=ast.Attribute(attr="pow"), args=[ast.Constant(value=2)]):
            return True
        case ast.Call(func=ast.Attribute(attr="power"), args=[_, ast.Constant(value=2)]):
            return True
        case ast.Call(func=ast.Attribute(attr="square")):
            return True
        case ast.Call(func=ast.Attribute(value=inner, attr="sum" | "mean")):
            return is_square(inner)
    return False


def is_difference(value: Value | None, source: Source) -> bool:
    """Whether it is one number less another, which may be as good as equal."""
    made = source.evaluation.ways.find_maker(value)
    if isinstance(made, Combined) and made.operator == "Mult":
        return any(is_difference(side, source) for side in (made.left, made.right))
    return is_less(value, source)


def find_tested(condition: Value | None, source: Source) -> Tensor | None:
    """`x` of `x > 0`, `0 < x`, `x.gt(0)`: what is compared with a small number."""
    if condition is None:
        return None
    compared = source.evaluation.ways.find_comparison(condition)
    made = source.evaluation.ways.find_maker(condition)
    sides: tuple[Value, ...] = ()
    if compared is not None:
        sides = compared.left, compared.right
    elif isinstance(made, Called) and name_operation(made) in COMPARISONS:
        sides = (*made.positional, *made.keyword.values())
    small = [each for each in sides if is_small(each)]
    tested = [each for each in sides if isinstance(each, Tensor)]
    return tested[0] if len(small) == len(tested) == 1 else None


def is_small(value: Value) -> bool:
    number = value.value if isinstance(value, Constant) else None
    return isinstance(number, (int, float)) and abs(number) < 1


def takes_gradient(value: Tensor, source: Source) -> bool:
    """Whether a tensor surely hangs on an input, a parameter or a layer by what gradients pass."""
    for _ in range(DEEPEST * 2):
        if value.origin in ("input", "parameter"):
            return True
        made = source.evaluation.ways.find_maker(value)
        if made is None or name_operation(made) in WHOLE:
            return False
        if isinstance(made, Called) and made.built is not None:
            return True
        below = find_operand(made)
        if not isinstance(below, Tensor):
            return False
        value = below
    return False


def is_of_loss(event: Called, tested: Tensor, source: Source) -> bool:
    """Whether it stands in a function that is called a loss, and is worked out of what that is given."""
    named = any("loss" in each.lower() for each in event.way.names)
    return named and bool(source.evaluation.ways.name_origin(tested))


def find_sharp(arm: Value | None, tested: Tensor, source: Source, depth: int = 0) -> str:
    """The function in an arm that is given the tested tensor as it is; "" if there is none."""
    made = source.evaluation.ways.find_maker(arm) if depth < DEEPEST else None
    if made is None or arm is tested:
        return ""
    name = name_operation(made)
    if isinstance(made, Combined):
        if made.operator == "Div" and made.right is tested:
            return "a quotient"
        inner: tuple[Value | None, ...] = made.left, made.right
    elif isinstance(made, Called):
        if name in SHARP and find_operand(made) is tested:
            return name
        inner = (find_operand(made),) if name not in SAFE else ()
        if name in ("div", "true_divide") and any(each is tested for each in made.positional[1:]):
            return "a quotient"
    else:
        inner = (find_operand(made),)
    found = (find_sharp(each, tested, source, depth + 1) for each in inner)
    return next((each for each in found if each), "")


# fixes


def find_call(event: Operation | None, source: Source) -> WrittenCall | None:
    """An operation as it is written in this file."""
    call = source.call_at(event) if isinstance(event, Called) else None
    if call is None or not isinstance(event, Called) or any(arg.star for arg in call.args):
        return None
    name = name_operation(event)
    if event.name.startswith("torch.Tensor."):
        tensor = call.func.value if isinstance(call.func, cst.Attribute) else None
        return WrittenCall(name, tensor, call, True) if tensor is not None else None
    given = source.arguments(call, "input").get("input")
    return WrittenCall(name, given, call, False) if given is not None else None


def as_one(log: WrittenCall, inner: WrittenCall, source: Source) -> Fix | None:
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


def renamed(done: WrittenCall, name: str, whole: cst.CSTNode, source: Source) -> Fix | None:
    """`torch.exp(x) - 1` as `torch.expm1(x)`."""
    func = done.call.func
    if not isinstance(func, cst.Attribute):
        return None
    call = source.code(done.call.with_changes(func=func.with_changes(attr=cst.Name(name))))
    return Fix(f"use {name}", (source.replace(whole, call),), Applicability.UNSAFE)


def with_log1p(log: WrittenCall | None, source: Source) -> Fix | None:
    """`torch.log(1 + x)` as `torch.log1p(x)`."""
    func = log.call.func if log is not None else None
    if log is None or log.is_method or len(log.call.args) != 1:
        return None
    given = log.given
    if not isinstance(func, cst.Attribute) or not isinstance(given, cst.BinaryOperation):
        return None
    added = given.right if literal(given.left) == 1 else given.left
    edits = (source.replace(func.attr, "log1p"), source.replace(given, source.code(added)))
    return Fix("use log1p", edits, Applicability.UNSAFE)
