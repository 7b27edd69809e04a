"""LT803: view() on a tensor whose axes were just exchanged, so that its memory is in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evidence import OperatorCall, Raised, Trace
from lintorch.evidence.host_reads import is_run_whole, is_whole_run, write_shapes
from lintorch.facts.classes.classes import is_self
from lintorch.facts.dataflow.reaching import reaching_definitions
from lintorch.facts.dataflow.steps import Step
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT803",
    summary="view() after the axes were exchanged",
    why="""
        permute, transpose and t move no data: they read the same memory in another order.
        view cannot merge axes that no longer follow each other in memory and raises
        RuntimeError. It works as long as every such axis but one has size 1, so a test with
        one sample passes and the first real batch raises. Splitting an axis, or merging axes
        that kept their order, stays possible and is not reported. reshape gives what view
        would and copies only where it must. Measured on torch 2.13.

        contiguous() returns a copy: as a statement of its own it does nothing.
    """,
    bad="""
        from torch import nn


        class Tokens(nn.Module):
            def forward(self, x):
                return x.permute(0, 2, 1).view(x.size(0), -1)
    """,
    good="""
        from torch import nn


        class Tokens(nn.Module):
            def forward(self, x):
                return x.permute(0, 2, 1).reshape(x.size(0), -1)
    """,
    proof="""
        assert Tokens()(torch.randn(2, 3, 4)).shape == (2, 12)
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

DEPTH = 12
TORN = "view size is not compatible with input tensor's size and stride"
SWAPS = ("transpose", "swapaxes", "swapdims")
IN_ORDER = frozenset(
    {
        "view", "reshape", "flatten", "clone", "conv1d", "conv2d", "conv3d", "relu", "gelu", "silu",
        "sigmoid", "tanh", "softmax", "dropout", "batchnorm1d", "batchnorm2d", "batchnorm3d",
        "max_pool2d", "maxpool2d", "getitem",
    }
)  # fmt: skip
"""Steps that leave axes in order where they found them in order."""
TELLING = ("view", "reshape", "permute", "randn", "rand", "zeros", "ones", "empty")
"""Calls that say how many axes there are by how many numbers they are given."""
PRODUCT = cst.MatrixMultiply
SAME_RANK = ("transpose", "softmax", "dropout", "contiguous", "matmul", "relu", "float", "clone")
MADE = ("randn", "rand", "zeros", "ones", "empty", "full", "arange", "randint")
FRESH = (*MADE, "linear", "matmul", "bmm", "layernorm", "embedding", "contiguous")
"""Steps whose result is in order, whatever they were given."""


@rule.source(cst.Call, needs=(".permute(", ".transpose(", ".swapaxes(", ".t()", ".T.", ".mT."))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value != "view":
        return
    sizes = viewed(call)
    if sizes is None:
        return
    steps = source.steps(func.value)
    if not steps or not in_order(steps[0], steps[1:], source):
        return
    pieces = contiguous_pieces(steps, source)
    if sizes < pieces:
        turn = steps[0].name + ("()" if isinstance(steps[0].node, cst.Call) else "")
        message = f"after {turn} the memory is in {pieces} pieces, which view cannot merge into {sizes}: it raises"
        edit = source.replace(func.attr, "reshape")
        yield Hit(call, message, Fix("use reshape", (edit,), Applicability.SAFE))


@rule.trace(Raised)
def in_failure(event: Raised, trace: Trace) -> Iterator[Hit]:
    if TORN in event.text:
        at = "" if not event.sizes else f" when {' and '.join(event.sizes)} changes"
        why = "the axes no longer follow in memory"
        yield Hit(event.site, f"view() raised here{at}", detail=why)


@rule.trace("torch.Tensor.view")
def in_trace(event: OperatorCall, trace: Trace) -> Iterator[Refuted]:
    """Where no view of the function met an axis of size 1: such an axis may stand anywhere."""
    around = (event.site.path, event.site.function)
    views = [e for e in trace.find_events(event.name) if (e.site.path, e.site.function) == around]
    smallest = min((size for view in views for size in view.inputs[0]), default=1)
    if smallest > 1 and all(map(is_whole_run, trace.runs)) and is_run_whole(event.site):
        yield Refuted(event.site, f"view() took {write_shapes(event.inputs)} and did not raise")


def viewed(call: cst.Call) -> int | None:
    """Into how many axes of more than one place a view is made; None where it cannot be told."""
    values = [arg.value for arg in call.args]
    if any(arg.star or arg.keyword for arg in call.args) or not values:
        return None
    if len(values) == 1 and isinstance(values[0], (cst.Tuple, cst.List)):
        if any(isinstance(e, cst.StarredElement) for e in values[0].elements):
            return None
        values = [element.value for element in values[0].elements]
    elif len(values) == 1 and not isinstance(literal(values[0]), int):
        return None  # a dtype, or a shape under a name
    return sum(1 for value in values if literal(value) != 1)


def contiguous_pieces(steps: tuple[Step, ...], source: Source) -> int:
    """Into how many runs of neighbours in memory a turn cuts the axes, at least; 0 if unknown."""
    below = beneath(steps[0].node, source)
    order = turned(steps[0], rank_of(below, source) if below is not None else None, source)
    if not order:
        return 0
    return 1 + sum(after != before + 1 for before, after in pairwise(order))


