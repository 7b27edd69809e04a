"""LT226: a mode that is assigned, which reaches no part of the model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT226",
    summary="a mode that is assigned, which reaches no part of the model",
    why="""
        `model.training = False` sets the flag of the model itself: its dropout and batch norms have flags of
        their own, and go on as in training. `model.train = False` and `model.eval = True` hide the methods of
        these names, and change no mode at all. eval() and train() reach every part. Measured on torch 2.13.

        Loops over modules(), which set the flag of each, and a module that sets its own are left, and so is a
        flag beside a call that changes the same mode of all parts.
    """,
    bad="""
        import torch


        def predict(model, x):
            model.training = False
            with torch.no_grad():
                return model(x)
    """,
    good="""
        import torch


        def predict(model, x):
            model.eval()
            with torch.no_grad():
                return model(x)
    """,
    remedy="call model.eval(), or model.train()",
    proof="""
        model = torch.nn.Sequential(torch.nn.Dropout(0.5))
        assert torch.equal(predict(model, torch.ones(64)), torch.ones(64))
    """,
    fix=Applicability.UNSAFE,
)

MODELS = re.compile(
    r"(\w+\.)*((\w*_)?(model|net|network|generator|discriminator|encoder|decoder)\w{0,2}|net[GD])"
)
OTHERS = re.compile(r"\b(chainer|keras|tensorflow|mxnet|paddle)\b")
"""Frameworks in which a mode is assigned."""
SETTINGS = re.compile(r"\b(args?|opts?|cfg|config|params?|hparams|options?|settings|flags)\b", re.I)


@rule.source(cst.Assign, needs=(".training", ".train ", ".eval "))
def in_source(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    target = assign.targets[0].target
    if len(assign.targets) > 1 or not isinstance(target, cst.Attribute):
        return
    name, value, owner = target.attr.value, literal(assign.value), source.code(target.value)
    if name not in ("training", "train", "eval") or type(value) is not bool:
        return
    if OTHERS.search(source.text):
        return
    if not MODELS.fullmatch(owner) or SETTINGS.search(owner) or is_of_each(assign, source):
        return
    if name == "training" and is_set_beside(assign, owner, value, source):
        return
    what = "has flags of its own in every part" if name == "training" else "loses the method"
    told = f"{owner}.{name} is assigned: {owner} {what}, and changes no mode"
    mode = "eval()" if value is (name == "eval") else "train()"
    edit = source.replace(assign, f"{owner}.{mode}")
    yield Hit(assign, told, Fix(f"call {owner}.{mode}", (edit,), Applicability.UNSAFE))


def is_of_each(assign: cst.Assign, source: Source) -> bool:
    """Whether a loop sets the flag of every part."""
    loop = source.enclosing(assign, cst.For)
    return loop is not None and any(
        word in source.code(loop.iter) for word in ("modules(", "children(", "layers")
    )


def is_set_beside(assign: cst.Assign, owner: str, value: bool, source: Source) -> bool:
    """Whether the same function calls eval() or train(), and hands the model to one that does, for the same mode."""
    function = source.enclosing(assign, cst.FunctionDef)
    calls = [
        each
        for each in source.nodes(cst.Call)
        if source.enclosing(each, cst.FunctionDef) is function
    ]
    if any(sets_mode(each, value) == owner for each in calls):
        return True
    takers = {
        each.func.value
        for each in calls
        if isinstance(each.func, cst.Name)
        and any(source.code(given.value) == owner for given in each.args)
    }
    return any(
        sets_mode(each, value)
        for scope in source.nodes(cst.FunctionDef)
        if scope.name.value in takers
        for each in source.nodes(cst.Call)
        if source.enclosing(each, cst.FunctionDef) is scope
    )


def sets_mode(call: cst.Call, training: bool) -> str:
    """The model of which all parts are put into a mode: `model.eval()`, `model.train(False)`; else ""."""
    func = call.func
    if not isinstance(func, cst.Attribute) or not isinstance(func.value, (cst.Name, cst.Attribute)):
        return ""
    method = func.attr.value
    given = literal(call.args[0].value) if call.args else method == "train"
    mode = given if method == "train" else False
    is_set = method in ("eval", "train") and mode is training
    return cst.Module([]).code_for_node(func.value) if is_set else ""
