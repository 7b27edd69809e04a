"""LT303: gradients clipped while they still carry the scale of a GradScaler."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.conditions import name_lasting
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Spot, Value
from lintorch.source import Act, Action, Passage, Source, Training

rule = Rule(
    __name__,
    code="LT303",
    summary="scaled gradients are clipped",
    why="""
        After scaler.scale(loss).backward() the gradients are 65536 times too large, or whatever
        the scale is by then. Clipping them to a norm of 1 and unscaling them afterwards leaves
        gradients of norm 1/65536: the model hardly learns, without a word. scaler.step() unscales
        only what nobody unscaled before, so scaler.unscale_(optimizer) belongs between backward
        and clipping. Measured on torch 2.13: a weight that should have gone from 1 to 0.975
        stayed at 1.
    """,
    bad="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
            for batch, target in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = (model(batch) - target).square().mean()
                scaler.scale(loss).backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
    """,
    good="""
        import torch


        def train(model, batches, optimizer):
            scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
            for batch, target in batches:
                optimizer.zero_grad()
                with torch.autocast("cpu", dtype=torch.float16):
                    loss = (model(batch) - target).square().mean()
                scaler.scale(loss).backward()
                scaler.unscale_(optimizer)
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                scaler.step(optimizer)
                scaler.update()
    """,
    proof="""
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        before = model.weight.detach().clone()
        train(model, [(torch.ones(1, 2), torch.full((1, 1), 9.0))], optimizer)
        assert (model.weight - before).abs().max() > 1e-3
    """,
    fix=Applicability.UNSAFE,
)

_ENDS = (Act.UNSCALE, Act.UPDATE, Act.SCALER_STEP, Act.PASSED)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    if any(each.act in (Act.READ_SCALE, Act.GIVEN) for each in training.actions):
        return  # it may unscale by hand
    found: dict[Spot, Hit] = {}
    innocent: set[Spot] = set()
    for passage in (each for region in training.regions for each in region.passages):
        for action in passage.actions:
            if action.act is not Act.CLIP:
                continue
            if hit := _scaled(action, passage, source) or _of_another(
                action, passage, training, source
            ):
                found.setdefault(action.at.spot, hit)
            elif any(each.act is Act.UNSCALE for each in passage.before(action)):
                innocent.add(action.at.spot)
    yield from (hit for spot, hit in found.items() if spot not in innocent)


def _scaled(clip: Action, passage: Passage, source: Source) -> Hit | None:
    """Where the last backward before it was scaled, and the scaler steps only after it."""
    before, after = passage.before(clip), passage.after(clip)
    last = max((i for i, each in enumerate(before) if each.act is Act.BACKWARD), default=None)
    if last is None or before[last].by is None:
        return None
    scaler = before[last].by
    if any(each.act in _ENDS for each in before[last:]):
        return None
    rest = after[: next((i for i, e in enumerate(after) if e.act is Act.BACKWARD), len(after))]
    steps = [each for each in rest if each.act is Act.SCALER_STEP and each.by == scaler]
    late = [each for each in rest if each.act is Act.UNSCALE and each.by == scaler]
    if not steps:
        return None
    begin = "clips gradients that are still scaled:"
    if late:
        message = f"{begin} {late[0].by}.unscale_() comes only afterwards"
        remedy = "move it ahead of this"
        return Hit(clip.at, message, _swap(clip, late, source), remedy=remedy)
    message = f"{begin} unscale_ is missing"
    remedy = f"call {steps[0].by}.unscale_({steps[0].on}) ahead of it"
    return Hit(clip.at, message, _insert(clip, steps, source), remedy=remedy)


def _of_another(clip: Action, passage: Passage, training: Training, source: Source) -> Hit | None:
    """Where only the optimizer of another model was unscaled since the last backward."""
    before = passage.before(clip)
    last = max((i for i, each in enumerate(before) if each.act is Act.BACKWARD), default=None)
    if last is None or before[last].by is None:
        return None
    since = before[last:]
    unscaled = [each for each in since if each.act is Act.UNSCALE]
    owners = {_find_owner(_find_parameters(each, source), source) for each in unscaled}
    given = clip.at.positional[:1] if isinstance(clip.at, Called) else ()
    mine = _find_owner(given[0] if given else None, source)
    if not owners or "" in owners or not mine or mine in owners:
        return None
    steps = [each for each in training.actions if each.act in (Act.SCALER_STEP, Act.STEP)]
    others = [e for e in steps if _find_owner(_find_parameters(e, source), source) == mine]
    if not others or any(each.act is Act.PASSED for each in since):
        return None
    message = (
        f"clips gradients that are still scaled: {unscaled[0].by}.unscale_({unscaled[0].on}) was for"
        f" other parameters, {others[0].on} has these"
    )
    remedy = f"call {unscaled[0].by}.unscale_({others[0].on}) ahead of it"
    return Hit(clip.at, message, remedy=remedy)


def _find_parameters(action: Action, source: Source) -> Value | None:
    """What the optimizer was given that is stepped or unscaled."""
    made = source.evaluation.ways.find_maker(action.value)
    return made.positional[0] if isinstance(made, Called) and made.positional else None


def _find_owner(parameters: Value | None, source: Source) -> str:
    """Which model's parameters they are, "" where that is not known."""
    if parameters is None:
        return ""
    ways = source.evaluation.ways
    made = ways.find_maker(parameters)
    if isinstance(made, Called) and made.name.endswith(".parameters") and made.positional:
        return name_lasting(made.positional[0])
    asked = ways.find_unknown_maker(parameters)
    if asked is not None and asked.method == "parameters":
        return name_lasting(asked.held)
    return ""


def _insert(clip: Action, steps: list[Action], source: Source) -> Fix | None:
    """`scaler.unscale_(optimizer)` on a line of its own, where all is written in one block."""
    statement, block = _line(clip, source)
    step = source.call_at(steps[0].at)
    if statement is None or step is None or len(steps) != 1:
        return None
    if _line(steps[0], source)[1] is not block:
        return None
    func = step.func
    given = step.args[0].value if len(step.args) == 1 else None
    if not isinstance(func, cst.Attribute) or given is None:
        return None
    call = f"{source.code(func.value)}.unscale_({source.code(given)})"
    edit = source.above(source.call_at(clip.at) or statement, call)
    return Fix(f"call {call} first", (edit,), Applicability.UNSAFE)


def _swap(clip: Action, late: list[Action], source: Source) -> Fix | None:
    """The unscale_ that stands right below moves above."""
    statement, block = _line(clip, source)
    other, where = _line(late[0], source)
    if statement is None or other is None or where is not block or len(late) != 1:
        return None
    if not isinstance(block, (cst.IndentedBlock, cst.Module)):
        return None
    body = list(block.body)
    if body.index(other) != body.index(statement) + 1:
        return None
    if len(other.body) != 1 or len(statement.body) != 1:
        return None
    edit = source.exchange(statement, other)
    return Fix("unscale first", (edit,), Applicability.UNSAFE)


def _line(
    action: Action, source: Source
) -> tuple[cst.SimpleStatementLine | None, cst.CSTNode | None]:
    call = source.call_at(action.at)
    statement = source.enclosing(call, cst.SimpleStatementLine) if call is not None else None
    return statement, source.parent(statement) if statement is not None else None
