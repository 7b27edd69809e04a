"""LT442: a term of the loss that trains nothing."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, Occurrence
from lintorch.evaluator.values import Constant, Number, Value
from lintorch.source import Act, Action, Source, Training

rule = Rule(
    __name__,
    code="LT442",
    summary="a term of the loss that trains nothing",
    why="""
        What torch.autograd.grad() gives has no graph unless it is asked for one. A gradient penalty made
        of it is a number to backward(): it is added to the loss, and changes no weight.
        create_graph=True records how the gradient came about. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def train(judge, optimizer, batches):
            for real in batches:
                x = real.clone().requires_grad_()
                slope = torch.autograd.grad(judge(x).sum(), x)[0]
                penalty = (slope.norm(dim=1) - 1).square().mean()
                loss = -judge(real).mean() + 10 * penalty
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return penalty
    """,
    good="""
        import torch


        def train(judge, optimizer, batches):
            for real in batches:
                x = real.clone().requires_grad_()
                slope = torch.autograd.grad(judge(x).sum(), x, create_graph=True)[0]
                penalty = (slope.norm(dim=1) - 1).square().mean()
                loss = -judge(real).mean() + 10 * penalty
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            return penalty
    """,
    remedy="give autograd.grad create_graph=True",
    proof="""
        judge = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        optimizer = torch.optim.SGD(judge.parameters(), lr=0.1)
        assert train(judge, optimizer, [torch.randn(3, 2)]).requires_grad
    """,
    severity=Severity.WARNING,
)

GRAD = "torch.autograd.grad"
_MOST = 60


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told = set()
    for action in training.actions:
        if action.act is Act.BACKWARD:
            for cut in list_idle_terms(action, source):
                if cut.spot not in told:
                    told.add(cut.spot)
                    yield Hit(cut, "has no graph, and a term of the loss is made of nothing else")


def list_idle_terms(action: Action, source: Source) -> Iterator[Occurrence]:
    """The calls of autograd.grad on which a whole term of the loss stands."""
    cuts = source.evaluation.cuts.get(action.at.way.root)
    terms = [*list_terms(action.value, source)] if cuts is not None else []
    for term in terms if len(terms) > 1 else ():
        found = cuts.list_cuts(term) if cuts is not None else None
        if found and all(isinstance(each, Called) and each.name == GRAD for each in found):
            yield found[0]


def list_terms(loss: Value | None, source: Source) -> Iterator[Value]:
    """What a loss is the sum of."""
    waiting, seen = [] if loss is None else [loss], 0
    while waiting and seen < _MOST:
        value = waiting.pop()
        seen += 1
        made = source.evaluation.ways.find_maker(value)
        if isinstance(made, Combined) and made.operator in ("Add", "Sub"):
            waiting += [each for each in (made.left, made.right) if each is not value]
        elif not isinstance(value, (Constant, Number)):
            yield value