def turned(step: Step, rank: int | None, source: Source) -> list[int]:
    """The axes in their new order, for the fewest axes there can be; [] if unknown."""
    if step.name in ("t", "T"):
        return [1, 0] if rank in (None, 2) else []
    numbers = [-2, -1] if step.name == "mT" else axes(step, source)
    if not numbers:
        return []
    if step.name == "permute":
        order = [n % len(numbers) for n in numbers]
        return order if sorted(order) == list(range(len(order))) else []
    if step.name not in (*SWAPS, "mT") or len(numbers) != 2:
        return []
    return swapped(numbers, rank)


def swapped(pair: list[int], rank: int | None) -> list[int]:
    """Two axes exchanged, of as few axes as there can be where the rank is not known."""
    if rank is None and len({n < 0 for n in pair}) > 1:
        return []
    count = rank or max(-n if n < 0 else n + 1 for n in pair)
    if not all(-count <= n < count for n in pair):
        return []
    one, other = (n % count for n in pair)
    order = list(range(count))
    order[one], order[other] = order[other], order[one]
    return order


def axes(step: Step, source: Source) -> list[int]:
    """The axes that permute or transpose is given, as literals; [] where one is not."""
    call = step.node
    if not isinstance(call, cst.Call) or any(arg.star or arg.keyword for arg in call.args):
        return []
    values = [arg.value for arg in call.args[1 if source.name(call.func) else 0 :]]
    if len(values) == 1:
        numbers = literal(values[0])
        numbers = list(numbers) if isinstance(numbers, (list, tuple)) else []
    else:
        numbers = [literal(value) for value in values]
    return numbers if all(type(n) is int for n in numbers) else []


def rank_of(node: cst.CSTNode, source: Source, depth: int = 0) -> int | None:
    """How many axes a tensor has, by the view, permute or unpacked shape that tells it."""
    if depth > DEPTH:
        return None
    if isinstance(node, cst.BinaryOperation):
        ranks = (rank_of(side, source, depth + 1) for side in (node.left, node.right))
        return next((rank for rank in ranks if rank), None)
    if isinstance(node, cst.Name):
        found = reaching_definitions(node, source)
        if is_given(node, source):
            return unpacked(node, source)
        value = found[0].value if len(found) == 1 and found[0].index is None else None
        return rank_of(value, source, depth + 1) if value is not None else None
    return rank_of_call(node, source, depth) if isinstance(node, cst.Call) else None


def rank_of_call(call: cst.Call, source: Source, depth: int) -> int | None:
    """How many axes the result of a call has."""
    steps, below = source.steps(call)[:1], beneath(call, source)
    name = steps[0].name if steps and steps[0].node is call else ""
    if name in SAME_RANK and below is not None:
        return rank_of(below, source, depth + 1)
    if name not in TELLING or any(arg.star or arg.keyword for arg in call.args):
        return None
    function = bool(source.name(call.func)) and name not in MADE
    sizes = call.args[1 if function else 0 :]
    return len(sizes) if len(sizes) > 1 else None


def unpacked(name: cst.Name, source: Source) -> int | None:
    """How many names the shape of a parameter is unpacked into: `b, n, c = x.shape`."""
    function = source.enclosing(name, cst.FunctionDef)
    for assign in source.nodes(cst.Assign):
        target, value = assign.targets[0].target, assign.value
        shape = value.func if isinstance(value, cst.Call) and not value.args else value
        if (
            isinstance(shape, cst.Attribute)
            and shape.attr.value in ("shape", "size")
            and isinstance(target, cst.Tuple)
            and source.enclosing(assign, cst.FunctionDef) is function
        ):
            starred = any(isinstance(e, cst.StarredElement) for e in target.elements)
            of_it = isinstance(shape.value, cst.Name) and shape.value.value == name.value
            if of_it and not starred and is_given(shape.value, source):
                return len(target.elements)
    return None


def in_order(turn: Step, steps: tuple[Step, ...], source: Source) -> bool:
    """Whether a tensor that came out of these steps is surely in order, its axes larger than one."""
    if any(map(has_one, steps[:1])):
        return False
    last = turn
    for last in steps:
        if last.name in FRESH:
            return True
        if last.name not in IN_ORDER:
            return False
    below = beneath(last.node, source)
    product = isinstance(below, cst.BinaryOperation) and isinstance(below.operator, PRODUCT)
    return product or is_given(below, source)


def beneath(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """The tensor that an operation works on: before the method, or the first argument."""
    if isinstance(node, (cst.Attribute, cst.Subscript)):
        return node.value
    if not isinstance(node, cst.Call):
        return None
    func = node.func
    method = isinstance(func, cst.Attribute) and not source.name(func)
    if method and isinstance(func, cst.Attribute) and not is_self(func.value):
        return func.value
    return node.args[0].value if node.args else None


def is_given(node: cst.CSTNode | None, source: Source) -> bool:
    """Whether a name stands for a parameter of the function, as the caller gave it."""
    if not isinstance(node, cst.Name):
        return False
    is_param = any(binding.kind == "param" for binding in source.bound(node))
    return is_param and [d.value for d in reaching_definitions(node, source)] == [None]


def has_one(step: Step) -> bool:
    """Whether a view makes an axis of size 1."""
    sizes = [arg.value for arg in step.node.args] if isinstance(step.node, cst.Call) else []
    return step.name in ("view", "reshape") and any(literal(size) == 1 for size in sizes)
