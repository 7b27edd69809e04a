"""LT303: gradients clipped while they still carry the scale of a GradScaler."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Act, Event, Path, Source

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

_BY_HAND = ("get_scale", "inv_scale")


@rule.source(cst.Module, needs=("clip_grad_norm", "clip_grad_value"))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    if not source.mentions(("caler",)) or source.mentions(_BY_HAND):
        return
    found: dict[cst.CSTNode, Hit] = {}
    innocent: set[cst.CSTNode] = set()
    for region in source.paths.regions:
        for path in region.paths:
            for event in path.events:
                if event.act is not Act.CLIP:
                    continue
                if hit := _scaled(event, path, source):
                    found.setdefault(event.node, hit)
                elif any(e.act is Act.UNSCALE for e in path.before(event)):
                    innocent.add(event.node)
    yield from (hit for node, hit in found.items() if node not in innocent)


def _scaled(clip: Event, path: Path, source: Source) -> Hit | None:
    """Where the last backward before it was scaled, and the scaler steps only after it."""
    before, after = path.before(clip), path.after(clip)
    last = max((i for i, e in enumerate(before) if e.act is Act.BACKWARD), default=None)
    if last is None or before[last].by in ("", "?"):
        return None
    scaler = before[last].by
    if any(e.act in (Act.UNSCALE, Act.UPDATE, Act.SCALER_STEP, Act.PASSED) for e in before[last:]):
        return None
    rest = after[: next((i for i, e in enumerate(after) if e.act is Act.BACKWARD), len(after))]
    steps = [e for e in rest if e.act is Act.SCALER_STEP and e.by == scaler]
    late = [e for e in rest if e.act is Act.UNSCALE and e.by == scaler]
    if not steps:
        return None
    if late:
        message = (
            f"clips gradients that are still scaled: {scaler}.unscale_() comes only afterwards"
        )
        return Hit(clip.node, message, _swap(clip, late, source))
    message = f"clips gradients that are still scaled: {scaler}.unscale_({steps[0].on}) is missing"
    return Hit(clip.node, message, _insert(clip, steps, before[last], source))


def _insert(clip: Event, steps: list[Event], backward: Event, source: Source) -> Fix | None:
    """`scaler.unscale_(optimizer)` on a line of its own, where all is written in one block."""
    statement, block = _line(clip.node, source)
    if statement is None or len(steps) != 1:
        return None
    step = steps[0].node
    if _line(step, source)[1] is not block or not isinstance(step, cst.Call):
        return None
    func = step.func
    given = step.args[0].value if len(step.args) == 1 else None
    if not isinstance(func, cst.Attribute) or given is None:
        return None
    call = f"{source.code(func.value)}.unscale_({source.code(given)})"
    return Fix(f"call {call} first", (source.above(statement, call),), Applicability.UNSAFE)


def _swap(clip: Event, late: list[Event], source: Source) -> Fix | None:
    """The unscale_ that stands right below moves above."""
    statement, block = _line(clip.node, source)
    other, where = _line(late[0].node, source)
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
    node: cst.CSTNode, source: Source
) -> tuple[cst.SimpleStatementLine | None, cst.CSTNode | None]:
    statement = source.enclosing(node, cst.SimpleStatementLine)
    return statement, source.parent(statement) if statement is not None else None
