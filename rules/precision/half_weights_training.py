"""LT307: weights that are trained in float16."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.facts.dataflow.half_precision import HALF
from lintorch.source import Role, Source

rule = Rule(
    __name__,
    code="LT307",
    summary="weights that are trained in float16",
    why="""
        In float16, 1 - 0.0001 is 1: an optimizer loses every update that is small beside its
        weight. `GradScaler` refuses such weights: "Attempting to unscale FP16 gradients". With
        autocast the weights stay in float32, and only the operations run in half precision.
        Measured on torch 2.13. For inference `model.half()` is fine, and not reported.
    """,
    bad="""
        import torch


        def fit(model, batch):
            model.half()
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
            model(batch.half()).sum().backward()
            optimizer.step()
    """,
    good="""
        import torch


        def fit(model, batch):
            optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
            model(batch).sum().backward()
            optimizer.step()
    """,
    proof="""
        model = torch.nn.Linear(2, 2)
        torch.nn.init.ones_(model.weight)
        fit(model, torch.ones(1, 2))
        assert (model.weight != 1).all()
    """,
)


@rule.source(cst.Call, needs=(".half()", "float16", "torch.half"))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if source.presumed_role(call) is not Role.OPTIMIZER and not _is_optimizer(call, source):
        return
    model = _model(call)
    if model and (made := _halved(model, call, source)) is not None:
        yield Hit(made, f"{model} is trained in float16: small updates are lost")


def _is_optimizer(call: cst.Call, source: Source) -> bool:
    name = source.name(call.func)
    return name.startswith("torch.optim.") and name.count(".") == 2 and name[12:13].isupper()


def _model(call: cst.Call) -> str:
    """`model` of `SGD(model.parameters())`."""
    first = call.args[0].value if call.args else None
    if not isinstance(first, cst.Call) or not isinstance(first.func, cst.Attribute):
        return ""
    owner = first.func.value
    named = isinstance(owner, cst.Name) and first.func.attr.value == "parameters"
    return owner.value if named and isinstance(owner, cst.Name) else ""


def _halved(model: str, optimizer: cst.Call, source: Source) -> cst.Call | None:
    """A statement of the same block, before the optimizer's, that makes the weights float16."""
    block = source.enclosing(optimizer, cst.IndentedBlock, cst.Module)
    inside = list(source.ancestors(optimizer))
    found: cst.Call | None = None
    for statement in block.body if isinstance(block, (cst.IndentedBlock, cst.Module)) else ():
        if statement in inside:
            return found
        for call in _calls(statement):
            if _converts(call, model, source):
                found = call
            elif _is_method(call, model, ("float", "double", "bfloat16")):
                found = None
    return None


def _calls(statement: cst.CSTNode) -> Iterator[cst.Call]:
    """The calls that are whole statements, or assigned."""
    for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        value = getattr(small, "value", None)
        while isinstance(value, cst.Call):
            yield value
            value = value.func.value if isinstance(value.func, cst.Attribute) else None


def _converts(call: cst.Call, model: str, source: Source) -> bool:
    if _is_method(call, model, ("half",)):
        return not call.args
    return _is_method(call, model, ("to",)) and any(source.name(a.value) in HALF for a in call.args)


def _is_method(call: cst.Call, model: str, methods: tuple[str, ...]) -> bool:
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in methods:
        return False
    owner = func.value
    while isinstance(owner, cst.Call) and isinstance(owner.func, cst.Attribute):
        owner = owner.func.value
    return isinstance(owner, cst.Name) and owner.value == model
