"""LT408: a learning-rate scheduler stepped, made, read or resumed wrongly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.training_code import SCHEDULERS
from lintorch.evaluator.values import UNKNOWN, Constant, External, Held, Spot, Unknown, Value
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.facts.models.scheduler_horizons import (
    find_horizon,
    find_making,
    judge_horizon,
    list_rare,
)
from lintorch.facts.training.part_values import role_of_object
from lintorch.source import STEPS, Act, Action, Role, Source, Subject, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT408",
    summary="a learning-rate scheduler is used wrongly",
    why="""
        scheduler.step() before the first optimizer.step() skips the first learning rate, and
        torch warns. A second scheduler bound to the same name leaves the first one dead. Outside
        a scheduler get_lr() computes a step ahead: 0.001 where the optimizer used 0.01. LambdaLR,
        CosineAnnealingWarmRestarts, CyclicLR and OneCycleLR give the rate in use there, too, with a
        warning, and are not reported; SequentialLR and ChainedScheduler have no get_lr().
        `verbose` was removed in torch 2.7 and raises TypeError. `last_epoch=5` on an optimizer
        that has just been made raises KeyError: a scheduler resumes by load_state_dict. A group
        added to the optimizer after LambdaLR was made raises ValueError at the next step.
        ReduceLROnPlateau.step() needs the metric. A scheduler that is made for as many steps as
        there are epochs and steps at every batch is through after the first few: a cosine goes up
        and down again, OneCycleLR raises. One that is made for the steps that are left after
        accumulation runs too fast where it steps at every micro-batch. One that is made for all
        batches and steps once an epoch hardly moves: OneCycleLR over ten epochs of a hundred batches
        goes from 0.004 to 0.0042, and never near its 0.1. Measured on torch 2.13.

        Milestones of MultiStepLR need not be sorted: they are sorted inside.
    """,
    bad="""
        import torch
        from torch.optim.lr_scheduler import StepLR


        def rates(model, batches, optimizer):
            scheduler = StepLR(optimizer, step_size=1, gamma=0.1)
            used = []
            for batch in batches:
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
                used.append(scheduler.get_lr()[0])
                scheduler.step()
            return used
    """,
    good="""
        import torch
        from torch.optim.lr_scheduler import StepLR


        def rates(model, batches, optimizer):
            scheduler = StepLR(optimizer, step_size=1, gamma=0.1)
            used = []
            for batch in batches:
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
                used.append(scheduler.get_last_lr()[0])
                scheduler.step()
            return used
    """,
    proof="""
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        assert torch.allclose(
            torch.tensor(rates(model, [torch.ones(1)] * 2, optimizer)), torch.tensor([0.1, 0.01])
        )
    """,
    fix=Applicability.UNSAFE,
)

_MODULE = "torch.optim.lr_scheduler."
_PLATEAU = "ReduceLROnPlateau"
_CLOSED = frozenset({"LambdaLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"})
"""Whose rate hangs on the number of the step alone."""
_JOINED = frozenset({"SequentialLR", "ChainedScheduler"})
_NO_VERBOSE_SINCE = (2, 7)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told: set[Spot] = set()
    for region in training.regions:
        for action in _too_early(region, training):
            if action.at.spot not in told:
                told.add(action.at.spot)
                message = (
                    f"steps before {_optimizer(region)}'s step: the first learning rate is skipped"
                )
                yield Hit(action.at, message, remedy="step it after the optimizer's step")


@rule.event(Training)
def in_horizons(training: Training, source: Source) -> Iterator[Hit]:
    """Made for so many epochs, and stepped at every batch; made for fewer steps than it takes."""
    told: set[Spot] = set()
    for region in training.regions:
        if not region.is_loop or region.holds_loop or not region.has(Act.BACKWARD):
            continue
        for action in region.list_acts(Act.SCHEDULE):
            made = find_making(action, source.evaluation)
            horizon = find_horizon(made) if made is not None else None
            if made is None or horizon is None or action.at.spot in told:
                continue
            if misjudged := judge_horizon(action, region, made, horizon, source.evaluation):
                told.add(action.at.spot)
                message, remedy = misjudged
                yield Hit(action.at, message, remedy=remedy)


@rule.event(Training)
def in_epochs(training: Training, source: Source) -> Iterator[Hit]:
    """Made for all batches of all epochs, and stepped once an epoch."""
    for action, name in list_rare(training, source.evaluation):
        message = (
            f"steps once an epoch, {name} counts batches: the rate hardly leaves where it begins"
        )
        yield Hit(action.at, message, remedy="step it at every batch, behind the optimizer's step")


@rule.event(f"{_MODULE}{_PLATEAU}.step")
def in_plateau(event: Called, source: Source) -> Iterator[Hit]:
    if len(event.positional) == 1 and not event.keyword and not event.open:
        if any(e.name != event.name for e in source.evaluation.list_calls_at(event.spot)):
            return  # it may be a scheduler of another kind
        message = "ReduceLROnPlateau.step() takes the metric: TypeError"
        yield Hit(event, message, severity=Severity.ERROR, remedy="write step(loss)")


@rule.event(*(f"{_MODULE}{name}" for name in SCHEDULERS))
def in_constructors(event: Called, source: Source) -> Iterator[Hit]:
    short, call = event.name.rpartition(".")[2], source.call_at(event)
    given = name_arguments(event)
    if "verbose" in event.keyword:
        yield from _tell_verbose(event, short, call, source)
    last, optimizer = given.get("last_epoch"), given.get("optimizer")
    resumed = isinstance(last, Constant) and type(last.value) is int and last.value >= 0
    resumed = resumed or (isinstance(last, Unknown) and last.path.startswith("torch.load()["))
    if (
        resumed
        and "initial_lr" not in source.evaluation.words
        and _is_fresh(optimizer, event, source)
    ):
        message = "last_epoch on an optimizer just made raises KeyError"
        remedy = "load the scheduler's state: scheduler.load_state_dict(state)"
        yield Hit(event, message, severity=Severity.ERROR, remedy=remedy)
    if short == "LambdaLR" and call is not None and (grown := _grown(call, source)):
        message = "a group added after LambdaLR was made: its next step raises ValueError"
        yield Hit(grown, message, remedy="make the scheduler behind add_param_group()")


@rule.source(cst.Call, needs=("verbose",))
def in_unreached(call: cst.Call, source: Source) -> Iterator[Hit]:
    """The same argument in a script that is not followed to its end."""
    short = source.name(call.func).removeprefix(_MODULE)
    if short in SCHEDULERS and source.arguments(call).by_name.get("verbose") is not None:
        yield from _tell_verbose(call, short, call, source)


def _tell_verbose(
    at: Called | cst.Call, short: str, call: cst.Call | None, source: Source
) -> Iterator[Hit]:
    if source.profile.torch >= _NO_VERBOSE_SINCE and not (
        call is not None and is_version_guarded(call, source)
    ):
        message = f"{short} has no argument verbose since torch 2.7: TypeError"
        fix = _without(call, "verbose", source)
        yield Hit(at, message, fix, severity=Severity.ERROR, remedy="leave it out")


@rule.event(*(f"{_MODULE}{name}.get_lr" for name in SCHEDULERS - {_PLATEAU} - _CLOSED))
def in_reads(event: Called, source: Source) -> Iterator[Hit]:
    held = event.positional[0] if len(event.positional) == 1 else None
    if not isinstance(held, Held) or not isinstance(held.of, External):
        return
    call = source.call_at(event)
    fix = None
    if call is not None and isinstance(call.func, cst.Attribute):
        edit = source.replace(call.func.attr, "get_last_lr")
        fix = Fix("read get_last_lr()", (edit,), Applicability.UNSAFE)
    raises = event.name.split(".")[-2] in _JOINED
    message = "get_lr() warns and computes another rate than the one in use"
    message = "get_lr() is not there: NotImplementedError" if raises else message
    severity = Severity.ERROR if raises else None
    yield Hit(event, message, fix, severity=severity, remedy="read get_last_lr()")


@rule.source(cst.Assign, needs=("lr_scheduler",))
def in_assignments(node: cst.Assign, source: Source) -> Iterator[Hit]:
    """`s = StepLR(opt, 30)` with nothing between it and another such line."""
    if not _makes(node, source):
        return
    line = source.parent(node)
    block = source.parent(line) if line is not None else None
    body = list(getattr(block, "body", ()))
    later = body[body.index(line) + 1 :] if line in body else []
    name = source.code(node.targets[0].target)
    optimizer = _name_optimizer(node.value, source)
    for statement in later:
        text = source.code(statement)
        first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if isinstance(first, cst.Assign) and source.code(first.targets[0].target) == name:
            if _makes(first, source) and name not in source.code(first.value):
                message = f"takes the place of the {name} made above, which is never used"
                yield Hit(first, message, remedy="join them: SequentialLR or ChainedScheduler")
            return
        if name.rpartition(".")[2] in text or _rebinds(statement, optimizer, source):
            return


# the order


def _too_early(region: TrainingRegion, training: Training) -> Iterator[Action]:
    """In a loop: a scheduler that steps at every turn, ahead of the only optimizer."""
    if not region.is_loop or region.has(Act.PASSED, Act.SOME_STEP):
        return
    steps, schedules = region.list_acts(*STEPS), region.list_acts(Act.SCHEDULE)
    if len({each.on for each in steps}) != 1 or len({each.on for each in schedules}) != 1:
        return
    if _is_warmed(region, steps[0], training):
        return
    for action in schedules:
        if _is_plain(action) and _follows(action, region) and _leads(action, region):
            yield action


def _leads(action: Action, region: TrainingRegion) -> bool:
    """Whether the scheduler steps on each way that goes on, and no optimizer before it."""
    return all(
        passage.holds(action)
        and not any(each.act in STEPS for each in passage.ahead_of(action.at.spot))
        for passage in region.passages
        if passage.goes_on
    )


def _follows(action: Action, region: TrainingRegion) -> bool:
    """Whether a way holds a step of the optimizer behind the scheduler's."""
    return any(
        any(each is action for each in passage.actions)
        and any(each.act in STEPS for each in passage.after(action))
        for passage in region.passages
    )


