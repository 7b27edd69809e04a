"""LT426: DistributedDataParallel that looks for unused parameters where there are none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called
from lintorch.evaluator.values import FALSE, TRUE, Value
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT426",
    summary="a search for unused parameters that finds none",
    why="""
        `find_unused_parameters=True` walks the graph at every step. It is needed where a step
        leaves parameters out. Reported where the model surely uses all of them (plain layers, plain
        models of torchvision), or where `static_graph=True` finds them out anyway.
    """,
    bad="""
        from torch import nn
        from torch.nn.parallel import DistributedDataParallel


        def wrap():
            model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            return DistributedDataParallel(model, find_unused_parameters=True)
    """,
    good="""
        from torch import nn
        from torch.nn.parallel import DistributedDataParallel


        def wrap():
            model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
            return DistributedDataParallel(model)
    """,
    unproven="""
        It costs time, in several processes.
    """,
    severity=Severity.NOTE,
    formerly=("LT413", "distributed-habits"),
)

ALL_USED = re.compile(
    r"torchvision\.models\.(alexnet|convnext|densenet|efficientnet|mnasnet|mobilenet|regnet|"
    r"(wide_)?resne[tx]|shufflenet|squeezenet|vgg)\w*"
)
"""Models whose forward always uses every parameter."""
LISTED = ("List", "Dict", "Parameter", "Parallel")


@rule.event("torch.nn.parallel.DistributedDataParallel")
def in_wrappers(event: Called, source: Source) -> Iterator[Hit]:
    if event.keyword.get("find_unused_parameters") != TRUE:
        return
    if event.keyword.get("static_graph", FALSE) == TRUE:
        message = "find_unused_parameters with static_graph=True, which finds them by itself"
    elif uses_all(next(iter(event.positional), event.keyword.get("module")), source):
        message = "find_unused_parameters=True walks the graph at each step; this model has none"
    else:
        return
    call = source.call_at(event)
    written = source.arguments(call).by_name.get("find_unused_parameters") if call else None
    yield Hit(written or event, message, remedy="leave it out")


def uses_all(model: Value | None, source: Source) -> bool:
    """Whether a model surely uses every parameter: a plain model of torchvision, or plain layers."""
    made = source.evaluation.ways.find_maker(model)
    if not isinstance(made, Called):
        return False
    if made.name == "torch.nn.Sequential":
        return not made.open and all(uses_all(each, source) for each in made.positional)
    plain = made.name.startswith("torch.nn.") and not made.name.endswith(LISTED)
    return plain or bool(ALL_USED.fullmatch(made.name))
