"""LT437: the gradient of a tensor that gets none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import (
    AttributeRead,
    AttributeSet,
    Called,
    Combined,
    Indexed,
    Occurrence,
)
from lintorch.evaluator.marks import LoopBegan, LoopEnded, NameBound
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, Tensor, Value
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Source, Training

rule = Rule(
    __name__,
    code="LT437",
    summary="the gradient of a tensor that gets none",
    why="""
        Backward fills .grad of leaves alone: of parameters, and of tensors that were told to need a
        gradient and that no operation gave. `w = w - lr * w.grad` makes w a result: at the next turn
        w.grad is None, and what is done with it raises. So it does for
        `x = image.unsqueeze(0)` and for `x = torch.randn(4, requires_grad=True).double()`.
        Measured on torch 2.13.
        Change the weights in place under torch.no_grad(), or call requires_grad_() on the tensor whose
        gradient is read, as the last thing ahead of the model.
    """,
    bad="""
        import torch


        def fit(x, y, rate=0.1):
            w = torch.zeros(1, requires_grad=True)
            for _ in range(5):
                (w * x - y).square().mean().backward()
                w = w - rate * w.grad
            return w
    """,
    good="""
        import torch


        def fit(x, y, rate=0.1):
            w = torch.zeros(1, requires_grad=True)
            for _ in range(5):
                (w * x - y).square().mean().backward()
                with torch.no_grad():
                    w -= rate * w.grad
                w.grad = None
            return w
    """,
    proof="""
        fit(torch.ones(2), torch.ones(2))
    """,
    severity=Severity.ERROR,
)

IN_PLACE = "change it in place, under torch.no_grad()"
TURN_ON = "call requires_grad_() on it"
LEAVES = frozenset(
    {
        "detach", "data", "requires_grad_", "Parameter", "Variable", "tensor", "as_tensor", "from_numpy",
        "to", "cuda", "cpu", "float", "double", "half", "type", "contiguous", "grad", "empty", "load",
        "get_parameter", "type_as", "retain_grad", "register_parameter",
    }
)  # fmt: skip
"""What gives leaves, or may give what it is given."""
VIEWS = frozenset(
    {"unsqueeze", "squeeze", "view", "reshape", "permute", "flatten", "expand", "repeat"}
)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    for reached in source.evaluation.reached:
        events = reached.events if reached.ordered else ()
        graph = source.evaluation.graphs.get(events[0].way.root) if events else None
        if graph is not None and graph.has_backward:
            for event in events:
                if isinstance(event, AttributeRead) and event.attribute == "grad":
                    yield from judge(event, source)
            yield from judge_loops(events, source)


def judge_loops(events: Sequence[Occurrence], source: Source) -> Iterator[Hit]:
    """`w = w - rate * w.grad` in a loop: what w stands for at the next turn is no leaf."""
    loops: list[tuple[list[AttributeRead], dict[str, NameBound | AttributeSet]]] = []
    for event in events:
        if isinstance(event, LoopBegan):
            loops.append(([], {}))
        elif isinstance(event, LoopEnded) and loops:
            reads, last = loops.pop()
            for read in reads:
                yield from judge_turn(read, last, source)
        elif isinstance(event, AttributeRead) and event.attribute == "grad" and loops:
            loops[-1][0].append(event)
        elif isinstance(event, (NameBound, AttributeSet)):
            for _, last in loops:
                last[name_bound(event)] = event


def name_bound(event: NameBound | AttributeSet) -> str:
    return event.cell[1] if isinstance(event, NameBound) else f"self.{event.attribute}"


def judge_turn(
    read: AttributeRead, last: Mapping[str, NameBound | AttributeSet], source: Source
) -> Iterator[Hit]:
    """Whether the name whose gradient was read is given at last what was computed of it."""
    written = ast.unparse(read.node)
    bound = last.get(written.removesuffix(".grad"))
    made = None if bound is None else source.evaluation.ways.find_maker(bound.value)
    if bound is None or not isinstance(made, Combined) or made.inplace or not is_used(read, source):
        return
    mine = any(each is read.held for each in (made.left, made.right))
    if mine and tell_result(bound.value, source) is not None:
        yield Hit(
            made,
            f"gives a result, no leaf: at the next turn {written} is None",
            remedy=IN_PLACE,
        )


def judge(event: AttributeRead, source: Source) -> Iterator[Hit]:
    if not is_used(event, source):
        return
    row = tell_result(event.held, source)
    if row is not None:
        message = f"{ast.unparse(event.node)} is None: line {row} gave a result, no leaf"
        yield Hit(event, message, remedy=TURN_ON)


@rule.event("torch.autograd.grad")
def in_asked(event: Called, source: Source) -> Iterator[Hit]:
    """`mixed = (a * x).detach()` and then the gradient of something with regard to mixed."""
    given = event.positional[1] if len(event.positional) > 1 else event.keyword.get("inputs")
    if given is None or is_turned_on(given, source):
        return
    made = source.evaluation.ways.find_maker(given)
    function = source.evaluation.find_function(event)
    if not isinstance(made, Called) or name_operation(made) != "detach" or function is None:
        return
    if "requires_grad" not in ast.unparse(function) and "allow_unused" not in event.keyword:
        message = f"line {made.spot.row} detached it: no gradient can be asked of it, RuntimeError"
        yield Hit(event, message, remedy=f"{TURN_ON} behind detach()")


def is_turned_on(value: Value, source: Source) -> bool:
    ways = source.evaluation.ways
    users = (*ways.find_users(value), *ways.find_asked(value))
    named = any(name_operation(each) in ("retain_grad", "requires_grad_") for each in users)
    return named or id(value) in source.evaluation.turned_on


def tell_result(value: Value, source: Source) -> int | None:
    """The row of the operation that gave a value, where that is surely no leaf."""
    if is_turned_on(value, source):
        return None
    ways = source.evaluation.ways
    made = ways.find_maker(value) or ways.find_unknown_maker(value)
    if isinstance(made, UnknownCalled):
        return made.spot.row if made.method in VIEWS else None
    if isinstance(made, Called) and (
        not made.name.startswith("torch.")
        or name_operation(made) in LEAVES
        or made.keyword.get("requires_grad", FALSE) != FALSE
        or not any(isinstance(each, Tensor) for each in made.positional)
    ):
        return None
    if not isinstance(made, (Called, Combined, Indexed)):
        return None
    return None if isinstance(made, Combined) and made.inplace else made.spot.row


def is_used(event: AttributeRead, source: Source) -> bool:
    """Whether something is done with it that None does not take."""
    around = [*source.evaluation.list_around(event)]
    asked = any(isinstance(e, ast.If) and ".grad" in ast.unparse(e.test) for e in around)
    outer = around[0] if around else None
    return not asked and isinstance(outer, (ast.Attribute, ast.BinOp, ast.Subscript))
