"""LT435: a freeze that the next lines take back for the whole model."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Occurrence
from lintorch.evaluator.run_model import Reached
from lintorch.evaluator.unknown_objects import UnknownCalled
from lintorch.evaluator.values import FALSE, TRUE, Held, Unknown, Value, find_unproven
from lintorch.facts.models.backward_passes import changes_weights
from lintorch.facts.models.frozen_norms import find_frozen_norms
from lintorch.facts.models.gradient_graphs import GradientGraphs
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT435",
    summary="a freeze that is taken back",
    why="""
        `for p in model.parameters(): p.requires_grad = True`, or `model.requires_grad_(True)`,
        reaches every parameter, those too that were frozen before: a backbone that the constructor
        froze trains again, without a word. Say it of the part that is to train, or freeze
        afterwards. Measured on torch 2.13.

        Reported where part of a model is frozen and the whole is unfrozen with no training in
        between; unfreezing after some epochs is meant. So is a batch norm whose statistics are to stay
        (`model.apply(freeze_norm)`, which calls eval() of it): `model.train()` sets the mode of every
        module, and it counts again.
    """,
    bad="""
        from torch import nn


        def build():
            model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
            model[0].requires_grad_(False)
            model[1] = nn.Linear(4, 2)
            for weight in model.parameters():
                weight.requires_grad = True
            return model
    """,
    good="""
        from torch import nn


        def build():
            model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
            model[0].requires_grad_(False)
            model[1] = nn.Linear(4, 2)
            for weight in model[1].parameters():
                weight.requires_grad = True
            return model
    """,
    remedy="unfreeze the part that is to train alone, or freeze after it",
    proof="""
        assert not build()[0].weight.requires_grad
    """,
)


@rule.event(AttributeSet, "torch.nn.Module.requires_grad_", "torch.nn.Sequential.requires_grad_")
def in_source(event: AttributeSet | Called, source: Source) -> Iterator[Hit]:
    model, flag = _read_setting(event)
    if model is None or flag != TRUE or source.is_test or _is_asked(event, source):
        return
    for reached in source.evaluation.reached:
        at = next((i for i, each in enumerate(reached.events) if each is event), None)
        frozen = _find_frozen(event, at, model, reached, source) if at is not None else None
        if frozen is not None:
            file = "" if frozen.spot.path == event.spot.path else Path(frozen.spot.path).name
            where = f"{file}:{frozen.spot.row}" if file else f"line {frozen.spot.row}"
            message = f"unfreezes the whole model, and so what {where} froze"
            yield Hit(event, message)
            return


@rule.event("torch.nn.Module.train", "torch.nn.Sequential.train", UnknownCalled)
def in_modes(event: Called | UnknownCalled, source: Source) -> Iterator[Hit]:
    """`model.apply(freeze_norm)` ahead of `model.train()`."""
    if isinstance(event, UnknownCalled) and event.method != "train":
        return
    frozen = find_frozen_norms(event, source.evaluation)
    if frozen is not None and not source.is_test:
        place = source.evaluation.place(frozen.spot)
        where = f"line {place.row}" if place.path == source.path else f"{place.path}:{place.row}"
        message = f"train() puts the batch norms back into training mode that {where} froze"
        yield Hit(event, message, remedy="freeze them again behind each train()")


def _is_asked(event: Occurrence, source: Source) -> bool:
    """Whether it happens only on a branch of its function."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp)):
            return True
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
    return False


def _find_frozen(
    event: Occurrence, at: int, model: int | str, reached: Reached, source: Source
) -> Occurrence | None:
    """The last freeze of a part, or of all, with no training and nothing undecided in between."""
    for each in reversed(reached.events[:at]):
        if changes_weights(each):
            return None
        if not isinstance(each, (AttributeSet, Called)):
            continue
        part, flag = _read_setting(each)
        if part is None or flag != FALSE:
            continue
        if isinstance(part, str) or isinstance(model, str):
            inside = str(part).startswith(f"{model}.")
        else:
            graphs = GradientGraphs(reached.events[:at], source.evaluation.ways)
            inside = part != model and part in graphs.list_parts(model)
        if inside:
            return each
    return None


def _read_setting(event: AttributeSet | Called) -> tuple[int | str | None, Value | None]:
    """The model whose parameters are told to need gradients, or not, by its address, or how it is reached; and
    which of the two."""
    if isinstance(event, Called):
        if not event.name.endswith(".requires_grad_") or not event.name.startswith("torch.nn."):
            return None, None
        held = event.positional[0] if event.positional else None
        given = event.positional[1] if len(event.positional) > 1 else TRUE
        flag = event.keyword.get("requires_grad", given)
        return (held.address if isinstance(held, Held) else None), flag
    held = find_unproven(event.held)
    drawn = _DRAWN.match(held.path) if isinstance(held, Unknown) else None
    if drawn is None or event.attribute != "requires_grad":
        return None, None
    return (int(drawn[1]) if drawn[1] else drawn[2]), event.value


_DRAWN = re.compile(r"(?:#(\d+)|(<\w+>[\w.]*))\.parameters\(\)\[\]$")
"""What a loop takes out of the parameters of a model, told by its address, or by how that is reached."""
