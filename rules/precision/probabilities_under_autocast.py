"""LT310: a loss of probabilities in an autocast region of CUDA."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import name_arguments
from lintorch.evaluator.values import TRUE, Constant
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT310",
    summary="a loss of probabilities under autocast",
    why="""
        In an autocast region of CUDA binary_cross_entropy, and BCELoss with it, raises "unsafe to autocast":
        in half precision a probability near 0 or 1 has no logarithm and no gradient. The loss of logits
        works out both in one, and is allowed.
        Reported where the region is surely one of CUDA, and not switched off.
    """,
    bad="""
        import torch
        from torch import nn
        from torch.nn import functional as F


        def step(x, y, model=nn.Linear(4, 1)):
            with torch.autocast("cuda"):
                return F.binary_cross_entropy(torch.sigmoid(model(x)), y)
    """,
    good="""
        import torch
        from torch import nn
        from torch.nn import functional as F


        def step(x, y, model=nn.Linear(4, 1)):
            with torch.autocast("cuda"):
                return F.binary_cross_entropy_with_logits(model(x), y)
    """,
    remedy="give logits to binary_cross_entropy_with_logits or BCEWithLogitsLoss, without the sigmoid",
    unproven="""
        It takes a GPU: on the CPU the loss is worked out in float32.
    """,
    severity=Severity.ERROR,
)

LOSSES = ("torch.nn.functional.binary_cross_entropy", "torch.nn.BCELoss.forward")
_OF_CUDA = "torch.cuda.amp.autocast"
_OF_ANY = ("torch.autocast", "torch.amp.autocast", "torch.amp.autocast_mode.autocast")


@rule.event(*LOSSES)
def in_region(event: Called, source: Source) -> Iterator[Hit]:
    for outer in source.evaluation.list_all_around(event):
        if isinstance(outer, ast.FunctionDef) and _is_careful(outer):
            return
        written = [each.context_expr for each in outer.items] if isinstance(outer, ast.With) else []
        regions = [made for each in written if (made := _find_region(each, event, source))]
        if regions:
            if _is_on(regions[-1]):
                short = event.name.removesuffix(".forward").rpartition(".")[2]
                yield Hit(
                    event, f"{short} in an autocast region of CUDA raises: unsafe to autocast"
                )
            return


def _is_careful(function: ast.FunctionDef) -> bool:
    """Whether a function sets its own mode by a decorator, or asks for the one it is run in."""
    made = " ".join(map(ast.unparse, function.decorator_list))
    names = (each.attr for each in ast.walk(function) if isinstance(each, ast.Attribute))
    return "autocast" in made or "custom_fwd" in made or "is_autocast_enabled" in names


def _find_region(written: ast.expr, event: Called, source: Source) -> Called | None:
    """The call that made an autocast region, on the same way."""
    for reached in source.evaluation.reached:
        for each in reached.events:
            if (
                isinstance(each, Called)
                and each.node is written
                and each.way.root == event.way.root
            ):
                return each if each.name in (_OF_CUDA, *_OF_ANY) else None
    return None


def _is_on(made: Called) -> bool:
    """Whether it surely is of CUDA, and nothing may switch it off."""
    given = name_arguments(made)
    of_cuda = made.name == _OF_CUDA or given.get("device_type") == Constant("cuda")
    return of_cuda and not made.open and given.get("enabled", TRUE) == TRUE
