"""LT225: a plain tensor in the place of a parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import AttributeSet
from lintorch.evaluator.values import External, Held, Tensor, Value
from lintorch.facts.models.operation_steps import name_operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT225",
    summary="a plain tensor in the place of a parameter",
    why="""
        A module guards the names of its parameters: `layer.weight = torch.zeros(2, 2)`, and
        `self.scale = self.scale * 2` of a parameter, raise a TypeError. Give it an nn.Parameter, or write the
        numbers into the one that is there: `with torch.no_grad(): layer.weight.copy_(values)`. What is worked out
        in forward is kept under a name of its own. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def make():
            layer = nn.Linear(2, 2)
            layer.weight = torch.eye(2)
            return layer
    """,
    good="""
        import torch
        from torch import nn


        def make():
            layer = nn.Linear(2, 2)
            layer.weight = nn.Parameter(torch.eye(2))
            return layer
    """,
    remedy="wrap it: nn.Parameter(values), or copy the numbers: layer.weight.data.copy_(values)",
    proof="""
        assert torch.equal(make().weight, torch.eye(2))
    """,
    severity=Severity.ERROR,
)

LAYER = re.compile(
    r"torch\.nn\.(Linear|Bilinear|Embedding|Conv\w*|(Batch|Layer|Group|Instance|RMS)Norm\w*)"
)
FREED = re.compile(r"\bdel |delattr|_parameters|parametriz|stateless|functional_call|prune")
"""Words of code that takes the parameter away first."""


@rule.event(AttributeSet)
def in_source(event: AttributeSet, source: Source) -> Iterator[Hit]:
    if not is_plain(event.value) or FREED.search(source.text) or may_be_same(event.value, source):
        return
    kind = event.held.of if isinstance(event.held, Held) else None
    of_layer = isinstance(kind, External) and LAYER.fullmatch(kind.path) is not None
    kept = source.evaluation.rewrites.get(id(event))
    own = kept is not None and bool(kept.initial) and all(map(is_parameter, kept.initial))
    if (of_layer and event.attribute in ("weight", "bias")) or own:
        name = source.evaluation.text(event.spot)
        shown = name if name.endswith(f".{event.attribute}") else f".{event.attribute}"
        yield Hit(event, f"{shown} is a parameter, and is given a plain tensor: TypeError")


def may_be_same(value: Value, source: Source) -> bool:
    """`self.scale.to(x.device)`: the parameter itself, where there is nothing to move."""
    made = source.evaluation.ways.find_maker(value)
    return made is not None and name_operation(made) in RETURN_SELF


RETURN_SELF = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "float",
        "double",
        "half",
        "type",
        "type_as",
        "contiguous",
        "requires_grad_",
    }
)


def is_parameter(value: Value) -> bool:
    return isinstance(value, Tensor) and value.origin == "parameter"


def is_plain(value: Value) -> bool:
    """Whether it surely is a tensor, and no parameter."""
    return (
        isinstance(value, Tensor)
        and value.sure
        and value.origin in ("", "constant", "input", "sizes")
    )
