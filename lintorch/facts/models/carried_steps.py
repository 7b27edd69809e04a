"""Tensors that a training loop takes from one step to the next, each with the graph of the last."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from lintorch.evaluator.events import AttributeSet, Occurrence
from lintorch.evaluator.marks import Cell, LoopBegan, LoopEnded, NameBound
from lintorch.evaluator.values import Held, Tensor, Value
from lintorch.facts.models.backward_passes import is_backward_pass, list_given
from lintorch.facts.models.carried_memory import SPARED, HasEvaluation, frees_and_returns
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.value_ways import Operation

_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.Match, ast.BoolOp)
_ENDS = (ast.Break, ast.Return, ast.Raise)
Bound = AttributeSet | NameBound


def list_carried(source: HasEvaluation) -> Iterator[tuple[Operation, str]]:
    """The operations that give what a loop goes on with, and the names that they are given."""
    evaluation = source.evaluation
    if not SPARED.isdisjoint(evaluation.words):
        return
    flow = GradientFlow(evaluation)
    for reached in evaluation.reached:
        for turn, before in _list_turns(reached.events) if reached.ordered else ():
            yield from _list_in(turn, before, flow, evaluation)


def _list_turns(
    events: Sequence[Occurrence],
) -> Iterator[tuple[Sequence[Occurrence], Mapping[Cell, Value]]]:
    """What happens in each loop that holds no other, and what names stood for when it began."""
    now: dict[Cell, Value] = {}
    start: int | None = None
    before: Mapping[Cell, Value] = {}
    for number, event in enumerate(events):
        if isinstance(event, LoopBegan):
            start, before = number, dict(now)
        elif isinstance(event, LoopEnded) and start is not None:
            yield events[start:number], before
            start = None
        elif isinstance(event, Bound) and (cell := _find_cell(event)) is not None:
            now[cell] = event.value


def _find_cell(event: Occurrence) -> Cell | None:
    if isinstance(event, NameBound):
        return event.cell
    if isinstance(event, AttributeSet) and isinstance(event.held, Held):
        return event.held.address, event.attribute
    return None


def _list_in(
    turn: Sequence[Occurrence],
    before: Mapping[Cell, Value],
    flow: GradientFlow,
    evaluation: Evaluation,
) -> Iterator[tuple[Operation, str]]:
    backward = [each for each in turn if is_backward_pass(each)]
    loop, given = turn[0].node, list_given(backward[0]) if len(backward) == 1 else ()
    if not given or any(isinstance(each, _ENDS) for each in getattr(loop, "body", ())):
        return
    if not _is_each_time(backward[0], turn[0], evaluation):
        return
    cells = [_find_cell(each) for each in turn]
    for cell, event in zip(cells, turn, strict=True):
        if cell is None or not isinstance(event, Bound) or cells.count(cell) > 1:
            continue
        if not isinstance(before.get(cell), Tensor):
            continue
        made = evaluation.ways.find_maker(event.value)
        if made is None or not _is_each_time(made, turn[0], evaluation):
            continue
        among = {**flow.list_reached(event.value), **flow.list_reached(given[0])}
        old = set(_list_old(before.get(cell), among))
        if flow.list_runs(event.value) and frees_and_returns(event.value, old, given[0], flow):
            yield made, f"self.{cell[1]}" if isinstance(event, AttributeSet) else cell[1]


def _list_old(begun: Value | None, among: Mapping[int, Value]) -> Iterator[int]:
    """What stood for it at the begin of a turn: a tensor from before the loop, or from the last turn."""
    for number, each in among.items() if isinstance(begun, Tensor) else ():
        arms = each.arms if isinstance(each, Tensor) else ()
        if each is begun or any(arm is begun for arm in arms):
            yield number


def _is_each_time(event: Occurrence, loop: Occurrence, evaluation: Evaluation) -> bool:
    """Whether it happens at each turn of a loop, whatever is asked."""
    outside = {id(each) for each in (loop.node, *evaluation.list_all_around(loop))}
    return not any(
        isinstance(each, _BRANCHES) and id(each) not in outside
        for each in evaluation.list_all_around(event)
    )
