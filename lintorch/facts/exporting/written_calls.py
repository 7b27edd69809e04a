"""What models of a file call in their forward passes, by the names under which exports were measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lintorch.evaluator.events import (
    AttributeRead,
    Called,
    Combined,
    Compared,
    Indexed,
    ItemSet,
    Occurrence,
)
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.start import Reached
from lintorch.evaluator.subscripts import split_index
from lintorch.evaluator.values import (
    NONE,
    Choice,
    Constant,
    Held,
    Items,
    Number,
    Slice,
    Spot,
    Tensor,
    Unknown,
    Value,
)
from lintorch.evaluator.watch_calls import CallValued
from lintorch.facts.exporting.call_variants import find_variant
from lintorch.targets.written_files import is_measured

_COMPARED = {
    "<": "Lt", "<=": "LtE", ">": "Gt", ">=": "GtE", "==": "Eq", "!=": "NotEq",
}  # fmt: skip
_BITS = ("BitAnd", "BitOr", "BitXor")
_CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "Module")
_EINOPS = {
    "rearrange": ("torch.view", "torch.permute"),
    "reduce": ("torch.view", "torch.permute", "torch.mean", "torch.max"),
    "repeat": ("torch.view", "torch.permute", "torch.expand", "torch.unsqueeze"),
}
"""What the functions of einops are made of, by their last names; its layers have the same."""


@dataclass(frozen=True)
class WrittenCall:
    """One operation of a forward pass, by its measured name and variant, where it is written first."""

    name: str
    spot: Spot


@dataclass(frozen=True)
class ModelCalls:
    """All of one model: what is measured, and what is not known; `whole`: it was followed to its end."""

    model: str
    path: str
    known: tuple[WrittenCall, ...]
    unknown: tuple[WrittenCall, ...]
    whole: bool


def list_model_calls(reached: Sequence[Reached], path: str) -> Iterator[ModelCalls]:
    """Of each model of the file that was followed, in the order in which they were."""
    by_model: dict[str, list[Reached]] = {}
    for each in reached:
        if each.name and any(event.way.forward for event in each.events):
            by_model.setdefault(each.name, []).append(each)
    for name, found in by_model.items():
        events = [e for each in found for e in each.events if e.way.forward]
        whole = not any(each.spent or each.failure for each in found)
        known, unknown = _sort_calls(events)
        yield ModelCalls(name, path, tuple(known.values()), tuple(unknown.values()), whole)


def _sort_calls(
    events: Sequence[Occurrence],
) -> tuple[Mapping[str, WrittenCall], Mapping[object, WrittenCall]]:
    """By name what was measured; by place what was not."""
    known: dict[str, WrittenCall] = {}
    unknown: dict[object, WrittenCall] = {}
    told = {event.spot for event in events if isinstance(event, Called)}
    told |= {spot for event in events for spot in event.way.spots}
    for event in events:
        if isinstance(event, CallValued):
            if event.spot not in told:
                unknown.setdefault(event.spot, WrittenCall(_shorten(event.value), event.spot))
            continue
        for name in _list_names(event):
            if is_measured(name):
                known.setdefault(name, WrittenCall(name, event.spot))
            else:
                unknown.setdefault(name, WrittenCall(name, event.spot))
    return known, unknown


def _shorten(value: Value) -> str:
    """What is known of the way in which something unknown was come by."""
    path = value.path if isinstance(value, Unknown) else ""
    return path.removesuffix("()").removeprefix("?.") or "an unknown call"


def _list_names(event: Occurrence) -> Iterator[str]:
    """The measured names of what happened, or the name of what was not measured; none of what is no operator."""
    if isinstance(event, Called):
        yield from _name_call(event)
    elif isinstance(event, Combined):
        if _holds_tensor(event.left) or _holds_tensor(event.right):
            whole = event.operator in _BITS and any(
                map(_is_whole_numbers, (event.left, event.right))
            )
            yield f"operator.{event.operator}[int]" if whole else f"operator.{event.operator}"
    elif isinstance(event, Compared):
        if isinstance(event.result, Tensor):
            kind = _COMPARED.get(event.operator, event.operator)
            yield f"operator.{kind}"
    elif isinstance(event, Indexed) and isinstance(event.held, Tensor):
        yield from _name_items("item", event.index)
    elif isinstance(event, ItemSet) and isinstance(event.held, Tensor):
        yield from _name_items("write", event.index)
    elif isinstance(event, AttributeRead) and event.attribute in ("T", "mT"):
        yield "torch.permute"


def _name_call(event: Called) -> Iterator[str]:
    name = event.name.replace("torch.Tensor.", "torch.").removesuffix(".forward")
    package, _, last = name.rpartition(".")
    if package == "torch.nn" and last in _CONTAINERS:
        return
    if package.startswith("einops") and last.lower() in _EINOPS:
        yield from _EINOPS[last.lower()]
        return
    variant = find_variant(name, event)
    if is_measured(variant):
        yield variant
    elif not last.endswith("__") and _computes(event):
        plain = variant.replace("_[", "[") if "[" in variant else variant.removesuffix("_")
        yield plain


def _computes(event: Called) -> bool:
    """Whether tensors came in, and something came out that may hold some."""
    given = (*event.positional, *event.keyword.values())
    inside = any(_holds_tensor(each) for each in given) or isinstance(event.result, Tensor)
    return inside and (isinstance(event.result, Unknown) or _holds_tensor(event.result))


def _holds_tensor(value: Value) -> bool:
    if isinstance(value, Items):
        return any(map(_holds_tensor, value.items or (value.each,)))
    if isinstance(value, Choice):
        return any(map(_holds_tensor, value.alternatives))
    return isinstance(value, Tensor)


def _is_whole_numbers(value: Value) -> bool:
    """Whether it is a tensor of integers, whose bits are joined, and not of truth values."""
    return isinstance(value, Tensor) and (value.dtype or "").startswith(("int", "uint"))


def _name_items(kind: str, index: Value) -> Iterator[str]:
    """What `x[index]` reads, or writes, part by part."""
    parts = split_index(index) or ()
    arrays = [each for each in parts if isinstance(each, (Tensor, Items, Held, Unknown, Choice))]
    if any(isinstance(each, Tensor) and each.dtype == "bool" for each in arrays):
        yield f"{kind}[mask]"
    elif len(arrays) > 1 and kind == "item":
        yield "item[indices]"
    elif arrays:
        yield f"{kind}[index]"
    for each in parts:
        if isinstance(each, Slice) and (kind == "write" or not _is_whole(each)):
            stepped = each.step != NONE and read_plain(each.step) != 1
            moves = kind == "item" and any(map(_varies, (each.start, each.stop)))
            cut = f"{kind}[slice,size]" if moves else f"{kind}[slice]"
            yield "item[step]" if stepped and kind == "item" else cut
        elif each == NONE:
            yield "item[new]"
        elif not isinstance(each, (Slice, *(type(a) for a in arrays))) and not _is_dots(each):
            yield f"{kind}[int]"


def _varies(bound: Value) -> bool:
    """Whether the end of a slice is worked out of a size that may vary."""
    return isinstance(bound, Number) and bound.varies is not False


def _is_whole(part: Slice) -> bool:
    return (part.start, part.stop, part.step) == (NONE, NONE, NONE)


def _is_dots(part: Value) -> bool:
    return isinstance(part, Constant) and part.value is ...
