"""LT803: view() on a tensor whose axes were just exchanged, so that its memory is in another order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Refuted, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, Called, Combined, Indexed
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import NONE, Constant, Items, Slice, Tensor, Unknown, Value
from lintorch.evidence import OperatorCall, Raised, Trace
from lintorch.evidence.host_reads import is_run_whole, is_whole_run, write_shapes
from lintorch.facts.models.operation_steps import find_operand
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

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

TORN = "view size is not compatible with input tensor's size and stride"
SWAPS = ("transpose", "swapaxes", "swapdims")
IN_ORDER = frozenset(
    {
        "view", "reshape", "flatten", "clone", "relu", "gelu", "silu", "sigmoid", "tanh", "dropout",
        "batchnorm1d", "batchnorm2d", "batchnorm3d", "max_pool2d", "maxpool2d",
    }
)  # fmt: skip
"""What leaves axes in order where it found them in order."""
FRESH = frozenset(
    {
        "randn", "rand", "zeros", "ones", "empty", "full", "arange", "randint", "linear", "matmul",
        "bmm", "layernorm", "embedding", "contiguous", "topk", "sort", "softmax", "log_softmax",
        "logsoftmax", "cumsum",
    }
)  # fmt: skip
"""What gives a tensor in order, whatever it was given."""
STEPS = 12


@rule.event("torch.Tensor.view")
def in_model(event: Called, source: Source) -> Iterator[Hit]:
    sizes = count_sizes(event)
    turn = find_turn(event.positional[0], source) if event.positional else None
    if sizes is None or turn is None or not is_in_order(find_operand(turn), source):
        return
    name = short_name(turn)
    pieces = count_pieces(order_axes(turn), find_operand(turn))
    if sizes < pieces:
        shown = name if isinstance(turn, AttributeRead) else f"{name}()"
        message = f"after {shown} the memory is in {pieces} pieces, which view cannot merge into {sizes}: it raises"
        severity = weigh_slice(source.evaluation.ways.find_maker(event.positional[0]))
        fix = use_reshape(event, source)
        yield Hit(event, message, fix, severity=severity, remedy="use reshape")


def weigh_slice(sliced: object) -> Severity | None:
    """A warning where it is not known whether a slice takes more than one place: one is no trouble."""
    stop = (
        sliced.index.stop
        if isinstance(sliced, Indexed) and isinstance(sliced.index, Slice)
        else NONE
    )
    return None if isinstance(stop, Constant) else Severity.WARNING


def use_reshape(event: Called | UnknownCalled, source: Source) -> Fix | None:
    """`reshape` for `view`, where that is what is written."""
    call = source.call_at(event)
    if call is None or not isinstance(call.func, cst.Attribute) or call.func.attr.value != "view":
        return None
    edit = source.replace(call.func.attr, "reshape")
    return Fix("use reshape", (edit,), Applicability.SAFE)


def find_turn(value: Value | None, source: Source) -> Operation | None:
    """What exchanged the axes: comparisons keep their order, and so does a slice of the first axis."""
    ways = source.evaluation.ways
    sliced = ways.find_maker(value)
    if isinstance(sliced, Indexed) and takes_several(sliced.index):
        value = sliced.held
    for _ in range(STEPS):
        made = ways.find_maker(value)
        if made is None:
            compared = ways.find_comparison(value) if value is not None else None
            if compared is None:
                return None
            value = compared.left
        elif isinstance(made, Called) and short_name(made) in LIKE_FIRST:
            value = find_operand(made)
        else:
            return made
    return None


def takes_several(index: Value) -> bool:
    """Whether a slice from the begin takes more than one place; what is not known may."""
    if not isinstance(index, Slice) or index.start not in (NONE, Constant(0)):
        return False
    stop = index.stop
    return index.step in (NONE, Constant(1)) and stop not in (NONE, Constant(0), Constant(1))


LIKE_FIRST = frozenset({"eq", "ne", "gt", "lt", "ge", "le", "logical_not", "float", "long", "int"})
"""What gives a tensor with the axes in memory as the first has them."""


@rule.event(UnknownCalled)
def in_accuracy(event: UnknownCalled, source: Source) -> Iterator[Hit]:
    """`pred.t().eq(target)[:k].view(-1)`, where pred is what topk gives."""
    given = event.given.positional
    if event.method != "view" or given != (Constant(-1),) or event.given.keyword:
        return
    ways, value = source.evaluation.ways, event.held
    sliced = ways.find_maker(value)
    if isinstance(sliced, Indexed) and takes_several(sliced.index):
        value = sliced.held
    for _ in range(STEPS):
        called = ways.find_unknown_maker(value)
        compared = ways.find_comparison(value) if called is None else None
        if compared is not None:
            value = compared.left
        elif called is not None and called.method in LIKE_FIRST:
            value = called.held
        else:
            break
    if called is None or called.method != "t" or not isinstance(called.held, Unknown):
        return
    if called.held.path.endswith((".topk()[1]", ".topk()[]")) and isinstance(sliced, Indexed):
        message = "after t() the memory is in 2 pieces, which view cannot merge into 1: it raises"
        fix, grave = use_reshape(event, source), weigh_slice(sliced)
        yield Hit(event, message, fix, severity=grave, remedy="use reshape")


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


def count_sizes(event: Called) -> int | None:
    """Into how many axes of more than one place a view is made; None where it cannot be told."""
    given: tuple[Value, ...] = (*event.positional[1:], *event.keyword.values())
    if event.open or not given:
        return None
    if len(given) == 1:
        first = given[0]
        if isinstance(first, Items):
            return None if first.items is None else count_wide(first.items)
        if not isinstance(first, Constant) or not isinstance(first.value, int):
            return None  # a dtype, or a shape of which nothing is known
    return count_wide(given)


def count_wide(sizes: tuple[Value, ...]) -> int:
    return sum(each != Constant(1) for each in sizes)


def short_name(event: Operation) -> str:
    """`permute` of `torch.Tensor.permute`, `linear` of a call of a Linear."""
    if isinstance(event, Called):
        return event.name.removesuffix(".forward").rpartition(".")[2].lower()
    if isinstance(event, AttributeRead):
        return event.attribute
    return "matmul" if isinstance(event, Combined) and event.operator == "MatMult" else ""


def is_in_order(value: Value | None, source: Source) -> bool:
    """Whether the axes of a tensor surely follow each other in memory."""
    for _ in range(STEPS):
        made = source.evaluation.ways.find_maker(value)
        if made is None:
            return isinstance(value, Tensor) and value.origin == "input"
        name = short_name(made)
        if name in FRESH:
            return True
        if name not in IN_ORDER:
            return False
        value = find_operand(made)
    return False


def order_axes(turn: Operation) -> list[int]:
    """The axes in their new order, for the fewest axes there can be; [] if unknown."""
    name, value = short_name(turn), find_operand(turn)
    known = isinstance(value, Tensor) and value.shape is not None and not value.guessed
    rank = len(value.shape or ()) if known and isinstance(value, Tensor) else None
    if name in ("t", "T"):
        return [1, 0] if rank in (None, 2) else []
    if name == "mT":
        return swap_axes([-2, -1], rank)
    numbers = list_axes(turn) if isinstance(turn, Called) else []
    if name == "permute" and numbers:
        order = [n % len(numbers) for n in numbers]
        return order if sorted(order) == list(range(len(order))) else []
    return swap_axes(numbers, rank) if name in SWAPS and len(numbers) == 2 else []


def list_axes(turn: Called) -> list[int]:
    """The axes that permute or transpose is given; [] where one is not known."""
    given = (*turn.positional[1:], *(v for k, v in turn.keyword.items() if k != "input"))
    if len(given) == 1 and isinstance(given[0], Items):
        given = given[0].items or ()
    numbers = [each.value for each in given if isinstance(each, Constant)]
    known = len(numbers) == len(given) and all(isinstance(n, int) for n in numbers)
    return numbers if known and not turn.open else []


def swap_axes(pair: list[int], rank: int | None) -> list[int]:
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


def count_pieces(order: list[int], value: Value | None) -> int:
    """Into how many runs of neighbours in memory a turn cuts the axes, at least; 0 if unknown."""
    shape = value.shape if isinstance(value, Tensor) else None
    if shape is not None and len(shape) == len(order):
        wide = [axis for axis, size in enumerate(shape) if size != 1]
        order = [wide.index(axis) for axis in order if axis in wide]
    return 1 + sum(after != before + 1 for before, after in pairwise(order)) if order else 0
