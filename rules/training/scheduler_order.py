"""LT408: a learning-rate scheduler stepped, made, read or resumed wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Edit, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.facts.api.version_guards import is_version_guarded
from lintorch.source import Act, Event, Region, Role, Source

rule = Rule(
    __name__,
    code="LT408",
    summary="a learning-rate scheduler is used wrongly",
    why="""
        scheduler.step() ahead of the first optimizer.step() skips the first learning rate, and
        torch warns. A second scheduler bound to the same name leaves the first one dead. Outside
        a scheduler get_lr() computes a step ahead: 0.001 where the optimizer used 0.01.
        `verbose` was removed in torch 2.7 and raises TypeError. `last_epoch=5` on an optimizer
        that has just been made raises KeyError: a scheduler resumes by load_state_dict. A group
        added to the optimizer after LambdaLR was made raises ValueError at the next step. Measured
        on torch 2.13.

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
_NO_VERBOSE_SINCE = (2, 7)
_LAST_EPOCH = {
    "StepLR": ("optimizer", "step_size", "gamma", "last_epoch"),
    "MultiStepLR": ("optimizer", "milestones", "gamma", "last_epoch"),
    "ExponentialLR": ("optimizer", "gamma", "last_epoch"),
    "LambdaLR": ("optimizer", "lr_lambda", "last_epoch"),
    "MultiplicativeLR": ("optimizer", "lr_lambda", "last_epoch"),
    "CosineAnnealingLR": ("optimizer", "T_max", "eta_min", "last_epoch"),
    "PolynomialLR": ("optimizer", "total_iters", "power", "last_epoch"),
}
_RESUMED = re.compile(r"last_epoch(?!(\s*:\s*int)?\s*=\s*-\s*1\b)")
_STEPS = (Act.STEP, Act.SCALER_STEP)
_NEEDS = ("lr_scheduler", "scheduler.step(", "sched.step(")


@rule.source(cst.Module, needs=_NEEDS)
def in_steps(module: cst.Module, source: Source) -> Iterator[Hit]:
    told: set[cst.CSTNode] = set()
    for region in source.paths.regions:
        for event in _too_early(region, source):
            if event.node not in told:
                told.add(event.node)
                message = f"steps ahead of {_optimizer(region)}'s step: the first learning rate is skipped"
                yield Hit(event.node, message)


