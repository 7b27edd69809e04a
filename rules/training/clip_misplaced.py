"""LT410: gradients clipped where it changes nothing, or tensor by tensor."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.values import Spot
from lintorch.source import STEPS, Act, Action, Passage, Source, Training

rule = Rule(
    __name__,
    code="LT410",
    summary="gradients are clipped at the wrong place",
    why="""
        clip_grad_norm_ and clip_grad_value_ change the gradients that are there. Ahead of
        backward() there are none, or those of the step before; after step() they have been
        used. Either way the step is not clipped, and nothing says so: measured on torch 2.13, the
        norm returned is 0 and the gradient is applied unclipped. In a loop over the parameters each
        tensor gets a norm of its own, which changes the direction of the step.
    """,
    bad="""
        import torch
        from torch.nn.utils import clip_grad_norm_


        def train(model, batches, optimizer):
            for batch, target in batches:
                optimizer.zero_grad()
                loss = (model(batch) - target).square().mean()
                clip_grad_norm_(model.parameters(), 1.0)
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch.nn.utils import clip_grad_norm_


        def train(model, batches, optimizer):
            for batch, target in batches:
                optimizer.zero_grad()
                loss = (model(batch) - target).square().mean()
                loss.backward()
                clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
    """,
    remedy="clip between loss.backward() and optimizer.step()",
    proof="""
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
        before = model.weight.detach().clone()
        train(model, [(torch.ones(1, 2), torch.full((1, 1), 99.0))], optimizer)
        assert (model.weight - before).norm() < 1.1
    """,
)

_NEEDS = ("clip_grad_norm", "clip_grad_value")


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told: set[Spot] = set()
    passages = [passage for region in training.regions for passage in region.passages]
    fine = {e.at.spot for passage in passages for e in passage.actions if _in_place(e, passage)}
    for passage in passages:
        for action, message in _misplaced(passage):
            if action.at.spot not in told | fine:
                told.add(action.at.spot)
                yield Hit(action.at, message)


@rule.source(cst.Call, needs=_NEEDS)
def in_calls(call: cst.Call, source: Source) -> Iterator[Hit]:
    name = source.name(call.func)
    if name.rpartition(".")[2] == "clip_grad_norm_" and name.startswith("torch."):
        yield from _one_by_one(call, source)


def _in_place(clip: Action, passage: Passage) -> bool:
    """Whether a call clips between backward and step on this way."""
    if clip.act is not Act.CLIP:
        return False
    deciding = (*STEPS, Act.BACKWARD, Act.PASSED)
    before = [each.act for each in passage.before(clip) if each.act in deciding]
    return bool(before) and before[-1] in (Act.BACKWARD, Act.PASSED)


def _misplaced(passage: Passage) -> Iterator[tuple[Action, str]]:
    acts = [each.act for each in passage.actions]
    if Act.PASSED in acts or Act.SOME_STEP in acts or acts.count(Act.CLIP) != 1:
        return
    if acts.count(Act.BACKWARD) != 1 or sum(acts.count(each) for each in STEPS) != 1:
        return
    clip = passage.actions[acts.index(Act.CLIP)]
    step = next(i for i, act in enumerate(acts) if act in STEPS)
    if acts.index(Act.CLIP) < acts.index(Act.BACKWARD) < step:
        yield clip, "clips before backward(): the gradients of this step are not there yet"
    elif acts.index(Act.BACKWARD) < step < acts.index(Act.CLIP):
        yield clip, "clips after step(): the gradients have been applied unclipped"


def _one_by_one(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`for p in model.parameters(): clip_grad_norm_(p, 1)`."""
    loop = source.enclosing(call, cst.For, cst.FunctionDef)
    given = call.args[0].value if call.args else None
    if not isinstance(loop, cst.For) or not isinstance(given, cst.Name):
        return
    over = loop.iter.func if isinstance(loop.iter, cst.Call) else None
    plain = isinstance(over, cst.Attribute) and over.attr.value == "parameters"
    if plain and isinstance(loop.target, cst.Name) and loop.target.value == given.value:
        message = "gives each parameter a norm of its own"
        remedy = "pass all of them in one call: clip_grad_norm_(model.parameters(), 1.0)"
        yield Hit(call, message, severity=Severity.NOTE, remedy=remedy)
