"""Batch norms that are put into eval mode to train with fixed statistics, and the train() that takes it back."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from lintorch.evaluator.events import Called, Occurrence
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import TRUE, Function, Held, Unknown, Value, find_unproven
from lintorch.facts.models.backward_passes import changes_weights, list_given
from lintorch.facts.models.evaluation import Evaluation
from lintorch.syntax.python_ast import list_nodes

_NORM = re.compile(r"norm|(^|[^a-z])bn([^a-z]|$)", re.I)
_MODULES = re.compile(r"(?:#(\d+)|(<\w+>[\w.]*))\.(?:named_)?modules\(\)\[\]")
"""What a loop takes out of the modules of a model, told by its address, or by how that is reached."""
Model = int | str


def find_frozen_norms(event: Occurrence, evaluation: Evaluation) -> Occurrence | None:
    """What put the batch norms of a model into eval mode before `model.train()`, and is not done again behind it.

    None where no step of training follows.
    """
    model = read_model(event, "train")
    given = list_given(event)[1:]
    if model is None or (given and given[0] != TRUE):
        return None
    for reached in evaluation.reached:
        at = next((i for i, each in enumerate(reached.events) if each is event), None)
        if at is None:
            continue
        behind = _cut_at_next(model, reached.events[at + 1 :])
        frozen = [
            each
            for each in reached.events[:at]
            if name_frozen(each, evaluation) == model and not _is_thawed(each, event)
        ]
        again = any(name_frozen(each, evaluation) is not None for each in behind)
        if frozen and not again and any(map(changes_weights, behind)):
            return frozen[-1]
    return None


def _is_thawed(frozen: Occurrence, event: Occurrence) -> bool:
    """Whether the same function does both, as a `train` of a class of its own does."""
    return frozen.way.names[-1:] == event.way.names[-1:] and event.way.names[-1].endswith(".train")


def _cut_at_next(model: Model, events: Sequence[Occurrence]) -> Sequence[Occurrence]:
    at = next((i for i, each in enumerate(events) if read_model(each, "train") == model), None)
    return events[:at]


def read_model(event: Occurrence, method: str) -> Model | None:
    """The model of which a method is called, by its address, or by how it is reached."""
    if isinstance(event, Called):
        named = event.name.startswith("torch.nn.") and event.name.endswith(f".{method}")
        return _name_model(event.positional[0]) if named and event.positional else None
    if not isinstance(event, UnknownCalled) or event.method != method:
        return None
    return _name_model(event.held)


def _name_model(value: Value) -> Model | None:
    if isinstance(value, Held):
        return value.address
    known = find_unproven(value)
    return known.path if isinstance(known, Unknown) and known.path else None


def name_frozen(event: Occurrence, evaluation: Evaluation) -> Model | None:
    """The model of `model.apply(freeze_norm)`, or of a loop over its modules that calls eval() of the norms."""
    if (model := read_model(event, "apply")) is not None:
        given = list_given(event)[1:]
        function = given[0] if given else None
        return model if isinstance(function, Function) and _freezes(function.node) else None
    if not isinstance(event, UnknownCalled) or event.method != "eval":
        return None
    held = find_unproven(event.held)
    drawn = _MODULES.match(held.path) if isinstance(held, Unknown) else None
    asked = any(
        isinstance(each, ast.If) and _NORM.search(ast.unparse(each.test))
        for each in evaluation.list_around(event)
    )
    return (int(drawn[1]) if drawn[1] else drawn[2]) if drawn is not None and asked else None


def _freezes(function: ast.AST) -> bool:
    """Whether it calls eval() of what it is given, where that is a batch norm."""
    return any(
        isinstance(each, ast.If)
        and _NORM.search(ast.unparse(each.test))
        and any(map(_calls_eval, list_nodes(each)))
        for each in list_nodes(function)
    )


def _calls_eval(node: ast.AST) -> bool:
    match node:
        case ast.Call(ast.Attribute(ast.Name(), "eval"), []):
            return True
        case ast.Call(ast.Attribute(ast.Name(), "train"), [ast.Constant(False)]):
            return True
    return False
