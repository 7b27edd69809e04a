"""LT436: backward() of a loss that is cut off from the model."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeRead, Called, Compared, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, TRUE
from lintorch.facts.models.cut_gradients import CutGradients
from lintorch.facts.models.cutting_operations import CUTTING, READING
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Act, Action, Source, Training

rule = Rule(
    __name__,
    code="LT436",
    summary="a loss that is cut off from the model",
    why="""
        No gradient flows through argmax, a comparison, detach(), .data, item(), what torch.tensor()
        makes of a list of losses, or anything under no_grad(). backward() of a loss that was made
        of nothing else raises "element 0 of tensors does not require grad and does not have a
        grad_fn". requires_grad_() on the loss hides that: backward() runs, and no weight gets a
        gradient. Measured on torch 2.13.
        Make the loss of the outputs of the model themselves: cross_entropy() of logits instead of a
        comparison of argmax(), torch.stack(losses) instead of torch.tensor(losses).
    """,
    bad="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                guess = model(x).argmax(dim=1)
                loss = nn.functional.mse_loss(guess.float(), y.float())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    good="""
        import torch
        from torch import nn


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for x, y in batches:
                guess = model(x)
                loss = nn.functional.cross_entropy(guess, y)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    """,
    remedy="make the loss of what the model gives, without that",
    proof="""
        train(nn.Linear(4, 2), [(torch.randn(3, 4), torch.tensor([0, 1, 1]))])
    """,
    severity=Severity.ERROR,
)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told = set()
    for region in training.regions:
        for passage in region.passages:
            for action in passage.actions:
                if action.act is Act.BACKWARD and action.at.spot not in told:
                    hits = [*judge_loss(action, source)]
                    told |= {action.at.spot} if hits else set()
                    yield from hits


@rule.source(cst.Call, needs=("requires_grad", "loss"))
def in_wrapped(call: cst.Call, source: Source) -> Iterator[Hit]:
    """`return torch.tensor(error.mean(), requires_grad=True)`, where no backward pass is seen."""
    asked = [e for e in call.args if e.keyword is not None and e.keyword.value == "requires_grad"]
    wraps = source.name(call.func) in WRAPPERS and asked and source.code(asked[0].value) == "True"
    if not wraps or len(call.args) < 2:
        return
    given = source.code(call.args[0].value)
    if REDUCED.search(given) and LOSS.search(name_result(call, source)):
        made = source.code(call.func)
        said = (
            f"{made}() makes a number of the loss, whose gradient goes nowhere: no weight gets one"
        )
        yield Hit(call, said, remedy=f"leave {made}() out")


WRAPPERS = ("torch.tensor", "torch.as_tensor", "torch.autograd.Variable")
REDUCED = re.compile(r"\.(mean|sum|item)\(|\bloss|losses\b|\bsum\(")
LOSS = re.compile(r"loss|criterion|objective", re.IGNORECASE)


def name_result(call: cst.Call, source: Source) -> str:
    """What a call's result becomes: the name it is given, or the function and class that return it."""
    outer = source.parent(call)
    if isinstance(outer, cst.Assign):
        return source.code(outer.targets[0].target)
    function = source.enclosing(call, cst.FunctionDef)
    if not isinstance(outer, cst.Return) or function is None:
        return ""
    owner = source.enclosing(function, cst.ClassDef)
    return function.name.value + ("" if owner is None else owner.name.value)


def judge_loss(action: Action, source: Source) -> Iterator[Hit]:
    cuts = source.evaluation.cuts.get(action.at.way.root)
    if cuts is None or action.value is None:
        return
    if found := cuts.find_cuts(action.value):
        yield Hit(
            action.at, f"the loss needs no gradient, {tell_cut(found[0], cuts)}: backward() raises"
        )
        return
    ways = source.evaluation.ways
    near = (ways.find_maker(action.value), *ways.find_users(action.value))
    turned = next((each for each in near if isinstance(each, Called) and turns_on(each)), None)
    loss = action.value if turned is None else turned.positional[0]
    switch = turned or cuts.find_switch(loss)
    if switch is not None and (found := cuts.find_hidden(loss)):
        went = f"{tell_cut(found[0], cuts)}: backward() reaches no weight"
        yield Hit(switch, f"turns on the gradient of a loss that has none, {went}")


def turns_on(event: Called) -> bool:
    """`loss.requires_grad_()`, and what makes a new tensor that needs a gradient."""
    name = name_operation(event)
    asked = event.keyword.get("requires_grad") == TRUE or TRUE in event.positional[1:]
    return bool(event.positional) and (
        (name == "requires_grad_" and FALSE not in event.positional) or (asked and name in _ANEW)
    )


_ANEW = ("Variable", "tensor", "as_tensor")


def tell_cut(cut: Occurrence, cuts: CutGradients) -> str:
    """What cut it off, and where."""
    if isinstance(cut, Compared):
        return f"which a comparison in line {cut.spot.row} cuts off"
    name = cut.attribute if isinstance(cut, AttributeRead) else ""
    if isinstance(cut, UnknownCalled):
        name = f"{cut.method}()" if cut.method in CUTTING else ""
    elif isinstance(cut, Called) and (name_operation(cut) in CUTTING | READING):
        name = f"{name_operation(cut)}()"
    if not name and not cuts.is_quiet(cut):
        return f"for line {cut.spot.row} gives whole numbers"
    if not name:
        return f"for line {cut.spot.row} runs under no_grad()"
    return f"which {name} in line {cut.spot.row} cuts off"
