"""LT435: a freeze that the next lines take back for the whole model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet, Called, Occurrence, Repeated
from lintorch.evaluator.run_model import Reached
from lintorch.evaluator.values import FALSE, TRUE, Held, Unknown, Value
from lintorch.facts.models.evaluation import changes_weights
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
        between; unfreezing after some epochs is meant.
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
    proof="""
        assert not build()[0].weight.requires_grad
    """,
)


@rule.event(AttributeSet, "torch.nn.Module.requires_grad_", "torch.nn.Sequential.requires_grad_")
def in_source(event: AttributeSet | Called, source: Source) -> Iterator[Hit]:
    model, flag = _read_setting(event, source)
    if model is None or flag != TRUE or _is_asked(event, source):
        return
    for reached in source.evaluation.reached:
        at = next((i for i, each in enumerate(reached.events) if each is event), None)
        frozen = _find_frozen(event, at, model, reached, source) if at is not None else None
        if frozen is not None:
            where = f"line {frozen.spot.row}"
            message = (
                f"unfreezes the whole model, and so what {where} froze: say it of the part that is"
                " to train, or freeze after it"
            )
            yield Hit(event, message)
            return


def _is_asked(event: Occurrence, source: Source) -> bool:
    """Whether it happens only on a branch of its function."""
    for outer in source.evaluation.list_around(event):
        if isinstance(outer, (ast.If, ast.IfExp, ast.While, ast.Try)):
            return True
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
    return False


def _find_frozen(
    event: Occurrence, at: int, model: Held, reached: Reached, source: Source
) -> Occurrence | None:
    """The last freeze of a part, or of all, with no training and nothing undecided in between."""
    for each in reversed(reached.events[:at]):
        if changes_weights(each):
            return None
        if not isinstance(each, (AttributeSet, Called)):
            continue
        part, flag = _read_setting(each, source)
        if part is None or flag != FALSE:
            continue
        graphs = GradientGraphs(reached.events[:at], source.evaluation.ways)
        if part.address != model.address and part.address in graphs.list_parts(model.address):
            return each
    return None


def _read_setting(event: AttributeSet | Called, source: Source) -> tuple[Held | None, Value | None]:
    """The model whose parameters are told to need gradients, or not, and which of the two."""
    if isinstance(event, Called):
        if not event.name.endswith(".requires_grad_") or not event.name.startswith("torch.nn."):
            return None, None
        held = event.positional[0] if event.positional else None
        given = event.positional[1] if len(event.positional) > 1 else TRUE
        flag = event.keyword.get("requires_grad", given)
        return (held if isinstance(held, Held) else None), flag
    drawn = isinstance(event.held, Unknown) and event.held.path.endswith("parameters()[]")
    if event.attribute != "requires_grad" or not drawn:
        return None, None
    loop = next(source.evaluation.list_loops(event), None)
    for each in source.evaluation.list_repeated(event.way.root):
        if each.loop is loop and each.way.names == event.way.names:
            return _find_model(each, source), event.value
    return None, None


def _find_model(event: Repeated, source: Source) -> Held | None:
    """The model of `for p in model.parameters()`."""
    made = source.evaluation.ways.find_maker(event.over)
    named = isinstance(made, Called) and made.name.endswith(".parameters")
    held = made.positional[0] if named and isinstance(made, Called) and made.positional else None
    return held if isinstance(held, Held) else None
