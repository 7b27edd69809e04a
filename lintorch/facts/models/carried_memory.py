"""Tensors that a model keeps from one forward to the next, each with the graph of the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from lintorch.evaluator.events import AttributeSet, ModelCalled, Occurrence, Returned
from lintorch.evaluator.marks import LoopBegan, LoopEnded, NameBound
from lintorch.evaluator.unknown_objects import ModelOutput
from lintorch.evaluator.values import Class, Held, Items, Tensor, Value
from lintorch.facts.models.evaluation import Evaluation
from lintorch.facts.models.gradient_flow import GradientFlow
from lintorch.facts.models.gradient_modes import may_be_free
from lintorch.facts.training.acts import Act
from lintorch.facts.training.training_regions import TrainingRegion

SPARED = frozenset({"requires_grad", "requires_grad_", "detach_", "retain_graph", "create_graph"})
"""Words of files in which a graph may be left out, cut in place or kept on purpose."""


class HasEvaluation(Protocol):
    @property
    def evaluation(self) -> Evaluation: ...


def carries_graph(event: AttributeSet, source: HasEvaluation) -> bool:
    """Whether the next step goes backward through what this write keeps of a step that is over."""
    evaluation = source.evaluation
    spared = not SPARED.isdisjoint(evaluation.words)
    if spared or not event.way.certain or not evaluation.training.regions:
        return False
    happened = next((r.events for r in evaluation.reached if _holds(r.events, event)), ())
    if not _is_only_write(event, happened) or not _is_trained(event.way.root, evaluation):
        return False
    flow = GradientFlow(evaluation)
    given = [each.value for each in happened if isinstance(each, Returned)]
    tensors = [each for value in given for each in _list_tensors(value)]
    return bool(flow.list_runs(event.value) and tensors) and all(
        _goes_through(event, flow, each, evaluation) for each in tensors
    )


def _goes_through(
    event: AttributeSet, flow: GradientFlow, given: Value, evaluation: Evaluation
) -> bool:
    among = flow.list_reached(event.value), flow.list_reached(given)
    return frees_and_returns(event.value, _list_old(event, among, evaluation), given, flow)


def frees_and_returns(kept: Value, old: set[int], given: Value, flow: GradientFlow) -> bool:
    """Whether backward of what is given frees the graph of what is kept, and the next goes there again.

    `old`: what stands for what was kept by the step before.
    """
    reached = flow.list_reached(given)
    if id(kept) in reached:
        return not old.isdisjoint(flow.list_reached(kept)) or not old.isdisjoint(reached)
    return not old.isdisjoint(reached) and not flow.list_runs(kept).isdisjoint(reached)


def _holds(events: Sequence[Occurrence], event: Occurrence) -> bool:
    return any(each is event for each in events)


def _list_tensors(value: Value) -> Iterator[Value]:
    """A value that a model gives, or those in it."""
    yield from (value.items or (value,)) if isinstance(value, Items) else (value,)


def _is_only_write(event: AttributeSet, happened: Sequence[Occurrence]) -> bool:
    return not any(
        isinstance(each, AttributeSet)
        and each is not event
        and each.way.forward
        and (each.held, each.attribute) == (event.held, event.attribute)
        for each in happened
    )


def _list_old(
    event: AttributeSet, among: Sequence[Mapping[int, Value]], evaluation: Evaluation
) -> set[int]:
    """What the attribute held when forward began: a tensor of the constructor, or a buffer."""
    rewrite = evaluation.rewrites.get(id(event))
    before = rewrite.initial if rewrite is not None else ()
    found = {id(each) for each in before if isinstance(each, Tensor)}
    for values in among:
        for number, each in values.items():
            if isinstance(each, Tensor) and (each.origin, each.name) == ("buffer", event.attribute):
                found.add(number)
    return found


def _is_trained(root: str, evaluation: Evaluation) -> bool:
    """Whether a loop runs backward through what one model of this class gives at each turn."""
    return any(
        isinstance(model, Held)
        and isinstance(model.of, Class)
        and model.of.name == root.rpartition(":")[2]
        and not _is_named_anew(model, region, evaluation)
        and not _runs_quietly(model, evaluation)
        for region in evaluation.training.regions
        if region.is_loop
        for model in _list_learners(region, evaluation)
    )


def _list_learners(region: TrainingRegion, evaluation: Evaluation) -> Iterator[Value]:
    for action in region.list_acts(Act.BACKWARD):
        graph = evaluation.graphs.get(action.at.way.root)
        for value in graph.list_outputs(action.value) if graph is not None else ():
            if isinstance(value, ModelOutput):
                yield value.model


def _is_named_anew(model: Held, region: TrainingRegion, evaluation: Evaluation) -> bool:
    """Whether a name is given the model within the loop: it may be another one at each turn."""
    depth = 0
    for each in (region.began, *evaluation.list_after(region.began)):
        depth += isinstance(each, LoopBegan) - isinstance(each, LoopEnded)
        if depth <= 0:
            return False
        given = each.value if isinstance(each, (NameBound, AttributeSet)) else None
        if isinstance(given, Held) and given.address == model.address:
            return True
    return False


def _runs_quietly(model: Held, evaluation: Evaluation) -> bool:
    """Whether all its runs are without gradients: a teacher's."""
    return all(
        may_be_free(each, evaluation)
        for reached in evaluation.reached
        for each in reached.events
        if isinstance(each, ModelCalled)
        and isinstance(each.held, Held)
        and each.held.address == model.address
    )
