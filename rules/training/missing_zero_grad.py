"""LT403: gradients that are never cleared, or cleared before they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.values import Spot
from lintorch.facts.project.parts_elsewhere import is_imported_beside, is_written_in_imported
from lintorch.source import STEPS, Act, Action, Source, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT403",
    summary="zero_grad() is missing or misplaced",
    why="""
        backward() adds to the gradients that are there. A loop that steps and never clears them
        steps along the sum of all gradients so far: three times the gradient after three equal
        batches, measured on torch 2.13, without a word. zero_grad() before the loop clears
        once. Between backward() and step() it takes away what the step should use, and the model
        stays as it is. In an accumulating loop, where step() runs every n-th time, zero_grad() at
        each time throws away the gradients of all other batches. With several optimizers each
        clears its own.

        Clearing in a helper of the file, by model.zero_grad() or by `p.grad = None` counts. Loops
        that hand model or optimizer to code that is not seen are not judged.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer):
            for batch in batches:
                loss = model(batch).square().mean()
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch


        def train(model, batches, optimizer):
            for batch in batches:
                loss = model(batch).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    proof="""
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
        once = torch.autograd.grad(model(torch.ones(1)).square().mean(), model.weight)
        train(model, [torch.ones(1)] * 3, optimizer)
        assert torch.allclose(model.weight.grad, once[0])
    """,
    fix=Applicability.UNSAFE,
)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    if source.is_test:
        return  # a few steps that show that it can be trained
    told: set[Spot] = set()
    by_hand = any(each.act is Act.GIVEN for each in training.actions)
    for region in training.regions:
        if not region.has(Act.BACKWARD) or not region.has(*STEPS):
            continue
        between = () if by_hand else _between(region)
        alone = (*_missing(region, training, source), *_of_others(region))
        for hit in (*alone, *between, *_each_time(region)):
            if hit.node.spot not in told:
                told.add(hit.node.spot)
                yield hit


def _missing(region: TrainingRegion, training: Training, source: Source) -> Iterator[Hit]:
    """A loop that runs backward and steps and clears nothing."""
    if not region.is_loop or region.has(Act.ZERO_GRAD, Act.PASSED, Act.SOME_STEP, Act.GIVEN):
        return
    steps = region.list_acts(*STEPS)
    stepped = list(dict.fromkeys(each.on for each in steps))
    if (len(stepped) > 1 and None in stepped) or any(region.rebinds(each) for each in stepped):
        return
    if any(each.at.spot in region.repeated for each in steps):
        return
    if any(_asks_more(region.node, str(each)) for each in stepped):
        return
    once = _is_cleared_once(region, training)
    if not once and is_written_in_imported("zero_grad", source.path, source.consulted):
        return  # an optimizer or a step of the project's own may clear
    for passage in region.passages:
        backward = [each for each in passage.actions if each.act is Act.BACKWARD]
        step = next((each for each in passage.actions if each.act in STEPS), None)
        if step is None or not backward or not passage.goes_on:
            continue
        if not any(each is step for each in passage.after(backward[0])):
            continue
        where = "only before the loop" if once else "nowhere"
        if not once and _is_cleared_around(step, training, source):
            where = "nowhere in this loop"
        message = f"gradients are cleared {where}: each step sums up those of all steps before it"
        fix = None if once or len(stepped) > 1 else _fix(step, backward, source)
        calls = " and ".join(f"{each}.zero_grad()" for each in stepped)
        yield Hit(step.at, message, fix, remedy=f"call {calls} ahead of backward()")
        return


def _asks_more(loop: ast.AST, optimizer: str) -> bool:
    """`self.optimizer.pre_step(step)`: a method that torch's optimizers do not have, and that may clear."""
    calls = (each.func for each in ast.walk(loop) if isinstance(each, ast.Call))
    return any(
        isinstance(func, ast.Attribute)
        and func.attr not in _OF_OPTIMIZERS
        and ast.unparse(func.value) == optimizer
        for func in calls
    )


_OF_OPTIMIZERS = frozenset(
    (
        *("step", "state_dict", "load_state_dict", "add_param_group", "param_groups", "backward"),
        *("train", "eval", "register_step_pre_hook", "register_step_post_hook"),
    )
)


