"""LT452: an optimizer that is made anew in each epoch, and forgets its moments."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT452",
    summary="an optimizer that is made anew in each epoch",
    why="""
        Adam keeps the means of gradients and of their squares, SGD its momentum. An optimizer that is made
        in the loop over epochs begins each of them with none: the first step of a fresh Adam is as long as
        the learning rate, however small the gradient is. Measured on torch 2.13, at a rate of 0.1: after
        twenty gradients of 1 and -1 in turn, one of 0.1 moves a weight by 0.1, and by 0.006 with the
        optimizer that was kept. A scheduler that was made before goes on with one that nobody steps.

        Reported in a loop over a range of epochs, where the same weights and settings are given each time;
        not for SGD without momentum, which keeps nothing.
    """,
    bad="""
        import torch


        def train(model, batches, epochs=3):
            for epoch in range(epochs):
                optimizer = torch.optim.Adam(model.parameters())
                for x in batches:
                    optimizer.zero_grad()
                    model(x).square().mean().backward()
                    optimizer.step()
            return optimizer
    """,
    good="""
        import torch


        def train(model, batches, epochs=3):
            optimizer = torch.optim.Adam(model.parameters())
            for epoch in range(epochs):
                for x in batches:
                    optimizer.zero_grad()
                    model(x).square().mean().backward()
                    optimizer.step()
            return optimizer
    """,
    remedy="make it once, above the loop",
    proof="""
        optimizer = train(torch.nn.Linear(1, 1), [torch.ones(1)] * 2)
        assert all(state["step"] == 6 for state in optimizer.state.values())
    """,
)

EPOCHS = re.compile(r"(i_?)?(epochs?|ep|e)(_?(idx|index|i|num|no))?|_|i")
CHANGES = re.compile(
    r"requires_grad|add_param_group|freeze|reset_|load_state_dict|\.(add|grow|expand|prune)\w*\("
)
"""What changes which weights there are to train."""
KEEPS_NOTHING = "torch.optim.SGD"


@rule.source(cst.Assign, needs=("optim", "range("))
def in_loop(assign: cst.Assign, source: Source) -> Iterator[Hit]:
    made, target = assign.value, assign.targets[0].target
    if not isinstance(made, cst.Call) or not isinstance(target, (cst.Name, cst.Attribute)):
        return
    if not is_stateful(made, source) or source.is_test:
        return
    loop = source.enclosing(assign, cst.For, cst.While, cst.FunctionDef, cst.If, cst.Try)
    if not isinstance(loop, cst.For) or not is_over_epochs(loop, source):
        return
    body, written = source.code(loop.body), source.code(target)
    used = {each.value for each in names_within(made, source)}
    changed = used & {each.value for each in bound_within(loop, source)}
    if f"{written}.step(" in body and not changed and not CHANGES.search(body):
        yield Hit(assign, "each epoch begins with an optimizer that has forgotten all moments")


def is_stateful(made: cst.Call, source: Source) -> bool:
    """Whether it makes an optimizer that remembers steps."""
    name = source.name(made.func)
    if (
        not name.startswith("torch.optim.")
        or name.count(".") != 2
        or not name.rpartition(".")[2][:1].isupper()
    ):
        return False
    momentum = any(arg.keyword is not None and arg.keyword.value == "momentum" for arg in made.args)
    return name != KEEPS_NOTHING or momentum or len(made.args) > 2


def is_over_epochs(loop: cst.For, source: Source) -> bool:
    """`for epoch in range(epochs)`."""
    ranged = isinstance(loop.iter, cst.Call) and source.code(loop.iter.func).endswith(
        ("range", "tqdm")
    )
    named = isinstance(loop.target, cst.Name) and EPOCHS.fullmatch(loop.target.value)
    text = source.code(loop.iter) + source.code(loop.target)
    said = "epoch" in text or (source.code(loop.target) == "ep" and "episode" not in text)
    return ranged and bool(named) and said


def names_within(node: cst.CSTNode, source: Source) -> Iterator[cst.Name]:
    return (each for each in source.nodes(cst.Name) if source.is_within(each, node))


def bound_within(loop: cst.For, source: Source) -> Iterator[cst.Name]:
    """Names that the loop itself gives something else to."""
    for each in names_within(loop, source):
        outer = source.parent(each)
        if isinstance(outer, (cst.AssignTarget, cst.AugAssign, cst.For, cst.NamedExpr, cst.AsName)):
            if getattr(outer, "target", getattr(outer, "name", None)) is each:
                yield each
        elif (
            isinstance(outer, cst.Element) and source.enclosing(each, cst.AssignTarget) is not None
        ):
            yield each
