"""LT222: a model that is measured, or serves, in training mode."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, ModelHandled
from lintorch.facts.models.mode_changes import may_have_changed, tell_dependence
from lintorch.source import Source
from lintorch.syntax.tree import names_in

rule = Rule(
    __name__,
    code="LT222",
    summary="a model is measured in training mode",
    why="""
        A module is in training mode from the moment it is built, and no_grad() does not change that:
        dropout drops, and BatchNorm normalizes by the batch at hand and goes on updating its
        statistics with the data it is measured on. The numbers are lower than those of eval(), differ
        from call to call, and depend on what else is in the batch. Reported where the model is built
        in view, has layers that depend on the mode, and nothing calls eval() or train(False) on the
        way to a forward pass without gradients over batches, or behind weights that were loaded;
        beside training in one function, in a loop of its own. With or without gradients it is reported
        where a function reads the weights itself, and nothing in the file trains or sets a mode. Dropout that is left on to draw samples
        is not reported. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def measure(batches, weights):
            model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
            model.load_state_dict(weights, strict=False)
            hits = 0
            with torch.no_grad():
                for x, y in batches:
                    hits += (model(x).argmax(1) == y).sum().item()
            return hits
    """,
    good="""
        import torch
        from torch import nn


        def measure(batches, weights):
            model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
            model.load_state_dict(weights, strict=False)
            hits = 0
            model.eval()
            with torch.no_grad():
                for x, y in batches:
                    hits += (model(x).argmax(1) == y).sum().item()
            return hits
    """,
    proof="""
        torch.manual_seed(0)
        weights = {"3.weight": torch.randn(2, 8)}
        x = torch.randn(200, 4)
        found = [(torch.manual_seed(1), measure([(x, torch.zeros(200))], weights))[1]]
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
        model.load_state_dict(weights, strict=False)
        assert found == [(model.eval()(x).argmax(1) == 0).sum().item()]
    """,
    remedy="call model.eval() before it",
    fix=Applicability.UNSAFE,
)

_FREE = re.compile(r"\b(no_grad|inference_mode)\b")
_STEPS = re.compile(r"\.backward\(|\.step\(")
_PICTURES = re.compile(r"save_image|imsave|imwrite|imshow|make_grid")
_TRAINS = re.compile(rf"{_STEPS.pattern}|\brandn?\(|\brandn_like\(|\bzeros\(|\bones\(")
"""What a function has that trains, or that runs a model on made-up numbers."""
_MEANT = re.compile(
    r"mc_?dropout|monte_?carlo|uncertain|update_bn|bn_update|reset_running_stats|enable_dropout"
    r"|calibrat|recalib|precise_bn|\.training\b",
    re.I,
)
"""Words of code that leaves a model in training mode on purpose, or chooses the mode otherwise."""


@rule.event(ModelHandled)
def in_source(event: ModelHandled, source: Source) -> Iterator[Hit]:
    if event.name or not event.training or not event.layers or source.is_test:
        return
    call = source.call_at(event)
    if call is None or _MEANT.search(source.text):
        return
    ways = (_is_measured(call, source), _teaches(call, event, source), _serves(call, event, source))
    if not any(ways):
        return
    if not may_have_changed(event.held, event, source.evaluation):
        depend = tell_dependence(event.layers)
        message = f"{source.code(call.func)} runs in training mode, on which {depend}"
        yield Hit(call, message, _fix(call, source), cause=f"training mode, {depend}")


def _is_measured(call: cst.Call, source: Source) -> bool:
    """Whether it runs without gradients over batches, or on weights that a file without training loads."""
    function = source.enclosing(call, cst.FunctionDef)
    if not isinstance(call.func, (cst.Name, cst.Attribute)) or function is None:
        return False
    if source.code(call.func) == "self":  # whoever calls the method sets the mode
        return False
    if _is_average(source.code(call.func), source):
        return False
    rounds = _find_rounds(call, function, source)
    if rounds is not None and source.code(rounds.target) == source.code(call.func):
        return False  # layers one behind another, and no batches: who runs them sets the mode
    meant = _STEPS if _paints(call, function, source) else _TRAINS
    if not _is_free(call, function, source) or meant.search(source.code(rounds or function)):
        return False
    if meant.search(source.code(function)):
        return rounds is not None and "range(" not in source.code(rounds.iter)
    served = ".load_state_dict(" in source.text and ".backward(" not in source.text
    return served or rounds is not None


def _is_average(name: str, source: Source) -> bool:
    """Whether it follows another's weights while that trains, and is run in its mode: `zip(net.parameters(), teacher.parameters())`."""
    return bool(re.search(rf"\bzip\([^=]*{re.escape(name)}\.parameters\(", source.text))


