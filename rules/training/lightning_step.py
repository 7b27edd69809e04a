"""LT451: a training_step that does what Lightning does itself, or gives it no loss."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source, literal

rule = Rule(
    __name__,
    code="LT451",
    summary="a Lightning step that trains by itself, or gives no loss",
    why="""
        Lightning runs backward() on what training_step returns, steps and clears the gradients. A step
        that calls backward() itself makes the second one raise, "Trying to backward through the graph a
        second time"; one that calls step() steps twice for each batch. What is returned must be the loss,
        with its graph: item(), a float or a dictionary without the key "loss" raise, detach() raises in
        backward(), and a step that returns nothing is skipped, so that no weight ever changes, without an
        error. With `self.automatic_optimization = False` the step does all that by itself, by
        self.manual_backward(loss). Measured on Lightning 2.6 and torch 2.13.
    """,
    bad="""
        import pytorch_lightning as pl
        import torch


        class Line(pl.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = torch.nn.Linear(4, 1)

            def training_step(self, batch, index):
                x, y = batch
                loss = torch.nn.functional.mse_loss(self.net(x), y)
                loss.backward()
                return loss
    """,
    good="""
        import pytorch_lightning as pl
        import torch


        class Line(pl.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = torch.nn.Linear(4, 1)

            def training_step(self, batch, index):
                x, y = batch
                return torch.nn.functional.mse_loss(self.net(x), y)
    """,
    unproven="""
        It takes Lightning.
    """,
    severity=Severity.ERROR,
)

CUTS = {"item": "a float", "detach": "a tensor without its graph", "numpy": "an array"}
BY_HAND = re.compile(r"automatic_optimization|def training_step_end\b")


@rule.source(cst.FunctionDef, needs=("training_step", "ightning"))
def in_step(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    if function.name.value == "training_step" and is_automatic(function, source):
        yield from judge_calls(function, source)
        yield from judge_returns(function, source)


def is_automatic(function: cst.FunctionDef, source: Source) -> bool:
    """Whether it belongs to a LightningModule that leaves training to Lightning."""
    owner = source.enclosing(function, cst.ClassDef)
    bases = [source.name(base.value) for base in owner.bases] if owner is not None else []
    plain = any(base.rpartition(".")[2] == "LightningModule" for base in bases)
    return plain and owner is not None and not BY_HAND.search(source.code(owner))


def judge_calls(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`loss.backward()`, `self.optimizers().step()`."""
    returned = {
        name.value
        for each in source.nodes(cst.Return)
        if is_own(each, function, source)
        for name in source.nodes(cst.Name)
        if source.enclosing(name, cst.Return) is each
    }
    for call in source.nodes(cst.Call):
        method = call.func.attr.value if isinstance(call.func, cst.Attribute) else ""
        if method not in ("backward", "step") or not is_own(call, function, source):
            continue
        held = source.code(call.func.value) if isinstance(call.func, cst.Attribute) else ""
        if method == "backward" and held in returned:
            said = (
                "Lightning runs backward() itself, on what training_step returns: the second raises"
            )
            yield Hit(call, said, remedy="leave it out")
        elif method == "step" and "optim" in held:
            said = "Lightning steps itself: the optimizer steps twice for each batch"
            yield Hit(
                call, said, remedy="leave it out, and zero_grad() too", severity=Severity.WARNING
            )


def judge_returns(function: cst.FunctionDef, source: Source) -> Iterator[Hit]:
    """`return loss.item()`, `return {"log": loss}`, and no return at all."""
    returns = [each for each in source.nodes(cst.Return) if is_own(each, function, source)]
    for each in returns:
        if given := name_unfit(each.value, source):
            said = f"Lightning takes the loss from what training_step returns, and is given {given}"
            yield Hit(each, said, remedy="return the loss itself")
    raises = any(is_own(each, function, source) for each in source.nodes(cst.Raise))
    body = function.body.body
    empty = all(isinstance(each, cst.SimpleStatementLine) and is_idle(each) for each in body)
    gives = any(each.value is not None for each in returns)
    if not raises and not empty and not gives and steps_at_all(function, source):
        said = "training_step returns nothing: Lightning skips every step, and no weight changes"
        yield Hit(function.name, said, remedy="return the loss")


def steps_at_all(function: cst.FunctionDef, source: Source) -> bool:
    """Whether the class has an optimizer: one without collects features, and means to train nothing."""
    owner = source.enclosing(function, cst.ClassDef)
    made = [
        each
        for each in (owner.body.body if owner is not None else ())
        if isinstance(each, cst.FunctionDef) and each.name.value == "configure_optimizers"
    ]
    given = [
        each.value
        for maker in made
        for each in source.nodes(cst.Return)
        if is_own(each, maker, source)
    ]
    return not made or any(each and source.code(each) != "None" for each in given)


def is_idle(line: cst.SimpleStatementLine) -> bool:
    """`...`, `pass` and a docstring."""
    return all(
        isinstance(each, cst.Pass)
        or (isinstance(each, cst.Expr) and isinstance(each.value, (cst.Ellipsis, cst.SimpleString)))
        for each in line.body
    )


def is_own(node: cst.CSTNode, function: cst.FunctionDef, source: Source) -> bool:
    """Whether it stands in the function itself, not in one that is defined there."""
    return source.enclosing(node, cst.FunctionDef, cst.Lambda) is function


def name_unfit(value: cst.BaseExpression | None, source: Source) -> str:
    """What is returned for a loss, if it surely is none."""
    if isinstance(value, cst.Call):
        if isinstance(value.func, cst.Attribute) and value.func.attr.value in CUTS:
            return CUTS[value.func.attr.value]
        return "a float" if source.name(value.func) == "float" else ""
    if not isinstance(value, cst.Dict):
        return ""
    keys = [each.key for each in value.elements if isinstance(each, cst.DictElement)]
    known = len(keys) == len(value.elements) and all(isinstance(k, cst.SimpleString) for k in keys)
    named = {literal(key) for key in keys}
    return 'a dictionary without the key "loss"' if known and "loss" not in named else ""
