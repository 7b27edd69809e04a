"""LT214: weights that are loaded to the device they were saved from."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_given
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT214",
    summary="torch.load of weights without map_location",
    why="""
        torch.load puts every tensor back on the device it was saved from. Weights saved on a GPU
        raise on a machine without one, and on a machine with several all processes fill the first.
        With `map_location="cpu"` they are read anywhere; load_state_dict copies them to where the
        model is. Only what goes to load_state_dict is reported. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def restore(model, path):
            model.load_state_dict(torch.load(path))
            return model
    """,
    good="""
        import torch


        def restore(model, path):
            model.load_state_dict(torch.load(path, map_location="cpu"))
            return model
    """,
    proof="""
        from torch import serialization

        model = torch.nn.Linear(4, 4)
        tag = serialization.location_tag
        serialization.location_tag = lambda storage: "cuda:0"  # as if saved on a GPU
        torch.save(model.state_dict(), "model.pt")
        serialization.location_tag = tag
        restore(model, "model.pt")
    """,
    fix=Applicability.SAFE,
)

_CUDA = re.compile(
    r"cuda\.(is_available|device_count)|(^|[._])(use_)?(cuda|gpus?|trt)$|use_cuda", re.I
)
_MORE = (cst.GreaterThan, cst.IsNot, cst.NotEqual)
_OF_NUMBERS = (Role.SCALER, Role.SCHEDULER)
"""What has a state without tensors."""
_MESSAGE = "no map_location: weights saved on a GPU raise where there is none"
_RESTORE = ("torch.nn.Module.load_state_dict", "torch.optim.Optimizer.load_state_dict")
_NUMBERS = re.compile(r"scal|sched", re.I)
_PARAMETERS = ("f", "map_location", "pickle_module")


@rule.event("torch.load")
def in_flow(event: Called, source: Source) -> Iterator[Hit]:
    """What comes to load_state_dict by another way than by its name."""
    call = source.call_at(event)
    if call is None or event.open or source.is_test or "map_location" in name_given(event):
        return
    ways = source.evaluation.ways
    restores = any(
        each.name in _RESTORE for each in ways.find_users(event.result) if isinstance(each, Called)
    )
    unknown = (each for each in ways.find_takers(event.result) if each.method == "load_state_dict")
    if not restores and not any(map(_may_have_tensors, unknown)):
        return
    path = source.arguments(call, *_PARAMETERS).get("f")
    if path is None or _is_on_gpu(call, source) or _is_own(path, call, source):
        return
    if not any(_report(call, source)):
        yield Hit(event, _MESSAGE)


@rule.source(cst.Call, needs=("load",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    yield from _report(call, source)


def _report(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.name(call.func) != "torch.load" or source.is_test or source.mentions(("torch_xla",)):
        return
    given = source.arguments(call, *_PARAMETERS)
    path = given.get("f")
    if not given.complete or "map_location" in given.by_name or path is None:
        return
    uses = [call, *_named(call, source)]
    takers = [taker for use in uses if (taker := _taker(use, source))]
    if not takers or _is_own(path, call, source) or _is_on_gpu(call, source):
        return
    alone = len(takers) == len(uses) - (len(uses) > 1)
    copies = alone and all(_copies(taker, source) for taker in takers)
    promise = Applicability.SAFE if copies else Applicability.UNSAFE
    fix = Fix("load to the CPU", (source.insert_argument(call, 'map_location="cpu"'),), promise)
    yield Hit(call, _MESSAGE, fix)


def _may_have_tensors(taker: UnknownCalled) -> bool:
    """Whether it is not called a scaler or scheduler."""
    return not _NUMBERS.search(getattr(taker.held, "path", ""))


def _is_on_gpu(call: cst.Call, source: Source) -> bool:
    """Whether it runs only where a GPU was asked for, or is there: `if torch.cuda.is_available():`."""
    inner: cst.CSTNode = call
    for outer in source.ancestors(call):
        if isinstance(outer, (cst.If, cst.IfExp)) and inner is not outer.test:
            denied = isinstance(outer.test, cst.UnaryOperation)
            asked = outer.test
            if isinstance(asked, cst.UnaryOperation):
                asked = asked.expression
            if _asks_gpu(asked, source) and (inner is outer.orelse) is denied:
                return True
        inner = outer
    return False


def _asks_gpu(test: cst.BaseExpression, source: Source) -> bool:
    """`use_cuda`, also by what the name was set to; of comparisons `> 0` and `is not None`."""
    if isinstance(test, cst.Comparison):
        return isinstance(test.comparisons[0].operator, _MORE) and _asks_gpu(test.left, source)
    if isinstance(test, cst.BooleanOperation):
        return isinstance(test.operator, cst.And) and _asks_gpu(test.left, source)
    given = source.classes.assigned(test) if isinstance(test, (cst.Name, cst.Attribute)) else []
    return any(_CUDA.search(source.code(node)) for node in (test, *given))


def _named(call: cst.Call, source: Source) -> list[cst.Name]:
    """The uses of the name that a call is assigned to."""
    assign = source.parent(call)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
    if not isinstance(target, cst.Name):
        return []
    function = source.enclosing(call, cst.FunctionDef)
    return [
        n
        for n in source.mentions_of(target.value)
        if n is not target and source.enclosing(n, cst.FunctionDef) is function
    ]


def _taker(node: cst.CSTNode, source: Source) -> cst.Call | None:
    """`m.load_state_dict(node)`, also of `node["model"]`."""
    outer = source.parent(node)
    while isinstance(outer, cst.Subscript) and outer.value is node:
        node, outer = outer, source.parent(outer)
    call = source.parent(outer) if isinstance(outer, cst.Arg) else None
    func = call.func if isinstance(call, cst.Call) else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "load_state_dict":
        return None
    numbers = source.presumed_role(func.value) in _OF_NUMBERS
    return call if isinstance(call, cst.Call) and not numbers else None


def _copies(taker: cst.Call, source: Source) -> bool:
    """Whether the weights end where the model is: not so with `assign=True`, or a class of its own."""
    assert isinstance(taker.func, cst.Attribute)
    kept = source.arguments(taker, "state_dict", "strict", "assign").value("assign", False)
    role = source.presumed_role(taker.func.value)
    return kept is False and role in (Role.MODEL, Role.OPTIMIZER)


def _is_own(path: cst.BaseExpression, call: cst.Call, source: Source) -> bool:
    """Whether the same function, or class, has written the file: its device is the same."""
    written = source.code(path)
    scopes = _scopes(call, source)
    return any(
        source.name(other.func) == "torch.save"
        and (to := source.arguments(other, "obj", "f").get("f")) is not None
        and source.code(to) == written
        and scopes & _scopes(other, source)
        for other in source.nodes(cst.Call)
    )


def _scopes(node: cst.CSTNode, source: Source) -> set[cst.CSTNode]:
    """The function and the class around a node, or the module."""
    around = (source.enclosing(node, cst.FunctionDef), source.enclosing(node, cst.ClassDef))
    return {scope for scope in around if scope is not None} or {source.module}
