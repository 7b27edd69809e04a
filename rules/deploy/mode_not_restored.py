"""LT205: training goes on in eval mode after a look at the validation data."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.names.scopes import dotted_text
from lintorch.source import Act, Event, Path, Region, Role, Source

rule = Rule(
    __name__,
    code="LT205",
    summary="training goes on in eval mode",
    why="""
        eval() lasts until train() is called. Where a training loop evaluates now and then, and
        train() is only called ahead of the loop, all that follows the first evaluation is trained
        without dropout and with the running statistics of batch norm, which no longer change.
        Nothing says so: measured on torch 2.13, num_batches_tracked stands still after the
        first epoch. train() belongs at the start of the epoch, or right after the evaluation.

        Reported where one file shows the whole loop. A model that is meant to be trained in eval
        mode says so ahead of the training steps, and is not reported. Frozen layers whose batch
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
    proof="""
        model = torch.nn.BatchNorm1d(2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        fit(model, [torch.rand(4, 2)], torch.rand(4, 2), optimizer, epochs=2)
        assert model.num_batches_tracked == 2
    """,
)

_HELPERS = re.compile(
    r"teacher|ema\b|_ema|target_|frozen|reference|ref_|old_|best|copy|average|swa|vae|encoder", re.I
)
"""Names of models that stand beside the one that is trained."""


@rule.source(cst.Module, needs=(".eval()", ".train(False)"))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    told: set[cst.CSTNode] = set()
    for region in source.paths.regions:
        for event in _lasting(region, source):
            if event.node not in told:
                told.add(event.node)
                message = (
                    f"{event.on} is not put back into training mode: later steps train in eval mode"
                )
                yield Hit(event.node, message)


def _lasting(region: Region, source: Source) -> Iterator[Event]:
    """Of a loop: an eval() behind its training steps that meets those of the next turn."""
    if not region.is_loop or not region.has(Act.BACKWARD) or not region.has(Act.EVAL):
        return
    if region.has(Act.PASSED):
        return
    for path in region.paths:
        met = any(path.precedes(later) and _meets(later) for later in region.paths)
        for event in path.events:
            lasts = (met and _is_left(event, path)) or _is_looked_at(event, path, region)
            known = event.act is Act.EVAL and lasts and _is_trained(event, source)
            if known and not _is_kept(event.node, source):
                yield event


def _is_kept(call: cst.CSTNode, source: Source) -> bool:
    """Whether the mode was saved before, and what holds it is used after: `was = model.training`."""
    function = source.enclosing(call, cst.FunctionDef)
    for read in source.nodes(cst.Attribute):
        same = read.attr.value == "training" and source.enclosing(read, cst.FunctionDef) is function
        saved = source.enclosing(read, cst.Assign) if same and source.precedes(read, call) else None
        for target in saved.targets if saved is not None else ():
            name = dotted_text(target.target)
            again = source.mentions_of(name.rpartition(".")[2]) if name else []
            if any(source.precedes(call, use) for use in again):
                return True
    return False


def _is_looked_at(event: Event, path: Path, region: Region) -> bool:
    """Whether it is put into eval mode now and then, run without gradients, and trained on."""
    if region.always(event.node):
        return False
    later = path.after(event)
    acts = [e.act for e in later]
    end = acts.index(Act.BACKWARD) if Act.BACKWARD in acts else 0
    quiet = any(e.act is Act.LEAVE and e.on == "no_grad" for e in later[:end])
    return quiet and not any(act in (Act.TRAIN, Act.EVAL) for act in acts[:end])


def _is_left(event: Event, path: Path) -> bool:
    """Whether training steps ran before it, and nothing sets a mode after it."""
    trained = any(e.act is Act.BACKWARD for e in path.before(event))
    later = path.after(event)
    return trained and path.goes_on and not any(e.act in (Act.TRAIN, Act.BACKWARD) for e in later)


def _meets(path: Path) -> bool:
    """Whether a training step comes before any mode is set."""
    for event in path.events:
        if event.act in (Act.TRAIN, Act.EVAL):
            return False
        if event.act is Act.BACKWARD:
            return True
    return False


def _is_trained(event: Event, source: Source) -> bool:
    """Whether the model is the one that the loop trains, as far as its name tells."""
    call = event.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return False
    if _HELPERS.search(event.on) or source.presumed_role(call.func.value) is not Role.MODEL:
        return False
    others = {e for e in source.nodes(cst.Call) if _is_train_of(e, event.on, source)}
    return bool(others) or f"{event.on}.parameters()" in source.text


def _is_train_of(call: cst.Call, model: str, source: Source) -> bool:
    return source.code(call.func) == f"{model}.train"
