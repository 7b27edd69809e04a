"""LT439: a scheduler of an optimizer that does not step."""

from __future__ import annotations

from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import Held, Value
from lintorch.facts.models.one_way import may_follow
from lintorch.source import Act, Source, Training, TrainingRegion

rule = Rule(
    __name__,
    code="LT439",
    summary="a scheduler of an optimizer that does not step",
    why="""
        A scheduler changes the optimizer that it was made for. Where another one is made later, or
        a scheduler is given the optimizer of the other model, the one that steps keeps its learning rate,
        without a word. Measured on torch 2.13.
    """,
    bad="""
        import torch


        def train(model, batches):
            optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for batch in batches:
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
                scheduler.step()
            return optimizer.param_groups[0]["lr"]
    """,
    good="""
        import torch


        def train(model, batches):
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
            for batch in batches:
                optimizer.zero_grad()
                model(batch).square().mean().backward()
                optimizer.step()
                scheduler.step()
            return optimizer.param_groups[0]["lr"]
    """,
    remedy="make it for the optimizer that steps",
    proof="""
        assert train(torch.nn.Linear(1, 1), [torch.ones(1)] * 2) < 0.1
    """,
    severity=Severity.WARNING,
)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    told = set()
    for region in training.regions:
        for made, message in list_astray(region, source):
            if made.spot not in told:
                told.add(made.spot)
                yield Hit(made, message)


def list_astray(region: TrainingRegion, source: Source) -> Iterator[tuple[Called, str]]:
    """The schedulers that step here, and change nothing that does."""
    stepped = [a.value for a in (*region.list_acts(Act.STEP), *region.list_acts(Act.SCALER_STEP))]
    unsure = any(not is_known(each) for each in stepped) or region.has(Act.SOME_STEP)
    if not region.is_loop or not stepped or unsure or region.has(Act.PASSED):
        return
    schedulers: dict[int, Called] = {}
    for action in region.list_acts(Act.SCHEDULE):
        made = source.evaluation.ways.find_maker(action.value)
        if not isinstance(made, Called) or not made.positional or not is_known(made.positional[0]):
            return
        schedulers.setdefault(id(action.value), made)
    running = {each.address for each in stepped if isinstance(each, Held)}
    makers = [source.evaluation.ways.find_maker(each) for each in stepped]
    for made in schedulers.values():
        apart = any(each and not may_follow(each, made, source.evaluation) for each in makers)
        if address_of(made) not in running and not apart:
            yield made, "changes an optimizer that does not step: the other keeps its learning rate"
    served = [address_of(each) for each in schedulers.values()]
    for number, made in enumerate(schedulers.values()):
        mine = [s for s, o in zip(schedulers.values(), served, strict=True) if o == served[number]]
        twice = made is not mine[0] and mine[0].name == made.name
        if twice and running - {*served}:
            yield made, "is the second scheduler of one optimizer, and another that steps has none"


def is_known(value: Value | None) -> bool:
    return isinstance(value, Held) and value.kind == "object"


def address_of(made: Called) -> int:
    first = made.positional[0]
    return first.address if isinstance(first, Held) else -1
