"""LT403: gradients that are never cleared, or cleared before they are used."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Act, Event, Region, Source

rule = Rule(
    __name__,
    code="LT403",
    summary="zero_grad() is missing or misplaced",
    why="""
        backward() adds to the gradients that are there. A loop that steps and never clears them
        steps along the sum of all gradients so far: three times the gradient after three equal
        batches, measured on torch 2.13, without a word. zero_grad() ahead of the loop clears
        once. Between backward() and step() it takes away what the step should use, and the model
        stays as it is. In an accumulating loop, where step() runs every n-th time, zero_grad() at
        each time throws away the gradients of all other batches.

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

_STEPS = (Act.STEP, Act.SCALER_STEP)
_ELSEWHERE = re.compile(
    r"zero_grad|\.grad\s*=\s*None|\.grad\.(zero_|data\.zero_|fill_)|set_to_none|_foreach_zero_|"
    r"autograd\.grad\(|reset_grad|clear_grad|zero_optim"
)
_GIVEN = re.compile(r"\.grad(\.data)?\s*(=(?!=)(?!\s*None)|\.(copy|add|set|mul)_\()|\"grad\"")
"""Signs that gradients are set by hand, as where those of several losses are weighed up."""


@rule.source(cst.Module, needs=(".backward(",))
def in_source(module: cst.Module, source: Source) -> Iterator[Hit]:
    told: set[object] = set()
    for region in source.paths.regions:
        if not region.has(Act.BACKWARD) or not region.has(*_STEPS):
            continue
        between = () if _GIVEN.search(source.text) else _between(region)
        for hit in (*_missing(region, source), *between, *_each_time(region, source)):
            if hit.node not in told:
                told.add(hit.node)
                yield hit


def _missing(region: Region, source: Source) -> Iterator[Hit]:
    """A loop that runs backward and steps and clears nothing."""
    if not region.is_loop or region.has(Act.ZERO_GRAD, Act.PASSED):
        return
    steps = {e for e in region.events if e.act in _STEPS}
    if region.holds_loop and any(_loop_of(e.node, source) is not region.node for e in steps):
        return
    if len({e.on for e in steps}) != 1 or region.has(Act.SOME_STEP) or _rebuilds(region, steps):
        return
    once = _cleared_once(region, source)
    if not once and _ELSEWHERE.search(source.text):
        return
    for path in region.paths:
        backward = [e for e in path.events if e.act is Act.BACKWARD]
        step = next((e for e in path.events if e.act in _STEPS), None)
        if step is None or not backward or not path.goes_on or step not in path.after(backward[0]):
            continue
        where = "only ahead of the loop" if once else "nowhere"
        message = f"gradients are cleared {where}: each step sums up those of all steps before it"
        yield Hit(step.node, message, None if once else _fix(step, backward, source))
        return


def _loop_of(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    return source.enclosing(node, cst.For, cst.While, cst.FunctionDef)


def _cleared_once(region: Region, source: Source) -> bool:
    """Whether all clearing of the file stands above this loop in the same function, once."""
    clearing = list(_ELSEWHERE.finditer(source.text))
    start = source.spans.offset(*source.spans.of(region.node)[0])
    function = source.enclosing(region.node, cst.FunctionDef)
    if not clearing or function is None:
        return False
    top = source.spans.offset(*source.spans.of(function.name)[0])
    return all(top < m.start() < start and m[0] == "zero_grad" for m in clearing)


def _rebuilds(region: Region, steps: set[Event]) -> bool:
    """Whether model or optimizer are made anew in the loop, as in a search or cross-validation."""
    names = {e.on for e in steps}
    for child in _statements(region.node.body):
        if isinstance(child, cst.Assign):
            target = child.targets[0].target
            if isinstance(target, cst.Name) and target.value in names:
                return True
    return False


def _statements(block: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for line in getattr(block, "body", ()):
        if isinstance(line, cst.SimpleStatementLine):
            yield from line.body


def _between(region: Region) -> Iterator[Hit]:
    """backward, zero_grad, step: of the same optimizer, or the only one."""
    for path in region.paths:
        for event in path.events:
            if event.act is not Act.ZERO_GRAD or event.on.endswith("grad"):
                continue
            before, after = path.before(event), path.after(event)
            fresh = _last(before, (Act.BACKWARD, *_STEPS, Act.PASSED, Act.SOME_STEP))
            coming = _first(after, (Act.BACKWARD, *_STEPS, Act.PASSED, Act.SOME_STEP))
            if fresh is None or coming is None or coming.act not in _STEPS:
                continue
            if fresh.act is Act.BACKWARD and coming.on == event.on:
                message = f"clears the gradients between backward() and {coming.on}'s step: the step does nothing"
                yield Hit(event.node, message)


def _each_time(region: Region, source: Source) -> Iterator[Hit]:
    """zero_grad at every turn of a loop that steps at every n-th."""
    if not region.is_loop or region.holds_loop or region.has(Act.PASSED, Act.SOME_STEP):
        return
    steps = {e for e in region.events if e.act in _STEPS}
    clearing = {e for e in region.events if e.act is Act.ZERO_GRAD}
    if len({e.on for e in steps}) != 1 or not all(_counted(e.node, source) for e in steps):
        return
    for event in clearing:
        alone = all(e.on != event.on or e is event for e in clearing)
        always = region.always(event.node) and alone
        if always and event.on in {s.on for s in steps} and _loses(event, region):
            message = "clears at every turn, step() runs only at some: the other gradients are lost"
            yield Hit(event.node, message)


def _loses(event: Event, region: Region) -> bool:
    """Whether on a path without a step gradients are made that this clears."""
    return any(
        any(e.act is Act.BACKWARD for e in path.events)
        and not any(e.act in _STEPS for e in path.events)
        for path in region.paths
    )


def _counted(step: cst.CSTNode, source: Source) -> bool:
    """Whether a step stands under `if (i + 1) % n == 0`."""
    for outer in source.ancestors(step):
        if isinstance(outer, cst.If) and "%" in source.code(outer.test):
            return True
        if isinstance(outer, (cst.For, cst.While, cst.FunctionDef)):
            return False
    return False


def _last(events: tuple[Event, ...], acts: tuple[Act, ...]) -> Event | None:
    return next((e for e in reversed(events) if e.act in acts), None)


def _first(events: tuple[Event, ...], acts: tuple[Act, ...]) -> Event | None:
    return next((e for e in events if e.act in acts), None)


def _fix(step: Event, backward: list[Event], source: Source) -> Fix | None:
    """`optimizer.zero_grad()` above the only backward, where both stand in one block."""
    here = source.enclosing(backward[0].node, cst.SimpleStatementLine)
    there = source.enclosing(step.node, cst.SimpleStatementLine)
    if len(backward) != 1 or here is None or there is None or step.act is not Act.STEP:
        return None
    if source.parent(here) is not source.parent(there) or not isinstance(step.node, cst.Call):
        return None
    func = step.node.func
    if not isinstance(func, cst.Attribute):
        return None
    text = f"{source.code(func.value)}.zero_grad()"
    edit = source.above(here, text)
    return Fix(f"call {text} before backward()", (edit,), Applicability.UNSAFE)
