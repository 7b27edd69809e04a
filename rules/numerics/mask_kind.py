"""LT812: a mask of numbers where torch takes bool alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

import libcst as cst

from lintorch.core.finding import Applicability, Fix, Hit, Severity
from lintorch.core.rule import Rule
from lintorch.evaluator.events import Called, Combined, ItemSet
from lintorch.evaluator.values import Constant, Items, Number, Tensor
from lintorch.facts.api.tentative import is_tentative
from lintorch.facts.models.operation_steps import name_operation
from lintorch.facts.models.value_ways import Operation
from lintorch.source import Source

rule = Rule(
    __name__,
    code="LT812",
    summary="a mask that is not bool",
    why="""
        Masks of 0 and 1 were uint8 before torch 1.2; comparisons have given bool since. torch
        2.13 refuses them: `masked_fill_ only supports boolean masks, but got mask with dtype
        unsigned char`, and likewise masked_select, masked_scatter, `x[mask] = number`, the masks
        of attention, and where() with a condition of other integers or floats. Up to torch 2.0
        masked_fill took uint8 and warned (pytorch/pytorch#96594). Measured on torch 2.13.

        `x[mask]` and `x[mask] = tensor` still take uint8, and warn; a mask of int64 there is a list
        of places, not a mask. `~mask` and `mask & other` of floats raise too.
    """,
    bad="""
        import torch


        def attend(scores: torch.Tensor, length: int):
            later = torch.triu(torch.ones(length, length), diagonal=1).byte()
            return scores.masked_fill(later, float("-inf")).softmax(-1)
    """,
    good="""
        import torch


        def attend(scores: torch.Tensor, length: int):
            later = torch.triu(torch.ones(length, length), diagonal=1).byte()
            return scores.masked_fill(later.bool(), float("-inf")).softmax(-1)
    """,
    remedy="make it bool: mask.bool()",
    proof="""
        assert attend(torch.zeros(1, 2, 2), 2).tolist() == [[[1, 0], [0.5, 0.5]]]
    """,
    severity=Severity.ERROR,
    fix=Applicability.SAFE,
)

HOMES = ("torch", "torch.Tensor")
FILLING = ("masked_fill", "masked_fill_", "masked_select", "masked_scatter", "masked_scatter_")
MASKED = frozenset(f"{home}.{name}" for home in HOMES for name in FILLING)
WHERE = frozenset(f"{home}.where" for home in HOMES)
ATTENTION = {
    "torch.nn.functional.scaled_dot_product_attention": ("attn_mask",),
    "torch.nn.MultiheadAttention.forward": ("attn_mask", "key_padding_mask"),
    "torch.nn.TransformerEncoder.forward": ("mask", "src_key_padding_mask"),
    "torch.nn.TransformerEncoderLayer.forward": ("src_mask", "src_key_padding_mask"),
}
INTEGERS = frozenset({"uint8", "int8", "int16", "int32", "int64"})
NUMBERS = INTEGERS | {"float16", "bfloat16", "float32", "float64"}
STRICT_SINCE = (2, 1)


@rule.event(*MASKED)
def in_filling(event: Called, source: Source) -> Iterator[Hit]:
    if source.profile.torch >= STRICT_SINCE:
        yield from report(event, "mask", NUMBERS, source)


@rule.event(*WHERE)
def in_where(event: Called, source: Source) -> Iterator[Hit]:
    """`torch.where(x)` alone is nonzero(), of any type."""
    if len(event.positional) + len(event.keyword) > 1:
        yield from report(event, "condition", NUMBERS - {"uint8"}, source)


@rule.event(*ATTENTION)
def in_attention(event: Called, source: Source) -> Iterator[Hit]:
    for name in ATTENTION[event.name]:
        yield from report(event, name, INTEGERS, source)


@rule.event(Combined)
def in_logic(event: Combined, source: Source) -> Iterator[Hit]:
    """`~mask`, `mask & other` of masks that are floats."""
    sign = "~" if isinstance(event.node, ast.UnaryOp) else LOGIC.get(event.operator, "")
    sides = [each for each in (event.left, event.right) if isinstance(each, Tensor)]
    kinds = [each.dtype for each in sides if each.sure and each.origin != "input"]
    kind = next((each for each in kinds if each and "float" in each), "")
    if sign and kind and event.operator in LOGIC:
        yield Hit(event, f"{sign} takes bool or whole numbers, and is given {kind}: this raises")


LOGIC = {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}


@rule.event(ItemSet)
def in_assignment(event: ItemSet, source: Source) -> Iterator[Hit]:
    """`x[mask] = 0`, which is masked_fill."""
    parts = event.index.items or () if isinstance(event.index, Items) else (event.index,)
    number = isinstance(event.value, (Constant, Number))
    masks = any(isinstance(each, Tensor) and each.dtype == "uint8" for each in parts)
    if number and masks and isinstance(event.held, Tensor) and source.profile.torch >= STRICT_SINCE:
        yield Hit(event, "a mask of uint8 cannot be assigned a number: this raises")


def report(event: Called, name: str, refused: Set[str], source: Source) -> Iterator[Hit]:
    mask = event.arguments.get(name)
    if not isinstance(mask, Tensor) or mask.dtype not in refused:
        return
    call = source.call_at(event)
    if is_tentative(call, source) or is_refused(source.evaluation.ways.find_maker(mask)):
        return
    short = name_operation(event)
    message = f"{short} takes a bool {name}, and is given {mask.dtype}: this raises"
    yield Hit(event, message, make_bool(call, name, source))


def is_refused(made: Operation | None) -> bool:
    """`1 - mask` of a bool mask, which raises before: another rule tells of it."""
    if not isinstance(made, Combined) or made.operator != "Sub":
        return False
    return any(isinstance(e, Tensor) and e.dtype == "bool" for e in (made.left, made.right))


def make_bool(call: cst.Call | None, name: str, source: Source) -> Fix | None:
    """`mask.bool()` for what is given by that name, or first."""
    if call is None or any(each.star for each in call.args):
        return None
    named = [each.value for each in call.args if each.keyword and each.keyword.value == name]
    first = [each.value for each in call.args[:1] if not each.keyword]
    given = named or (first if name == "mask" and is_method(call, source) else [])
    if not given:
        return None
    text = source.code(given[0]).removesuffix(".byte()")
    plain = isinstance(given[0], (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
    edit = source.replace(given[0], f"{text}.bool()" if plain else f"({text}).bool()")
    return Fix("make it bool", (edit,), Applicability.SAFE)


def is_method(call: cst.Call, source: Source) -> bool:
    return isinstance(call.func, cst.Attribute) and not source.name(call.func).startswith("torch.")
