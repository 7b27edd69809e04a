"""LT528: a weighted sampler that is given one weight for each class."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Hit, Severity
from lintorch.core.rule import Rule
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT528",
    summary="a sampler that is given weights of classes, not of samples",
    why="""
        WeightedRandomSampler draws numbers below the length of its weights. With one weight for each class it draws
        the numbers of classes: of a dataset of any size only the first few samples are ever seen, and it trains on
        these without a word. Each sample needs the weight of its own class: `class_weights[labels]`.
        Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch.utils.data import WeightedRandomSampler


        def balance(labels):
            weights = 1.0 / torch.bincount(labels).float()
            return WeightedRandomSampler(weights, num_samples=len(labels))
    """,
    good="""
        import torch
        from torch.utils.data import WeightedRandomSampler


        def balance(labels):
            weights = 1.0 / torch.bincount(labels).float()
            return WeightedRandomSampler(weights[labels], num_samples=len(labels))
    """,
    remedy="give each sample the weight of its class: class_weights[labels]",
    proof="""
        torch.manual_seed(0)
        assert max(balance(torch.tensor([0, 1] * 20))) > 1
    """,
    severity=Severity.ERROR,
)

SAMPLER = "torch.utils.data.WeightedRandomSampler"
COUNTS = re.compile(
    r"bincount\(|np\.unique\(|compute_class_weight\(|class_counts?|class_sample_counts?|Counter\("
)
SPREADS = re.compile(r"\[|\bfor\b|take\(|gather\(|index_select|repeat|map\(|compute_sample_weight")
DEEPEST = 4


@rule.source(cst.Call, needs=("WeightedRandomSampler",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    if not source.name(call.func).endswith("WeightedRandomSampler") or not call.args:
        return
    given = source.arguments(call, "weights", "num_samples").get("weights")
    if given is not None and is_of_classes(given, source):
        said = "one weight for each class: only as many samples as there are classes are ever drawn"
        yield Hit(call, said)


def is_of_classes(given: cst.BaseExpression, source: Source, depth: int = 0) -> bool:
    """Whether weights are worked out of counts of classes, and never spread over the labels."""
    text = source.code(given)
    if SPREADS.search(text):
        return False
    if COUNTS.search(text):
        return True
    names = [e for e in source.nodes(cst.Name) if e is given or source.is_within(e, given)]
    for name in names if depth < DEEPEST else ():
        bound = source.bound(name)
        node = bound[0].node if len(bound) == 1 and bound[0].kind == "assign" else None
        if isinstance(node, cst.BaseExpression) and is_of_classes(node, source, depth + 1):
            return True
    return False
