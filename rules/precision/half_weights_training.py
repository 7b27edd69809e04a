"""LT307: weights that are trained in float16."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.core.torch_methods import MODULE_RETURNING
from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.training_code import OPTIMIZERS
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import UNKNOWN, External, Held, Value
from lintorch.facts.models.value_ways import is_one
from lintorch.source import Source

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
    remedy="keep the weights in float32, and run the model under torch.autocast",
    proof="""
        model = torch.nn.Linear(2, 2)
        torch.nn.init.ones_(model.weight)
        fit(model, torch.ones(1, 2))
        assert (model.weight != 1).all()
    """,
)


HALF = External("torch.float16"), External("torch.half")
_WIDER = frozenset({"float", "double", "bfloat16"})
_MODULE = "torch.nn.Module."


@rule.event(*(f"torch.optim.{name}" for name in sorted(OPTIMIZERS)))
def in_source(event: Called, source: Source) -> Iterator[Hit]:
    ways = source.evaluation.ways
    given = event.positional[0] if event.positional else event.keyword.get("params", UNKNOWN)
    asked = ways.find_unknown_maker(given) or ways.find_maker(given)
    if asked is None or name_method(asked) != "parameters" or not event.way.certain:
        return
    model = find_receiver(asked)
    made = find_halving(model, event, source)
    if made is not None and isinstance(asked.node, ast.Call):
        written = ast.unparse(asked.node.func).removesuffix(".parameters")
        yield Hit(made, f"{written} is trained in float16: small updates are lost")


def find_halving(model: Value, optimizer: Called, source: Source) -> Occurrence | None:
    """What surely made the weights float16 before the optimizer was made, and nothing made them wider."""
    found: Occurrence | None = None
    for reached in source.evaluation.reached:
        if any(each is optimizer for each in reached.events):
            for event in reached.events:
                if event is optimizer:
                    return found
                if isinstance(event, (Called, UnknownCalled)) and is_of(event, model, source):
                    found = event if halves(event) else None if widens(event) else found
    return None


def is_of(event: Called | UnknownCalled, model: Value, source: Source) -> bool:
    """Whether a method is called on a model, or gave it."""
    if not event.way.certain or name_method(event) not in {"half", "to", *_WIDER}:
        return False
    held = find_receiver(event)
    if isinstance(held, Held) and isinstance(model, Held):
        return held.address == model.address
    passed: Value | None = model
    while passed is not None:
        if is_one(passed, held):
            return True
        above = source.evaluation.ways.find_unknown_maker(passed)
        passed = above.held if above is not None and above.method in MODULE_RETURNING else None
    return False


def name_method(event: Occurrence) -> str:
    """The method of a module that is called; "" of anything else."""
    if isinstance(event, UnknownCalled):
        return event.method
    whole = event.name if isinstance(event, Called) else ""
    return whole.removeprefix(_MODULE) if whole.startswith(_MODULE) else ""


def find_receiver(event: Occurrence) -> Value:
    """What it is called on."""
    if isinstance(event, UnknownCalled):
        return event.held
    return event.positional[0] if isinstance(event, Called) and event.positional else UNKNOWN


def halves(event: Called | UnknownCalled) -> bool:
    return name_method(event) == "half" or any(each in HALF for each in list_given(event))


def widens(event: Called | UnknownCalled) -> bool:
    """Whether it takes weights to another type."""
    other = any(isinstance(e, External) and e.path in _TYPES for e in list_given(event))
    return name_method(event) in _WIDER or other


_TYPES = frozenset(
    {"torch.float32", "torch.float", "torch.float64", "torch.double", "torch.bfloat16"}
)


def list_given(event: Called | UnknownCalled) -> tuple[Value, ...]:
    if isinstance(event, UnknownCalled):
        return event.given.values
    return (*event.positional[1:], *event.keyword.values())
