"""LT433: two backward passes through one graph, or a step between them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TypeGuard

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import ModelOutput, UnknownCalled
from lintorch.evaluator.values import FALSE, Given, Held, Spot, Value
from lintorch.facts.models.gradient_flow import FROM_FIRST, GradientFlow
from lintorch.facts.models.gradient_graphs import GradientGraphs, Node, has_weights
from lintorch.source import STEPS, Act, Action, Passage, Source, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT433",
    summary="two backward passes share a graph",
    why="""
        backward() frees what it went through. A second loss that was made of the same outputs
        raises "Trying to backward through the graph a second time": a generator's output that
        the discriminator's loss did not detach, two heads on one backbone. With retain_graph=True
        the second pass works, unless an optimizer has stepped in between: it raises "one of the
        variables needed for gradient computation has been modified by an inplace operation". So does
        any loss whose backward() comes after a step that changed weights it was made with: an
        actor's loss, made ahead of the critic's step.
        Add the losses and run backward once, detach what the first loss should not train, or run
        both backward passes before both steps. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def train(batches, body=nn.Linear(4, 4), one=nn.Linear(4, 1), two=nn.Linear(4, 1)):
            weights = [*body.parameters(), *one.parameters(), *two.parameters()]
            optimizer = torch.optim.SGD(weights, lr=0.1)
            for batch in batches:
                shared = body(batch)
                optimizer.zero_grad()
                one(shared).mean().backward()
                two(shared).mean().backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch import nn


        def train(batches, body=nn.Linear(4, 4), one=nn.Linear(4, 1), two=nn.Linear(4, 1)):
            weights = [*body.parameters(), *one.parameters(), *two.parameters()]
            optimizer = torch.optim.SGD(weights, lr=0.1)
            for batch in batches:
                shared = body(batch)
                optimizer.zero_grad()
                (one(shared).mean() + two(shared).mean()).backward()
                optimizer.step()
    """,
    remedy="add the losses for one backward(), or detach() what both share, before the steps",
    proof="""
        train([torch.randn(2, 4)])
    """,
    severity=Severity.ERROR,
)

BEHIND = "make this loss behind that step, or step after both backward passes"
_KEEPING = ("retain_graph", "create_graph", "retain_variables")


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    if source.evaluation.freezes:
        return  # what is frozen may be a part of no graph
    told: set[Spot] = set()
    graphs = source.evaluation.graphs
    for region in training.regions:
        for action, run in _list_again(region, graphs, source):
            if action.at.spot not in told:
                told.add(action.at.spot)
                freed = f"line {run.spot.row}, which lies before the loop, at each turn"
                message = f"goes through {freed}: it raises at the second"
                yield Hit(action.at, message, remedy="work it out in the loop, or detach() it")
        for passage in region.passages:
            for action, message, remedy in _list_second(passage, graphs, source):
                if action.at.spot not in told:
                    told.add(action.at.spot)
                    yield Hit(action.at, message, remedy=remedy)


def _list_again(
    region: TrainingRegion, graphs: Mapping[str, GradientGraphs], source: Source
) -> Iterator[tuple[Action, Occurrence]]:
    """Backward passes at each turn of a loop through what ran before it."""
    if not region.is_loop or not region.passages:
        return
    for action in region.passages[0].actions:
        graph = graphs.get(action.at.way.root)
        if action.act is not Act.BACKWARD or graph is None or _is_kept(action):
            continue
        each_turn = all(
            any(other.at.spot == action.at.spot for other in passage.actions)
            for passage in region.passages
        )
        loop = graph.find_loop(region.node, action.at) if each_turn else None
        nodes = graph.list_nodes(action.value) if loop is not None else []
        saving = graph.list_savers(action.value) if _is_bound_before(action, region) else []
        for node in nodes:
            run = isinstance(node, Called) and has_weights(node)
            run = run or any(node is each for each in saving)
            if run and loop is not None and graph.precedes(node, loop):
                yield action, node
                break


def _is_bound_before(action: Action, region: TrainingRegion) -> bool:
    """Whether the loss is a name that the loop gives no other value."""
    node = action.at.node
    held = (
        node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else None
    )
    names = {name for _, name in region.rebound}
    return isinstance(held, ast.Name) and held.id not in names


def _list_second(
    passage: Passage, graphs: Mapping[str, GradientGraphs], source: Source
) -> Iterator[tuple[Action, str, str | None]]:
    """Backward passes through what an earlier one has freed, or a step has changed."""
    backward = [each for each in passage.actions if each.act is Act.BACKWARD]
    for number, later in enumerate(backward):
        graph = graphs.get(later.at.way.root)
        if graph is None:
            continue
        for first in backward[:number]:
            alike = first.at.way.root == later.at.way.root and not _is_kept(first)
            shared = _name_shared(first, later, graph, source) if alike else ""
            if alike and not shared:
                shared = _name_trained(first, later, passage, graph, source)
            if shared:
                freed = f"a second time, which backward() in line {first.at.spot.row} has freed"
                yield later, f"goes through {shared} {freed}: it raises", None
                return
        if (step := _find_step(later, passage, graph, source)) is not None:
            changed = f"weights that {step.on}.step() in line {step.at.spot.row} has changed"
            yield later, f"goes through {changed}: it raises", BEHIND
            return


def _is_kept(action: Action) -> bool:
    """Whether the graph is asked to stay."""
    event = action.at
    if isinstance(event, Called):
        named, many = event.keyword, len(event.positional) > 1
    else:
        given = event.given if isinstance(event, UnknownCalled) else Given()
        named, many = given.keyword, bool(given.positional)
    return many or any(named.get(name, FALSE) != FALSE for name in _KEEPING)


def _name_shared(first: Action, later: Action, graph: GradientGraphs, source: Source) -> str:
    """How a run of a layer with weights is written that is a part of both; "" if there is none."""
    mine = {id(each) for each in graph.list_nodes(first.value)}
    for node in graph.list_nodes(later.value):
        if id(node) in mine and isinstance(node, Called) and has_weights(node):
            written = ast.unparse(node.node)
            return written if len(written) < 40 else f"line {node.spot.row}"
    sure = graph.list_nodes(later.value, lambda node: not isinstance(node, UnknownCalled))
    for node in graph.list_savers(first.value):
        if any(node is each for each in sure):
            return f"line {node.spot.row}"
    given = {id(each.whole or each): each for each in graph.list_outputs(first.value)}
    for each in graph.list_outputs(later.value):
        other = given.get(id(each.whole or each))
        if any(_gives_losses(called, source) for called in graph.list_calls(each)):
            continue  # of a model that works out several losses each may have a graph of its own
        if other is not None and (other is each or _come_from_one(other, each, source)):
            return "the output of one model"
    return ""


def _name_trained(
    first: Action, later: Action, passage: Passage, graph: GradientGraphs, source: Source
) -> str:
    """A call of something unknown that is a part of both, of a model that is surely trained; "" if none is."""
    names = [
        {name_lasting(e.held) for e in graph.list_nodes(each.value) if _is_call(e)}
        for each in (first, later)
    ]
    both = names[0] & names[1] - {""}

    def passes(node: Node) -> bool:
        """Whether a gradient surely goes on: what else is called may keep, copy or detach what it is given."""
        if not isinstance(node, UnknownCalled):
            return True
        if node.method:
            return node.method in FROM_FIRST
        return name_lasting(node.held) in both or _is_trained(node, source)

    calls, again = (
        [e for e in graph.list_nodes(each.value, passes) if _is_call(e)] for each in (first, later)
    )
    shared = [e for e in again if any(e is each for each in calls)]
    judges = {name_lasting(e.held) for e in calls if not any(e is each for each in shared)} & both
    told = judges and _name_stepped(passage, first) != _name_stepped(passage, later)
    for each in shared:
        if told or _is_trained(each, source):
            return ast.unparse(each.node)[:40]
    return ""


def _is_trained(call: UnknownCalled, source: Source) -> bool:
    """Whether the weights of what is called are given to an optimizer in the file, or it is a loss."""
    called = call.node.func if isinstance(call.node, ast.Call) else None
    name = "" if called is None else ast.unparse(called).rpartition(".")[2]
    return bool(name) and bool(re.search(rf"\b{name}\.parameters\(\)", source.text))


def _is_call(node: object) -> TypeGuard[UnknownCalled]:
    return isinstance(node, UnknownCalled) and not node.method


def _name_stepped(passage: Passage, action: Action) -> object:
    """The optimizer that steps next."""
    steps = (e for e in passage.after(action) if e.act in STEPS)
    return next((each.on for each in steps), None)


def _gives_losses(called: Occurrence, source: Source) -> bool:
    """`losses, images = trainer(batch)`."""
    around = source.evaluation.list_around(called)
    line = next((each for each in around if isinstance(each, ast.Assign)), None)
    written = [ast.unparse(each) for each in line.targets] if line is not None else []
    return any(_LOSSES.search(each) for each in written)


_LOSSES = re.compile(r"\blosses\b|\bloss_dict\b")


def _come_from_one(one: ModelOutput, other: ModelOutput, source: Source) -> bool:
    """Whether a layer with weights is behind both of two outputs of one call."""
    flow, steps = GradientFlow(source.evaluation), source.evaluation.steps
    runs = [[flow.list_runs(v) for v in steps.list_outputs(each)] for each in (one, other)]
    return all(runs) and all(not a.isdisjoint(b) for a in runs[0] for b in runs[1])


def _find_step(
    later: Action, passage: Passage, graph: GradientGraphs, source: Source
) -> Action | None:
    """The step that changed weights between the run of a layer and the pass that needs what they were."""
    runs = [
        (node, held.address)
        for node in graph.list_nodes(later.value)
        if isinstance(node, Called) and has_weights(node)
        for held in node.positional[:1]
        if isinstance(held, Held) and _has_graph(node, graph)
    ]
    for each in passage.before(later) if runs else ():
        if each.act in STEPS and each.at.way.root == later.at.way.root:
            model = _find_trained(each.value, source)
            parts = set() if model is None else graph.list_parts(model)
            if any(at in parts and graph.precedes(node, each.at) for node, at in runs):
                return each
    return None


def _has_graph(node: Called, graph: GradientGraphs) -> bool:
    """Whether the input of a layer needs a gradient itself, for which the weights are kept."""
    given = node.positional[1] if len(node.positional) > 1 else None
    return any(isinstance(each, Called) and has_weights(each) for each in graph.list_nodes(given))


def _find_trained(optimizer: Value | None, source: Source) -> int | None:
    """The address of the model whose parameters an optimizer has."""
    ways = source.evaluation.ways
    made = ways.find_maker(optimizer)
    given = made.positional[0] if isinstance(made, Called) and made.positional else None
    listed = ways.find_maker(given)
    if not isinstance(listed, Called) or not listed.name.endswith(".parameters"):
        return None
    held = listed.positional[0] if listed.positional else None
    return held.address if isinstance(held, Held) else None
