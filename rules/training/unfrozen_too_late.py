"""LT447: weights that are unfrozen behind an optimizer that left them out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Occurrence
from lintorch.evaluator.training_code import OPTIMIZERS
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, TRUE, Held, Unknown, find_unproven
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Source, Training

rule = Rule(
    __name__,
    code="LT447",
    summary="weights that are unfrozen behind an optimizer that left them out",
    why="""
        An optimizer that was given `filter(lambda p: p.requires_grad, model.parameters())` has the weights
        that were not frozen as it was made. Those that are unfrozen later get gradients, and are
        never stepped. Measured on torch 2.13.
        Add them by add_param_group(), or give the optimizer all parameters: it leaves out those without
        a gradient.
    """,
    bad="""
        import torch


        def train(body, head, batches):
            for p in body.parameters():
                p.requires_grad = False
            weights = [*body.parameters(), *head.parameters()]
            optimizer = torch.optim.SGD([p for p in weights if p.requires_grad], lr=0.1)
            for number, x in enumerate(batches):
                if number == 1:
                    for p in body.parameters():
                        p.requires_grad = True
                optimizer.zero_grad()
                head(body(x)).square().mean().backward()
                optimizer.step()
    """,
    good="""
        import torch


        def train(body, head, batches):
            for p in body.parameters():
                p.requires_grad = False
            weights = [*body.parameters(), *head.parameters()]
            optimizer = torch.optim.SGD(weights, lr=0.1)
            for number, x in enumerate(batches):
                if number == 1:
                    for p in body.parameters():
                        p.requires_grad = True
                optimizer.zero_grad()
                head(body(x)).square().mean().backward()
                optimizer.step()
    """,
    remedy="add them: optimizer.add_param_group({'params': …}), or give the optimizer all parameters",
    proof="""
        body, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
        before = body.weight.detach().clone()
        train(body, head, [torch.ones(1, 2)] * 3)
        assert not torch.equal(before, body.weight)
    """,
    severity=Severity.WARNING,
)

MAKERS = frozenset(f"torch.optim.{name}" for name in OPTIMIZERS)


@rule.event(Training)
def in_training(training: Training, source: Source) -> Iterator[Hit]:
    if "add_param_group" in source.evaluation.words:
        return
    told = set()
    for reached in source.evaluation.reached:
        for event in find_late(reached.events) if reached.ordered else ():
            if event.spot not in told:
                told.add(event.spot)
                message = (
                    "unfreezes weights that the optimizer was not given: they are never stepped"
                )
                yield Hit(event, message)


def find_late(events: Sequence[Occurrence]) -> Iterator[Occurrence]:
    """What is unfrozen behind the last optimizer, which was given what needed a gradient then."""
    made = [n for n, e in enumerate(events) if isinstance(e, Called) and e.name in MAKERS]
    if len(made) != 1 or not is_filtered(events[made[0]]):
        return
    frozen = {tell_whose(e) for e in events[: made[0]] if tell_switch(e) is False} - {""}
    late = (each for each in events[made[0] :] if tell_switch(each))
    yield from (each for each in late if tell_whose(each) in frozen)


def tell_whose(event: Occurrence) -> str:
    """What tells the weights of one module from those of others."""
    given = event.positional[:1] if isinstance(event, Called) else ()
    held = next(iter(given), getattr(event, "held", None))
    if isinstance(held, Held):
        return f"#{held.address}"
    unknown = None if held is None else find_unproven(held)
    path = unknown.path if isinstance(unknown, Unknown) else ""
    return "" if path.startswith("?") else path


def is_filtered(event: Occurrence) -> bool:
    """Whether the call itself leaves out what is frozen."""
    call = event.node
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return first is not None and "requires_grad" in ast.unparse(first)


def tell_switch(event: Occurrence) -> bool | None:
    """True of what unfreezes weights, False of what freezes them."""
    if isinstance(event, AttributeSet) and event.attribute == "requires_grad":
        return event.value == TRUE if event.value in (TRUE, FALSE) else None
    if not isinstance(event, (Called, UnknownCalled)) or name_operation(event) != "requires_grad_":
        return None
    given = event.positional[1:] if isinstance(event, Called) else event.given.positional
    if not given:
        return True
    return given[0] == TRUE if given[0] in (TRUE, FALSE) else None