def _is_plain(action: Action) -> bool:
    """A scheduler of torch, or one that is not known, stepped without an argument."""
    call = action.at.node
    if not isinstance(call, ast.Call) or call.args or call.keywords:
        return False
    kind = action.value.of if isinstance(action.value, Held) else None
    if isinstance(kind, External):
        return kind.path.startswith(_MODULE) and not kind.path.endswith(_PLATEAU)
    return kind is None


def _is_warmed(region: TrainingRegion, step: Action, training: Training) -> bool:
    """Whether the optimizer stepped before the loop, or the scheduler goes on with an earlier run."""
    inner, row = region.began.way.names, region.began.spot.row
    for each in training.actions:
        outer = each.at.way.names
        before = inner[: len(outer)] == outer and (outer != inner or each.at.spot.row < row)
        if before and (each.act is Act.RESUMED or (each.act in STEPS and each.on == step.on)):
            return True
    return False


def _optimizer(region: TrainingRegion) -> Subject | None:
    return region.list_acts(*STEPS)[0].on


# how it is made and read


def _makes(node: cst.Assign, source: Source) -> bool:
    value = node.value
    made = source.name(value.func) if isinstance(value, cst.Call) else ""
    return made.startswith(_MODULE) and len(node.targets) == 1


def _name_optimizer(made: cst.BaseExpression, source: Source) -> str:
    given = source.arguments(made, "optimizer") if isinstance(made, cst.Call) else None
    optimizer = given.get("optimizer") if given is not None else None
    return "" if optimizer is None else source.code(optimizer)