def _of_others(region: TrainingRegion) -> Iterator[Hit]:
    """A loop with several optimizers that steps one of them and clears only others."""
    if not region.is_loop or region.has(Act.PASSED, Act.SOME_STEP, Act.GIVEN):
        return
    steps, clearing = region.list_acts(*STEPS), region.list_acts(Act.ZERO_GRAD)
    stepped, cleared = {each.on for each in steps}, {each.on for each in clearing}
    if len(stepped) < 2 or not cleared or not cleared < stepped or None in stepped:
        return
    names = {str(each) for each in cleared}
    for step in steps:
        if str(step.on) in names:  # one of several that a name may stand for
            continue
        repeated = step.at.spot in region.repeated or region.rebinds(step.on)
        if step.on in cleared or repeated or not _follows_backward(step, region):
            continue
        other = min(str(each) for each in cleared)
        message = (
            f"{step.on} steps and nothing clears its gradients, only those of {other}: each step"
            " sums up those of all steps before it"
        )
        yield Hit(step.at, message, remedy=f"call {step.on}.zero_grad()")


def _follows_backward(step: Action, region: TrainingRegion) -> bool:
    """Whether on a way that goes on gradients are made before a step."""
    return any(
        passage.goes_on
        and any(each is step for each in passage.actions)
        and any(each.act is Act.BACKWARD for each in passage.before(step))
        for passage in region.passages
    )


def _is_cleared_once(region: TrainingRegion, training: Training) -> bool:
    """Whether gradients are cleared above this loop in the same function."""
    begun = region.began
    return any(
        each.act is Act.ZERO_GRAD
        and each.at.spot.path == begun.spot.path
        and each.at.way.names == begun.way.names
        and each.at.spot.row < begun.spot.row
        for each in training.actions
    )


def _is_cleared_around(step: Action, training: Training, source: Source) -> bool:
    """Whether other code clears: here, or in a file that imports the function, which is given the optimizer."""
    if any(each.act is Act.ZERO_GRAD and each.on == step.on for each in training.actions):
        return True
    function = source.evaluation.find_function(step.at)
    if not isinstance(function, ast.FunctionDef) or step.on is None:
        return False
    given = {each.arg for each in function.args.args}
    words = frozenset({"zero_grad"})
    return str(step.on).partition(".")[0] in given and is_imported_beside(
        function.name, words, source.path, source.consulted
    )


def _between(region: TrainingRegion) -> Iterator[Hit]:
    """backward, zero_grad, step: of the same optimizer, or the only one."""
    deciding = (Act.BACKWARD, *STEPS, Act.PASSED, Act.SOME_STEP)
    for passage in region.passages:
        for action in passage.actions:
            if action.act is not Act.ZERO_GRAD or action.on is None:
                continue
            before, after = passage.before(action), passage.after(action)
            fresh = next((each for each in reversed(before) if each.act in deciding), None)
            coming = next((each for each in after if each.act in deciding), None)
            if fresh is None or coming is None or coming.act not in STEPS:
                continue
            if fresh.act is Act.BACKWARD and coming.on == action.on:
                message = f"clears the gradients between backward() and {coming.on}'s step: the step does nothing"
                yield Hit(action.at, message, remedy="clear them ahead of backward()")


def _each_time(region: TrainingRegion) -> Iterator[Hit]:
    """zero_grad at every turn of a loop that steps at every n-th."""
    if not region.is_loop or region.holds_loop or region.has(Act.PASSED, Act.SOME_STEP):
        return
    steps, clearing = region.list_acts(*STEPS), region.list_acts(Act.ZERO_GRAD)
    stepped = {each.on for each in steps}
    if len(stepped) != 1 or not all(region.counts(each) for each in steps):
        return
    for action in clearing:
        alone = all(e.on != action.on or e.at.spot == action.at.spot for e in clearing)
        if region.always(action) and alone and action.on in stepped and _loses(region):
            message = (
                "clears in every iteration, step() runs only in some: the other gradients are lost"
            )
            yield Hit(action.at, message, remedy="clear them only where it steps, after step()")


def _loses(region: TrainingRegion) -> bool:
    """Whether on a way without a step gradients are made that the next turn clears."""
    return any(
        any(each.act is Act.BACKWARD for each in passage.actions)
        and not any(each.act in STEPS for each in passage.actions)
        for passage in region.passages
    )


def _fix(step: Action, backward: list[Action], source: Source) -> Fix | None:
    """`optimizer.zero_grad()` above the only backward, where both stand in one block."""
    first, last = source.call_at(backward[0].at), source.call_at(step.at)
    if len(backward) != 1 or first is None or last is None or step.act is not Act.STEP:
        return None
    here = source.enclosing(first, cst.SimpleStatementLine)
    there = source.enclosing(last, cst.SimpleStatementLine)
    if here is None or there is None or source.parent(here) is not source.parent(there):
        return None
    if not isinstance(last.func, cst.Attribute):
        return None
    text = f"{source.code(last.func.value)}.zero_grad()"
    edit = source.above(first, text)
    return Fix(f"call {text} before backward()", (edit,), Applicability.UNSAFE)
