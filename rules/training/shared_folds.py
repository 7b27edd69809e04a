"""LT463: a model that goes on from one fold of a cross-validation to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT463",
    summary="a model that goes on from fold to fold",
    why="""
        Each fold of a cross-validation is to be held out from a model of its own. One that is made before the
        loop has been trained in the folds before on most of what it is now measured by: on labels drawn by
        chance, a small network is right in 44 % of the first fold, and in nearly all of the last four.
        Measured on torch 2.13.

        Make the model within the loop, with its optimizer, or a copy.deepcopy() of one that was never trained.
    """,
    bad="""
        import torch


        def cross_validate(model, data, folds=4):
            losses = []
            for fold in range(folds):
                held = torch.arange(len(data)) % folds == fold
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                for x in data[~held]:
                    optimizer.zero_grad()
                    model(x).square().mean().backward()
                    optimizer.step()
                with torch.no_grad():
                    losses.append(model(data[held]).square().mean().item())
            return losses
    """,
    good="""
        import copy

        import torch


        def cross_validate(model, data, folds=4):
            losses = []
            for fold in range(folds):
                held = torch.arange(len(data)) % folds == fold
                fresh = copy.deepcopy(model)
                optimizer = torch.optim.SGD(fresh.parameters(), lr=0.1)
                for x in data[~held]:
                    optimizer.zero_grad()
                    fresh(x).square().mean().backward()
                    optimizer.step()
                with torch.no_grad():
                    losses.append(fresh(data[held]).square().mean().item())
            return losses
    """,
    remedy="make the model in the loop, with its optimizer, or copy.deepcopy() one that was never trained",
    proof="""
        model = torch.nn.Linear(1, 1, bias=False)
        before = model.weight.clone()
        cross_validate(model, torch.ones(8, 1))
        assert torch.equal(model.weight, before), "the next fold goes on with what this one trained"
    """,
)

SPLITTERS = re.compile(r"sklearn\.model_selection\.(\w*Fold|\w*Split|Leave\w+)$")
FOLD = re.compile(r"(cv|k)?_?folds?(_?(i|idx|index|num|n|id|no|number))?", re.I)
TRAINED = re.compile(r"([\w.]+)\.(?:train|parameters)\(")
AFRESH = r"\b{name}(\.module)?\.(load_state_dict|apply|reset\w*|init\w*|_?initiali[sz]e\w*)\(|(deepcopy|clone|\w*(init|reset|fresh)\w*)\([^)\n]*\b{name}\b"
"""How a model begins anew."""


@rule.source(cst.For, needs=("fold", "Fold"))
def in_folds(loop: cst.For, source: Source) -> Iterator[Hit]:
    if source.is_test or not (is_of_splitter(loop, source) or is_counted(loop, source)):
        return
    body = source.code(loop.body)
    for name in dict.fromkeys(list_trained(loop, body, source)):
        if not is_anew(name, body, source):
            yield Hit(
                loop,
                f"{name} goes on from fold to fold: it was trained on what later folds hold out",
            )
            return


def is_of_splitter(loop: cst.For, source: Source) -> bool:
    """`for fold, (train, held) in enumerate(KFold(5).split(x)):`."""
    over: cst.BaseExpression = loop.iter
    while isinstance(over, cst.Call) and not isinstance(over.func, cst.Attribute) and over.args:
        over = over.args[0].value
    func = over.func if isinstance(over, cst.Call) else None
    if not isinstance(func, cst.Attribute) or func.attr.value != "split":
        return False
    made = source.built(func.value)
    return bool(made) and all(SPLITTERS.match(source.name(each.func)) for each in made)


def is_counted(loop: cst.For, source: Source) -> bool:
    """`for fold in range(5):`."""
    named = isinstance(loop.target, cst.Name) and FOLD.fullmatch(loop.target.value)
    return bool(named) and source.code(loop.iter).startswith("range(")


def list_trained(loop: cst.For, body: str, source: Source) -> Iterator[str]:
    """The models that the loop trains, itself or by a function of the file."""
    yield from find_trained(body)
    for call in source.nodes(cst.Call):
        if source.is_within(call, loop.body):
            yield from list_handed(call, source)


def find_trained(text: str) -> Iterator[str]:
    """What code calls, and steps an optimizer for."""
    if ".backward(" in text and ".step(" in text:
        yield from (n for n in TRAINED.findall(text) if re.search(rf"\b{re.escape(n)}\(", text))


def list_handed(call: cst.Call, source: Source) -> Iterator[str]:
    """The models that a function of the file trains, of what it is given by place or name."""
    function = source.function(call.func)
    if function is None:
        return
    text = source.code(function.body)
    trained = {each for each in find_trained(text) if not is_reset(each, text)}
    names = [each.name.value for each in function.params.params]
    for place, each in enumerate(call.args):
        if each.star or not isinstance(each.value, (cst.Name, cst.Attribute)):
            return
        taken = (
            each.keyword.value if each.keyword is not None else "".join(names[place : place + 1])
        )
        if taken in trained:
            yield source.code(each.value)


def is_anew(name: str, body: str, source: Source) -> bool:
    """Whether the loop makes it, or sets it back, itself or by a method that it calls."""
    root, _, attribute = name.partition(".")
    if is_reset(name, body):
        return True
    if root == "self":
        makers = re.findall(
            rf"def (\w+)\((?:(?!\n    def )[\s\S])*?\bself\.{re.escape(attribute)}\s*=[^=]",
            source.text,
        )
        return any(f"self.{each}(" in body for each in makers) or is_bound(name, body)
    return is_bound(root, body) or (bool(attribute) and is_bound(name, body))


def is_reset(name: str, text: str) -> bool:
    return re.search(AFRESH.format(name=re.escape(name)), text) is not None


def is_bound(name: str, text: str) -> bool:
    """Whether it is given something there: by an assignment, a loop or a with."""
    name = re.escape(name)
    ways = (
        rf"(?m)(^|[\s,(]){name}\s*(,[^=\n(]*)?(:[^=\n]+)?=[^=]",
        rf"\bfor\s[^:\n]*\b{name}\b[^:\n]*\bin\b",
        rf"\bas\s+{name}\s*[:,]",
    )
    return any(re.search(way, text) for way in ways)