def _rebinds(statement: cst.CSTNode, name: str, source: Source) -> bool:
    """Whether a name stands for another optimizer from here on, or may."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return bool(name) and f"{name} =" in source.code(statement)
    return any(
        isinstance(each, cst.Assign) and any(source.code(t.target) == name for t in each.targets)
        for each in statement.body
    )


def _is_fresh(optimizer: Value | None, event: Called, source: Source) -> bool:
    """Whether an optimizer was made by this code, and has been given no state by then."""
    own = name_lasting(optimizer or UNKNOWN)
    acts = [each for each in source.evaluation.training.actions if each.act is Act.RESUMED]
    others = [e for e in acts if e.on is not None and e.on.key.startswith("#") and e.on.key != own]
    states = [each.at for each in acts if each not in others and not _is_made(each.at)]
    loaded = any(not _stands_below(each, event, source) for each in states)
    if loaded or _is_left_by_callers(event, source):
        return False
    return role_of_object(optimizer or UNKNOWN) is Role.OPTIMIZER


def _is_left_by_callers(event: Called, source: Source) -> bool:
    """Whether the epoch is what a function takes where nobody says more, and the file loads optimizers: `last_epoch=0`."""
    last = name_arguments(event).get("last_epoch")
    name = event.way.root.rpartition(":")[2].rpartition(".")[2]
    value = last.value if isinstance(last, Constant) else None
    default = re.search(rf"def {name}\([^)]*=\s*{value}\b", source.text) if name else None
    return default is not None and bool(_LOADS_OPTIMIZER.search(source.text))


_LOADS_OPTIMIZER = re.compile(r"opt\w*(\[[^\]]*\])?\.load_state_dict\(", re.IGNORECASE)


def _stands_below(event: Occurrence, first: Occurrence, source: Source) -> bool:
    """Whether it is of the same function, behind the other, and no loop goes back."""
    functions = {source.evaluation.find_function(each) for each in (event, first)}
    return (
        len(functions) == 1
        and event.spot.row > first.spot.row
        and next(source.evaluation.list_loops(event), None) is None
    )


def _is_made(event: Occurrence) -> bool:
    return isinstance(event, Called) and event.name.startswith(_MODULE)


def _grown(call: cst.Call, source: Source) -> cst.CSTNode | None:
    """The `optimizer.add_param_group(…)` below it in the same block."""
    optimizer = source.arguments(call, "optimizer").get("optimizer")
    line = source.enclosing(call, cst.SimpleStatementLine)
    block = source.parent(line) if line is not None else None
    body = list(getattr(block, "body", ()))
    if optimizer is None or line not in body:
        return None
    wanted = f"{source.code(optimizer)}.add_param_group"
    for statement in body[body.index(line) + 1 :]:
        plain = isinstance(statement, cst.SimpleStatementLine)
        if not plain or _rebinds(statement, source.code(optimizer), source):
            return None
        expression = statement.body[0]
        value = expression.value if isinstance(expression, cst.Expr) else None
        if isinstance(value, cst.Call) and source.code(value.func) == wanted:
            return value
    return None


def _without(call: cst.Call | None, name: str, source: Source) -> Fix | None:
    """The call without an argument, where that comes last."""
    if call is None or len(call.args) < 2:
        return None
    argument = call.args[-1]
    if argument.keyword is None or argument.keyword.value != name:
        return None
    previous = source.replace(call.args[-2].value, "").end
    end = source.replace(argument.value, "").end
    return Fix(f"leave {name} out", (Edit(previous, end, ""),), Applicability.SAFE)
