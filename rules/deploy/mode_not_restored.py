"""LT205: training goes on in eval mode after a look at the validation data."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Occurrence, PlainModeSet
from lintorch.evaluator.values import Spot
from lintorch.facts.training.part_values import role_of_class
from lintorch.source import Act, Action, Passage, Role, Source, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT205",
    summary="training goes on in eval mode",
    why="""
        eval() lasts until train() is called. Where a training loop evaluates now and then, and
        train() is only called before the loop, all that follows the first evaluation is trained
        without dropout and with the running statistics of batch norm, which no longer change.
        Nothing says so: measured on torch 2.13, num_batches_tracked stands still after the
        first epoch. train() belongs at the start of the epoch, or right after the evaluation.

        Reported where one file shows the whole loop. A model that is meant to be trained in eval
        mode says so before the training steps, and is not reported. Frozen layers whose batch
        norm goes on updating, and the legacy ONNX exporter, which sets the mode of every layer,
        are not looked at.
    """,
    bad="""
        import torch


        def fit(model, batches, held_out, optimizer, epochs):
            model.train()
            for _ in range(epochs):
                for batch in batches:
                    optimizer.zero_grad()
                    model(batch).square().mean().backward()
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(model(held_out).square().mean())
    """,
    good="""
        import torch


        def fit(model, batches, held_out, optimizer, epochs):
            for _ in range(epochs):
                model.train()
                for batch in batches:
                    optimizer.zero_grad()
                    model(batch).square().mean().backward()
                    optimizer.step()
                model.eval()
                with torch.no_grad():
                    print(model(held_out).square().mean())
    """,
    remedy="call model.train() after it",
    proof="""
        model = torch.nn.BatchNorm1d(2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        fit(model, [torch.rand(4, 2)], torch.rand(4, 2), optimizer, epochs=2)
        assert model.num_batches_tracked == 2
    """,
)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    happened = (each for reached in source.evaluation.reached for each in reached.events)
    told: set[Spot] = {each.spot for each in happened if isinstance(each, PlainModeSet)}
    for region in training.regions:
        for action in _list_lasting(region, training, source):
            if action.at.spot not in told:
                told.add(action.at.spot)
                message = f"{action.on} is not put back into training mode: later steps train in eval mode"
                remedy = f"call {action.on}.train() after it"
                yield Hit(action.at, message, remedy=remedy, cause="modes")


def _list_lasting(region: TrainingRegion, training: Training, source: Source) -> Iterator[Action]:
    """Of a loop: an eval() behind its training steps that meets those of the next turn."""
    if not region.is_loop or not region.has(Act.BACKWARD) or not region.has(Act.EVAL):
        return
    if region.has(Act.PASSED):
        return
    for passage in region.passages:
        if any(each.key.endswith(".training") and not each.holds for each in passage.answers):
            continue  # the mode is asked, and was eval mode before
        met = any(passage.precedes(later) and _meets(later) for later in region.passages)
        for action in passage.actions:
            lasts = action.act is Act.EVAL and (
                (met and _is_left(action, passage)) or _is_looked_at(action, passage, region)
            )
            if not lasts or _is_kept(action, source) or _sets_either(action, source):
                continue
            if _is_trained(action, training, source):
                yield action


def _sets_either(action: Action, source: Source) -> bool:
    """`if train: model.train() else: model.eval()`: whoever calls it says which."""
    name = "" if action.on is None else str(action.on)
    branches = (e for e in source.evaluation.list_around(action.at) if isinstance(e, ast.If))
    sides = (part for each in branches for part in (each.body, each.orelse))
    return any(f"{name}.train()" in map(ast.unparse, side) for side in sides)


def _is_kept(action: Action, source: Source) -> bool:
    """Whether a name is made from a mode before, and read again after: `back = m.train if m.training else m.eval`."""
    function = source.evaluation.find_function(action.at)
    row = action.at.spot.row
    nodes = [] if function is None else list(ast.walk(function))
    kept = {
        name.id
        for each in nodes
        if isinstance(each, ast.Assign) and each.lineno < row and _reads_mode(each.value)
        for target in each.targets
        for name in ast.walk(target)
        if isinstance(name, ast.Name)
    }
    return any(
        isinstance(each, ast.Name) and each.id in kept and each.lineno > row for each in nodes
    )


def _reads_mode(node: ast.expr) -> bool:
    return any(
        isinstance(each, ast.Attribute) and each.attr == "training" for each in ast.walk(node)
    )


def _is_looked_at(action: Action, passage: Passage, region: TrainingRegion) -> bool:
    """Whether it is put into eval mode now and then, run without gradients, and trained on."""
    if region.always(action):
        return False
    later = passage.after(action)
    acts = [each.act for each in later]
    end = acts.index(Act.BACKWARD) if Act.BACKWARD in acts else 0
    quiet = any(e.act is Act.LEAVE and str(e.on) == "no_grad" for e in later[:end])
    return quiet and not any(act in (Act.TRAIN, Act.EVAL) for act in acts[:end])


def _is_left(action: Action, passage: Passage) -> bool:
    """Whether training steps ran before it, and nothing sets a mode after it."""
    trained = any(each.act is Act.BACKWARD for each in passage.before(action))
    later = passage.after(action)
    return (
        trained and passage.goes_on and not any(e.act in (Act.TRAIN, Act.BACKWARD) for e in later)
    )


def _meets(passage: Passage) -> bool:
    """Whether a training step comes before any mode is set."""
    for action in passage.actions:
        if action.act in (Act.TRAIN, Act.EVAL):
            return False
        if action.act is Act.BACKWARD:
            return True
    return False


def _is_trained(action: Action, training: Training, source: Source) -> bool:
    """Whether the model is put into training mode elsewhere, or an optimizer has its parameters."""
    root, subject = action.at.way.root, action.on
    if subject is None:
        return False
    return any(
        each.act is Act.TRAIN and each.on == subject and each.at.way.root == root
        for each in training.actions
    ) or any(
        isinstance(each, Called)
        and role_of_class(each.name) is Role.OPTIMIZER
        and _is_given(f"{subject.key}.parameters()", each, reached.events)
        for reached in source.evaluation.reached
        if reached.events and reached.events[0].way.root == root
        for each in reached.events
    )


def _is_given(parameters: str, made: Called, events: Iterable[Occurrence]) -> bool:
    """Whether an optimizer is given them, also in a group: `Adam([{"params": net.parameters()}])`."""
    given = (*made.positional, *made.keyword.values())
    if any(getattr(each, "path", "") == parameters for each in given):
        return True
    written = {*ast.walk(made.node)}
    return any(
        each.node in written and getattr(getattr(each, "result", None), "path", "") == parameters
        for each in events
    )