@rule.source(cst.Call, needs=("lr_scheduler",))
def in_calls(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name.startswith(_MODULE) and name.rpartition(".")[2][:1].isupper():
        yield from _made(call, name.rpartition(".")[2], source)
    elif isinstance(call.func, cst.Attribute) and call.func.attr.value == "get_lr":
        yield from _read(call, call.func, source)


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
    for statement in later:
        text = source.code(statement)
        first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if isinstance(first, cst.Assign) and source.code(first.targets[0].target) == name:
            if _makes(first, source) and name not in source.code(first.value):
                yield Hit(first, f"takes the place of the {name} made above, which is never used")
            return
        if name.rpartition(".")[2] in text:
            return


# the order


def _too_early(region: Region, source: Source) -> Iterator[Event]:
    """In a loop: a scheduler that steps at every turn, ahead of the only optimizer."""
    if not region.is_loop or region.has(Act.PASSED, Act.SOME_STEP):
        return
    if len({e.on for e in region.events if e.act in _STEPS}) != 1:
        return
    if len({e.on for e in region.events if e.act is Act.SCHEDULE}) != 1 or _warmed(region, source):
        return
    for event in sorted((e for e in region.events if e.act is Act.SCHEDULE), key=lambda e: e.on):
        early = all(
            event in path.events and not any(e.act in _STEPS for e in path.before(event))
            for path in region.paths
            if path.goes_on
        )
        steps = any(e.act in _STEPS for path in region.paths for e in path.events)
        if early and steps and _follows(event, region) and _is_plain(event, source):
            yield event


def _follows(event: Event, region: Region) -> bool:
    """Whether a path holds a step of the optimizer behind the scheduler's."""
    return any(
        event in path.events and any(e.act in _STEPS for e in path.after(event))
        for path in region.paths
    )


def _is_plain(event: Event, source: Source) -> bool:
    """A scheduler of torch, stepped without an argument."""
    call = event.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or call.args:
        return False
    names = {source.name(made.func) for made in source.built(call.func.value)}
    foreign = any(name and not name.startswith(_MODULE) for name in names)
    return not foreign and not any(name.endswith(_PLATEAU) for name in names)


def _warmed(region: Region, source: Source) -> bool:
    """Whether the optimizer stepped before the loop, or the scheduler goes on with an earlier run."""
    function = source.enclosing(region.node, cst.FunctionDef)
    start = source.spans.offset(*source.spans.of(region.node)[0])
    top = source.spans.offset(*source.spans.of(function.name)[0]) if function is not None else 0
    before = source.text[top:start]
    stepped = f"{_optimizer(region)}.step()" in before
    return stepped or "resume" in before or bool(_RESUMED.search(before))


def _optimizer(region: Region) -> str:
    return next(e.on for e in region.events if e.act in _STEPS)


# how it is made and read


def _makes(node: cst.Assign, source: Source) -> bool:
    value = node.value
    made = source.name(value.func) if isinstance(value, cst.Call) else ""
    return made.startswith(_MODULE) and len(node.targets) == 1


def _made(call: cst.Call, short: str, source: Source) -> Iterator[Hit]:
    given = source.arguments(call, *_LAST_EPOCH.get(short, ("optimizer",)))
    verbose = given.by_name.get("verbose")
    gone = source.profile.torch >= _NO_VERBOSE_SINCE
    if verbose is not None and gone and not is_version_guarded(call, source):
        message = f"{short} has no argument verbose since torch 2.7: TypeError"
        yield Hit(call, message, _without(call, verbose, source), severity=Severity.ERROR)
    last = given.value("last_epoch", -1)
    resumed = isinstance(last, int) and not isinstance(last, bool) and last >= 0
    if resumed and "initial_lr" not in source.text and _is_fresh(given.get("optimizer"), source):
        message = "last_epoch on an optimizer just made raises KeyError: load the scheduler's state"
        yield Hit(call, message, severity=Severity.ERROR)
    if short == "LambdaLR" and (grown := _grown(call, given.get("optimizer"), source)):
        yield Hit(grown, "a group added after LambdaLR was made: its next step raises ValueError")


def _is_fresh(optimizer: cst.CSTNode | None, source: Source) -> bool:
    if optimizer is None:
        return False
    built = source.built(optimizer)
    text = source.code(optimizer)
    made = bool(built) and source.role(optimizer) is Role.OPTIMIZER
    return made and f"{text}.load_state_dict" not in source.text


def _grown(call: cst.Call, optimizer: cst.CSTNode | None, source: Source) -> cst.CSTNode | None:
    """The `optimizer.add_param_group(…)` below it in the same block."""
    line = source.enclosing(call, cst.SimpleStatementLine)
    block = source.parent(line) if line is not None else None
    body = list(getattr(block, "body", ()))
    if optimizer is None or line not in body:
        return None
    wanted = f"{source.code(optimizer)}.add_param_group"
    for statement in body[body.index(line) + 1 :]:
        if not isinstance(statement, cst.SimpleStatementLine):
            return None
        expression = statement.body[0]
        value = expression.value if isinstance(expression, cst.Expr) else None
        if isinstance(value, cst.Call) and source.code(value.func) == wanted:
            return value
    return None


def _without(call: cst.Call, argument: cst.Arg, source: Source) -> Fix | None:
    """The call without `verbose`, where that comes last."""
    if call.args[-1] is not argument or len(call.args) < 2:
        return None
    previous = source.replace(call.args[-2].value, "").end
    end = source.replace(argument.value, "").end
    edit = Edit(previous, end, "")
    return Fix("leave verbose out", (edit,), Applicability.SAFE)


def _read(call: cst.Call, func: cst.Attribute, source: Source) -> Iterator[Hit]:
    if source.role(func.value) is not Role.SCHEDULER or call.args:
        return
    names = [source.name(made.func) for made in source.built(func.value)]
    if not names or not all(name.startswith(_MODULE) for name in names):
        return
    if any(name.endswith(_PLATEAU) for name in names):
        return
    message = "get_lr() warns and computes another rate than the one in use: read get_last_lr()"
    edit = source.replace(func.attr, "get_last_lr")
    yield Hit(call, message, Fix("read get_last_lr()", (edit,), Applicability.UNSAFE))
