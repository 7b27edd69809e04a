"""Axes counted from the end, which the legacy ONNX exporter writes into the file as they stand.

x.permute(0, -1, 1)       x.permute(0, 2, 1)
x.movedim(-1, 1)          x.movedim(2, 1)          of three axes
x.index_add(-1, i, y)     x.index_add(2, i, y)     and index_add_
x.unfold(-1, 16, 8)       x.unfold(2, 16, 8)

Measured on torch 2.13, opsets 9 to 17, and ONNX Runtime 1.32: a Transpose of such axes is no valid
file, a scatter by them fails when it runs, and windows come one axis too late. What weights alone
go into is worked out before, and is right; so is where `movedim` moves an axis to.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from lintorch.core.finding import Edit, Fix
from lintorch.evaluator.events import Called
from lintorch.evaluator.given_arguments import read_plain
from lintorch.evaluator.values import Tensor
from lintorch.facts.exporting.einsum_calls import HasCalls
from lintorch.syntax.literals import literal

_SUMS = ("index_add", "index_add_")
_COPIED = {
    **dict.fromkeys(_SUMS, "dim"),
    "permute": "dims",
    "movedim": "source",
    "moveaxis": "source",
}
_AXES = {**_COPIED, "unfold": "dimension"}
WRITTEN_FROM_END = (
    *(f"torch.{name}" for name in _COPIED if not name.endswith("_")),
    *(f"torch.Tensor.{name}" for name in _COPIED),
)


def find_axes_from_end(event: Called) -> str:
    """What becomes of the axes of such an operator, where some count from the end; empty where none does."""
    name = event.name.rpartition(".")[2]
    said = read_plain(event.arguments.get(_AXES[name]))
    axes = said if isinstance(said, (list, tuple)) else (said,)
    given = (*event.positional, *event.keyword.values(), event.arguments.get("self"))
    runs = any(isinstance(each, Tensor) and each.data is not False for each in given)
    if not runs or not any(isinstance(each, int) and each < 0 for each in axes):
        return ""
    way = "fails when it runs" if name in _SUMS else "is no valid file"
    return f"{name} by axes that count from the end {way}"


def count_from_front(event: Called, source: HasCalls) -> Fix | None:
    """The same call with axes that count from the front, where they are written as numbers."""
    call, name = source.call_at(event), event.name.rpartition(".")[2]
    written = list(_list_axes(event, call)) if call is not None else []
    held = event.arguments.get("self", event.arguments.get("input"))
    shape = held.shape if isinstance(held, Tensor) and held.sure else None
    rank = len(written) if name == "permute" else len(shape or ())
    numbers = [literal(node) for node in written]
    if not numbers or any(type(each) is not int or not -rank <= each < rank for each in numbers):
        return None
    edits: list[Edit] = [
        source.replace(node, str(rank + axis))
        for node, axis in zip(written, numbers, strict=True)
        if isinstance(axis, int) and axis < 0
    ]
    told = ", ".join(each.content for each in edits)
    return Fix(f"count from the front: {told}", tuple(edits)) if edits else None


def _list_axes(event: Called, call: cst.Call) -> Iterator[cst.BaseExpression]:
    """The axes of a call, in their order; those of a tuple one by one."""
    name = event.name.rpartition(".")[2]
    first = 0 if event.name.startswith("torch.Tensor.") else 1
    for number, arg in enumerate(call.args):
        is_first = number == first or (name == "permute" and number > first)
        named = arg.keyword is not None and arg.keyword.value == _AXES[name]
        if not named and (arg.keyword is not None or not is_first):
            continue
        if isinstance(arg.value, (cst.Tuple, cst.List)):
            yield from (each.value for each in arg.value.elements)
        else:
            yield arg.value
