"""LT612: a value that is called like one parameter, at the place of another."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit
from lintorch.core.rule import Rule
from lintorch.evaluator.signatures.find_signatures import Parameter, ParameterKind, find_signatures
from lintorch.facts.api.tentative import is_tentative
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT612",
    summary="an argument at the place of another",
    why="""
        `nn.BCEWithLogitsLoss(pos_weight)` weighs each element, the negative ones too: the first
        parameter is `weight`, and nothing says so. `F.normalize(x, dim)` takes the axis for the
        norm's power, `F.mse_loss(a, b, reduction)` for the retired `size_average`, which any text
        switches on, `DataLoader(data, 8, sampler)` shuffles. Reported where a name, or the last
        part of one (`self.dropout`), is that of another optional parameter of the same callable
        of torch, which is given nothing; both are optional, so that `nn.Linear(out_features,
        in_features)` of a decoder is not meant. Measured on torch 2.13.
    """,
    bad="""
        import torch
        from torch import nn


        def make_loss(negatives, positives):
            pos_weight = torch.tensor(negatives / positives)
            return nn.BCEWithLogitsLoss(pos_weight)
    """,
    good="""
        import torch
        from torch import nn


        def make_loss(negatives, positives):
            pos_weight = torch.tensor(negatives / positives)
            return nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    """,
    proof="""
        logits, labels = torch.zeros(2), torch.zeros(2)
        plain = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)
        assert torch.allclose(make_loss(9, 1)(logits, labels), plain)
    """,
    remedy="give it by name",
    fix=Applicability.UNSAFE,
)


@rule.source(cst.Call, needs=("torch",))
def in_source(call: cst.Call, source: Source) -> Iterator[Hit]:
    given = list(takewhile(lambda each: not each.star and each.keyword is None, call.args))
    if not any(_last_name(each.value) for each in given):
        return
    name = source.name(call.func)
    signatures = () if name.startswith("torch.nn.Module.") else find_signatures(name)
    if len(signatures) != 1 or any(each.star for each in call.args):
        return
    every = {each.name: each for each in signatures[0].parameters}
    slots = [each for each in every.values() if each.kind is not ParameterKind.NAMED]
    filled = {each.name for each in slots[: len(given)]}
    filled |= {each.keyword.value for each in call.args if each.keyword}
    for slot, arg in zip(slots, given, strict=False):
        meant = every.get(_last_name(arg.value))
        if meant is None or meant.name in filled or _is_needed(meant) or _is_needed(slot):
            continue
        if is_tentative(call, source):
            return
        said = f"{meant.name} is given as {slot.name}, by its place"
        written = f"{meant.name}={source.code(arg.value)}"
        fix = None
        if arg is given[-1]:
            edit = source.replace(arg.value, written)
            fix = Fix("give it by name", (edit,), Applicability.UNSAFE)
        yield Hit(arg, said, fix, remedy=f"give it by name: {written}")


def _last_name(value: cst.BaseExpression) -> str:
    """`dropout` of `dropout` and `self.dropout`; "" of all that is worked out."""
    if isinstance(value, cst.Attribute):
        return value.attr.value
    return value.value if isinstance(value, cst.Name) else ""


def _is_needed(parameter: Parameter) -> bool:
    return parameter.is_required or parameter.kind in (
        ParameterKind.STAR,
        ParameterKind.DOUBLE_STAR,
    )