def _paints(call: cst.Call, function: cst.FunctionDef, source: Source) -> bool:
    """Whether what a model with weights of a file makes out of noise is kept: a generator's pictures."""
    text = source.code(function)
    returned = any(isinstance(each, cst.Return) for each in source.ancestors(call))
    return ".load_state_dict(" in text and (returned or bool(_PICTURES.search(text)))


def _teaches(call: cst.Call, event: ModelHandled, source: Source) -> bool:
    """Whether it gives another model its targets, by weights of a file that nothing here trains."""
    function = source.enclosing(call, cst.FunctionDef)
    if function is None or not _is_free(call, function, source):
        return False
    text, name = source.code(function), source.code(call.func)
    if ".backward(" not in text or f"{name}.train(" in text or f"{name}.parameters(" in text:
        return False
    ways = source.evaluation.ways
    return any(
        isinstance(read := ways.find_maker(each.positional[1]), Called)
        and read.name == "torch.load"
        for each in _list_loads(event, source)
        if len(each.positional) > 1
    )


def _list_loads(event: ModelHandled, source: Source) -> Iterator[Called]:
    """The calls ahead of it by which weights are read into the model."""
    calls = (each for each in source.evaluation.list_before(event) if isinstance(each, Called))
    for each in calls:
        loads = each.name == "torch.nn.Module.load_state_dict"
        if loads and each.positional[:1] == (event.held,):
            yield each


def _serves(call: cst.Call, event: ModelHandled, source: Source) -> bool:
    """Whether a function reads the weights of a file into it and runs it, where nothing trains."""
    function = source.enclosing(call, cst.FunctionDef)
    if _LEARNS.search(source.text) or not isinstance(call.func, cst.Name):
        return False
    return any(
        each.spot.path == source.path
        and (there := source.call_at(each)) is not None
        and source.enclosing(there, cst.FunctionDef) is function
        for each in _list_loads(event, source)
    )


_LEARNS = re.compile(
    r"\.backward\(|\.step\(|optim\b|[Oo]ptimizer|\.train\(|\.eval\(|\.onnx\b|jit\."
)
"""Words of files that train too, or see to modes."""


def _find_rounds(
    call: cst.Call, function: cst.FunctionDef, source: Source
) -> cst.For | cst.CompFor | None:
    """The innermost loop around a call, or that of the list it stands in."""
    for each in source.ancestors(call):
        if each is function:
            return None
        if isinstance(each, cst.For):
            return each
        if isinstance(each, (cst.ListComp, cst.GeneratorExp)):
            return each.for_in
    return None


def _is_free(call: cst.Call, function: cst.FunctionDef, source: Source) -> bool:
    """Whether gradients are off, by a block or a decorator of its function."""
    if any(_FREE.search(source.code(each.decorator)) for each in function.decorators):
        return True
    return any(
        _FREE.search(source.code(item.item))
        for outer in source.ancestors(call)
        if isinstance(outer, cst.With) and source.enclosing(outer, cst.FunctionDef) is function
        for item in outer.items
    )


def _fix(call: cst.Call, source: Source) -> Fix | None:
    """`model.eval()` above the outermost block that the model is not made in."""
    function = source.enclosing(call, cst.FunctionDef)
    outer = [
        each
        for each in source.ancestors(call)
        if isinstance(each, (cst.With, cst.For))
        and source.enclosing(each, cst.FunctionDef) is function
    ]
    name, text = source.code(call.func).partition(".")[0], source.code(function) if function else ""
    trained = [each for each in outer if _TRAINS.search(source.code(each))]
    if f"{name}.parameters(" in text or f"{name}.train(" in text:
        if any(".train(" not in source.code(each) for each in trained):
            return None  # who trains on behind it has to ask for training mode again
        outer = outer[: len(outer) - len(trained)]
    there = [*takewhile(lambda block: not _binds(block, name, source), outer)]
    if not there:
        return None
    edit = source.above(there[-1], f"{source.code(call.func)}.eval()")
    return Fix("put the model into eval mode first", (edit,), Applicability.UNSAFE)


def _binds(block: cst.With | cst.For, name: str, source: Source) -> bool:
    """Whether a block gives a name its value."""
    assigned = [each.target for each in source.nodes(cst.AssignTarget)]
    named = [each.name for each in source.nodes(cst.AsName)]
    inside = [each for each in (*assigned, *named) if block in source.ancestors(each)]
    targets = [*inside, block.target] if isinstance(block, cst.For) else inside
    return any(each.value == name for target in targets for each in names_in(target))
